"""The server: live tables for two that never lose a move. It needs the extra ``play``.

Start with ``game.match``, the core, then read ``tables.table``; ``app`` puts the parts together.
Imports ``rules``, ``notation``, ``render``, ``engine`` and ``programs``. Inside, each part imports
only parts further up in this list (its own docstring says which):

=============  ====================================================================
``settings``   how a server is set up
``game``       the core: matches, actions, events, clocks; knows no message format
``ops``        logs, metrics, rate limits, pacing of the event loop
``wire``       the messages between clients and the server
``store``      games and their logs in a database
``engines``    engine processes, and the fair queue before them
``caching``    documents made from games, kept for all who ask
``presenter``  matches and positions as messages
``services``   what all parts of a running server share
``tables``     live tables, with everyone who plays or watches there
``players``    who the players are, and what is kept about them
``guard``      what every request has to pass
``http``       requests, sockets and pages
``app``        the application
``transport``  connections: how many, and what a peer may do to one
``serving``    runs the application
=============  ====================================================================
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from patchwork.server.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> object:
    # Imported on demand: most users of a part of the server need little of it.
    if name != "create_app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from patchwork.server.app import create_app

    return create_app
