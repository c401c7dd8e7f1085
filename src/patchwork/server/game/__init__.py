"""A game with all that was agreed on and has happened: pure, without sockets, database or clock.

Start with ``match``. It imports the rules and the notation.
"""
