"""Baselines: players that never change, so that strengths measured against them are comparable.

``greedy`` needs the rules alone, ``uct`` also ``kernel``; ``playout`` is the engine with parameters
of its own. Start with ``greedy``.
"""
