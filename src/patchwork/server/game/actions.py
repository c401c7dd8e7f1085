"""What a player may do in a match, whatever format the request arrived in."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

CircleChoice: TypeAlias = Literal["same", "new"]
"""Whether a rematch keeps the circle of patches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Action:
    id: str
    """Chosen by the player's program, so that a repeated action is recognised."""
    seq: int
    """The number of the last event the player knew of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMove(_Action):
    """Plays a move."""

    move: str
    """In the notation. The match parses it, because whether it is legal depends on the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseFirst(_Action):
    """Says who last used a needle and therefore begins."""

    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(_Action):
    """Takes back the player's own last decision, or asks the other player to allow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptUndo(_Action):
    """Lets the other player take the decision back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclineUndo(_Action):
    """Does not let the other player take the decision back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign(_Action):
    """Gives up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abort(_Action):
    """Ends a game that has hardly begun, without a winner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWin(_Action):
    """Claims the win from a player who is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagTimeout(_Action):
    """Says that the time of the player to move has run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rematch(_Action):
    """Offers another game with the seats swapped, or accepts that offer."""

    circle: CircleChoice = "new"


Action: TypeAlias = (
    PlayMove
    | ChooseFirst
    | Undo
    | AcceptUndo
    | DeclineUndo
    | Resign
    | Abort
    | ClaimWin
    | FlagTimeout
    | Rematch
)
