"""The fast evaluator: local patterns of a quilt and small layers, updated move by move (NNUE).

Start with ``evaluator``, then ``forward``. It imports ``kernel`` and ``evaluators``.
"""
