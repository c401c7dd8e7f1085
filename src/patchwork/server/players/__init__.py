"""Who the players are, which of their tokens are valid, and how their data is exported or deleted.

Start with ``players``. Imports ``tables`` and whatever that may import.
"""
