"""Engines in processes of their own: the one way in which Patchwork starts, asks and ends a child.

The server's engines, the games of the arena, the UPI client and the bots of another site all run on
``Program``; our own children speak the JSON of ``schema`` and are built on ``child``. Start reading
with ``program``. It imports ``engine`` and what that may import; a child imports more when it runs.
"""

from patchwork.programs.errors import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.programs.program import Program

__all__ = ["NoAnswer", "NotRunning", "Program", "ProtocolError", "WrongMove"]
