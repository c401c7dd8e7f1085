"""TCP connections: how many there may be, and what a peer may do to one.

Start with ``uvicorn_protocols``, the only module that depends on uvicorn's internals. Imports
``guard``, ``ops`` and ``settings``.
"""
