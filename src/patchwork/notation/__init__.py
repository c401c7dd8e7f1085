"""Text of a position, a move and a whole game; ``docs/notation.md`` is the specification."""
