"""Connections: how many there may be, and what a peer may do to one.

Start with ``uvicorn_protocols``, the only module that reaches into uvicorn. It imports ``guard``,
``settings`` and ``ops``.
"""
