"""How programs talk to engines: UPI (docs/upi.md), batch analysis, and the bots of CodinGame.

``upi`` is our engine as a program that speaks UPI and ``client`` the other end, which drives any
such program; start reading there. ``batch`` analyses many positions. ``codingame`` lets bots
written for that site play. It imports ``rules``, ``notation``, ``engine`` and ``programs``.
"""

from patchwork.programs.errors import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.protocol.client import Client

__all__ = ["Client", "NoAnswer", "NotRunning", "ProtocolError", "WrongMove"]
