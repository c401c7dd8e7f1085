"""The requests of the API, a module for each topic; ``docs/protocol.md`` lists them all.

May import what ``server/http`` may, and ``server/http`` itself. Start reading in ``tables.py``.
"""
