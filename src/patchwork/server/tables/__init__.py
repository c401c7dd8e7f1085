"""Live tables: one for each game in memory, with everyone who plays or watches there.

Start with ``table``. Imports ``game``, ``wire``, ``presenter``, ``store``, ``engines``, ``ops``,
``services`` and ``settings``.
"""
