"""Describes in words what a move does, by comparing the positions before and after it."""

from patchwork.locales import Messages
from patchwork.notation.moves import format_cell
from patchwork.rules.moves import Advance, Buy, Leather, Move
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position
from patchwork.rules.timeboard import income_lines


def effects(say: Messages, names: tuple[str, str], before: Position, move: Move) -> list[str]:
    """Returns a sentence for each effect of a legal move, the most important first."""
    after, seat = before.play(move), before.turn
    name = names[seat]
    spaces = after.players[seat].time - before.players[seat].time
    sentences = []
    match move:
        case Advance():
            sentences.append(say("play-advances", name=name, spaces=spaces))
        case Buy(patch, _):
            cost = PATCHES[patch].cost
            sentences.append(say("play-buys", name=name, patch=patch, buttons=cost, spaces=spaces))
        case Leather(cell):
            sentences.append(say("play-places", name=name, cell=format_cell(cell)))
    income = after.players[seat].income * income_lines(
        before.players[seat].time, after.players[seat].time
    )
    if income:
        sentences.append(say("play-income", name=name, buttons=income))
    if after.tile != before.tile:
        sentences.append(say("play-tile", name=name))
    if after.phase is Phase.LEATHER:
        sentences.append(say("play-takes-leather", name=name))
    elif after.leather != before.leather:
        sentences.append(say("play-discards-leather", name=name))
    if after.first_home != before.first_home:
        sentences.append(say("play-home", name=name))
    return sentences
