"""Distillation: the weights of the fast pattern evaluator learn from a network.

It imports the engine (``patterns`` above all), ``network``, ``checkpoint`` and ``export``; nothing
of self-play or training. Start with ``distill``.
"""
