"""Patchwork, the board game by Uwe Rosenberg, as a library: rules, notation, drawings.

>>> import patchwork as pw
>>> position = pw.Setup.random(seed=7).start()
>>> position = position.play(pw.Advance())
>>> position.scores
(-156, -157)
"""

from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.notation.record import Record
from patchwork.rules.game import Game
from patchwork.rules.moves import Advance, Buy, IllegalMove, Leather, Reason
from patchwork.rules.patches import PATCHES, Patch
from patchwork.rules.position import Outcome, Phase, Player, Position
from patchwork.rules.setup import Setup, SetupError
from patchwork.rules.timeboard import CLASSIC, REVISED, Edition

__all__ = [
    "CLASSIC",
    "PATCHES",
    "REVISED",
    "Advance",
    "Buy",
    "Edition",
    "Game",
    "IllegalMove",
    "Leather",
    "NotationError",
    "Outcome",
    "Patch",
    "Phase",
    "Player",
    "Position",
    "Reason",
    "Record",
    "Setup",
    "SetupError",
    "parse_move",
]

__version__ = "0.1.0"
