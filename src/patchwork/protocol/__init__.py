"""Engines as processes: both ends of UPI (docs/upi.md), batch analysis, bots of another site."""

from patchwork.programs.errors import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.protocol.client import Client

__all__ = ["Client", "NoAnswer", "NotRunning", "ProtocolError", "WrongMove"]
