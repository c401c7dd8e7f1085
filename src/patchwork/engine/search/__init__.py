"""Search: a tree grown by PUCT (``mcts``), and at its root sequential halving (``gumbel``).

Start with ``tree``. It imports ``kernel`` and the contract of ``evaluators``.
"""
