"""Who the players are, what is kept of them, and how they leave.

Start with ``identity``. It imports ``tables`` and what those may import.
"""
