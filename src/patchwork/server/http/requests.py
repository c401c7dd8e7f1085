"""Turns the messages of clients into the actions of a match."""

from typing import assert_never

from patchwork.server import wire
from patchwork.server.game import actions


def action_of(message: wire.AnyAction) -> actions.Action:
    """Returns the action that a message asks for."""
    id_, seq = message.id, message.seq
    match message:
        case wire.Move():
            return actions.PlayMove(id=id_, seq=seq, move=message.move)
        case wire.Begin():
            return actions.ChooseFirst(id=id_, seq=seq, first=message.first)
        case wire.Undo():
            return actions.Undo(id=id_, seq=seq)
        case wire.Accept():
            return actions.AcceptUndo(id=id_, seq=seq)
        case wire.Decline():
            return actions.DeclineUndo(id=id_, seq=seq)
        case wire.Resign():
            return actions.Resign(id=id_, seq=seq)
        case wire.Abort():
            return actions.Abort(id=id_, seq=seq)
        case wire.Claim():
            return actions.ClaimWin(id=id_, seq=seq)
        case wire.Flag():
            return actions.FlagTimeout(id=id_, seq=seq)
        case wire.Rematch():
            return actions.Rematch(id=id_, seq=seq, circle=message.circle)
        case _:
            assert_never(message)
