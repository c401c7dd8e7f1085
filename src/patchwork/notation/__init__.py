"""The texts of positions, moves and whole games; ``docs/notation.md`` is the specification.

May import ``rules`` only. Start with ``moves``.
"""
