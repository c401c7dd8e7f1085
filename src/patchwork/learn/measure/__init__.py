"""How strong the networks of a run are, and how it went.

Start with ``matches``. It imports ``selfplay``, ``checkpoint`` and the arena.
"""
