"""The fast evaluator learns from a network.

Start with ``distill``. It imports ``network``, ``checkpoint`` and the engine's ``patterns``.
"""
