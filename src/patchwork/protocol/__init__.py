"""Engines as processes: both ends of UPI (docs/upi.md), batch analysis, bots of another site."""

from patchwork.protocol.client import Client
from patchwork.protocol.program import NoAnswer, NotRunning, ProtocolError, WrongMove

__all__ = ["Client", "NoAnswer", "NotRunning", "ProtocolError", "WrongMove"]
