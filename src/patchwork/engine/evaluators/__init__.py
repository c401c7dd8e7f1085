"""What search asks about positions: rollouts, or a network in an ONNX file.

Start with ``evaluator``, the contract. It imports ``kernel``.
"""
