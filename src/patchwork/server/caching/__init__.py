"""Documents made from games (pictures, replays, records, analyses): made once, kept, sent once.

Start with ``documents``. Imports ``game``.
"""
