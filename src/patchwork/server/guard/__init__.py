"""Middleware that every request has to pass.

Start with ``guard``. Imports ``game``, ``ops``, ``settings`` and ``wire``.
"""
