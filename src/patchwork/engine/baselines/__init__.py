"""Yardsticks whose play never changes, so that strengths measured against them stay comparable.

``greedy`` needs the rules alone, ``uct`` also ``kernel``; ``playout`` is the engine with parameters
of its own. Start with ``greedy``.
"""
