"""Yardsticks whose play never changes, so that strengths measured against them stay comparable.

``greedy`` needs the rules alone; ``uct`` imports ``kernel``.
"""
