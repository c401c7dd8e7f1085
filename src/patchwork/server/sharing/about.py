"""What a page is about, in the words of one language."""

from dataclasses import dataclass

from patchwork.locales import Messages
from patchwork.notation.record import Termination
from patchwork.server.game.match import Match
from patchwork.server.game.names import MAX_LENGTH
from patchwork.server.game.record import players

PREVIEW = "/api/preview"
"""The address of the picture for pages that belong to no table."""


@dataclass(frozen=True, slots=True)
class About:
    """What a page is about."""

    title: str
    text: str
    image: str = PREVIEW
    """The address of a picture for messengers, which show only bitmaps."""
    drawing: str | None = None
    """The address of a drawing for browsers without JavaScript."""
    record: str | None = None
    """The address of the game as a record."""


def home(say: Messages) -> About:
    """Returns what the home page is about."""
    return About("Patchwork", f"{say('page-tagline')} {say('link-how')}")


def screen(name: str, say: Messages) -> About:
    """Returns what a screen with a name of its own is about."""
    return About(f"{name} · Patchwork", f"{say('page-tagline')} {say('link-how')}")


def nowhere(say: Messages) -> About:
    """Returns what is said where there is nothing."""
    return About(f"{say('page-nowhere')} · Patchwork", say("page-nowhere-why"))


def table(game: str, match: Match, say: Messages, *, replay: bool = False) -> About:
    """Returns what a table, or the replay of its game, is about."""
    names = [_name(match, seat, say) for seat in (0, 1)]
    address = f"/api/tables/{game}"
    image = f"{address}/preview"
    if match.ending is None and None in match.seats:
        host = names[1 - match.seats.index(None)]
        title = say("page-table-invited", name=host)
        return About(f"{title} · Patchwork", f"{say('page-tagline')} {say('link-join')}", image)
    drawing = f"{address}/picture" if match.game else None
    parts = [say("link-replay")] if replay else []
    parts.append(_result(match, names, say) if match.ending else say("link-running"))
    return About(_title(names), " ".join(parts), image, drawing, f"{address}/record")


def record(record: str, text: str, say: Messages) -> About:
    """Returns what the replay of a record that is kept is about."""
    names = [_player(player, seat, say) for seat, player in enumerate(players(text))]
    return About(_title(names), say("link-replay"), record=f"/api/records/{record}")


def _title(names: list[str]) -> str:
    return f"{names[0]} \N{EN DASH} {names[1]} · Patchwork"


def _result(match: Match, names: list[str], say: Messages) -> str:
    """Returns how a game ended."""
    status = match.status()
    assert status.ending is not None
    loser = "" if status.winner is None else names[1 - status.winner]
    reason = say("page-table-ended", reason=status.ending.value, name=loser)
    if status.winner is None:
        return reason
    whose = "computer" if status.winner == match.terms.computer else "other"
    parts = [say("page-table-wins", whose=whose, name=names[status.winner])]
    if status.ending is not Termination.PLAYED_OUT:
        parts.append(reason)
    elif status.scores is not None:
        parts.append(f"{status.scores[0]} : {status.scores[1]}".replace("-", "\N{MINUS SIGN}"))
    return " ".join(parts)


def _name(match: Match, seat: int, say: Messages) -> str:
    if seat == match.terms.computer:
        return _player(match.terms.level or 0, seat, say)
    occupant = match.seats[seat]
    return _player(occupant.name if occupant else "", seat, say)


def _player(player: str | int, seat: int, say: Messages) -> str:
    """Returns what a player is called who has a name, an empty one, or a level."""
    if isinstance(player, int):
        return say("page-table-computer", level=player)
    if len(player) > MAX_LENGTH:  # in a record
        return f"{player[: MAX_LENGTH - 1]}…"
    return player or say("page-table-player", number=seat + 1)
