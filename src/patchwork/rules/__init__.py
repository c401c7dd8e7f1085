"""The rules of Patchwork in plain Python, meant to be read alongside the rulebook.

Clause numbers in comments (``B2``, ``M1`` ...) refer to ``docs/rules.md``.

May import only the standard library; methods that write or draw a position import ``notation`` or
``render`` when they are called. Start with ``position``.
"""
