"""Live tables: who sits there, who watches, and what each of them hears.

Start with ``table``. It imports ``game``, ``wire``, ``store``, ``engines`` and ``ops``.
"""
