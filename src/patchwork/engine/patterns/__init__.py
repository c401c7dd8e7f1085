"""The fast evaluator: local patterns of a quilt and small layers, updated move by move (NNUE).

Start with ``evaluator``, then ``weights`` and ``forward``. Imports ``kernel``, ``evaluators`` and
``parameters``.
"""
