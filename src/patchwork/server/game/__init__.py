"""The core: matches with all that was agreed on and has happened, without sockets or a database.

It knows no message format, and stores, sends and waits for nothing. Start with ``match``. Imports
``rules`` and ``notation``, and nothing else of the server.
"""
