"""The fast evaluator: local patterns of a quilt and small layers, as in NNUE.

Nothing is updated move by move: what depends on one quilt, or on what is left of the circle, is
kept and looked up when a position has it again.

Start with ``evaluator``, then ``weights`` and ``forward``. Imports ``kernel``, ``evaluators`` and
``parameters``.
"""
