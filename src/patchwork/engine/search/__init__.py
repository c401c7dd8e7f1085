"""The tree search: PUCT on batches of leaves, and sequential halving at the root.

Start with ``mcts``, then ``tree`` and ``gumbel``. Imports ``kernel``, ``parameters``, ``analysis``
and the contract of ``evaluators``.
"""
