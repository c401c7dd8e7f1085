"""The rules of Patchwork in plain Python, to be read beside the rulebook.

The clause numbers in comments (``B2``, ``M1`` ...) are those of ``docs/rules.md``. Nothing here
needs more than the standard library.
"""
