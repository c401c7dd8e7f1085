"""The end of a game, solved exactly.

Start with ``solver``, then ``alphabeta``. Imports ``kernel``; ``merge`` also imports ``analysis``.
"""
