"""The end of a game, solved exactly.

Start with ``solver``. It imports ``kernel``.
"""
