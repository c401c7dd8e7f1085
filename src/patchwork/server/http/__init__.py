"""The edge of the server: HTTP, sockets and pages.

Requests become calls of tables and players, and what those return becomes answers. Start with
``api/tables.py``. May import everything else in the server except ``transport``, ``app`` and
``serving``.
"""
