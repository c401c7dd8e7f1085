"""Programs in processes of their own: the one way in which Patchwork starts, asks and ends a child.

Start reading with ``program``: a ``Program`` is a running process that is spoken to in lines. The
UPI client and the bots of CodinGame use it directly. Our own children answer requests in lines of
JSON (``schema``): the parent runs them in a ``pool``, and ``child`` is their end of it. The server
analyses with a pool of ``engine_child``, and the arena plays with a pool of children of its own.

It imports ``rules``, ``notation`` and ``engine``.
"""

from patchwork.programs.errors import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.programs.program import Program

__all__ = ["NoAnswer", "NotRunning", "Program", "ProtocolError", "WrongMove"]
