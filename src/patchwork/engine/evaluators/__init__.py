"""Evaluators: what a position is worth and which moves deserve a look, by rollouts or a network.

Start with ``evaluator``, the contract. Imports ``kernel`` and ``parameters``.
"""
