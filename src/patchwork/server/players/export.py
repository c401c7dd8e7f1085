"""All that is kept of a player, for the player: in parts, since it may be much."""

import asyncio
from collections.abc import AsyncIterator

from patchwork.server import wire
from patchwork.server.game import record
from patchwork.server.game.match import Match
from patchwork.server.store import Place, Store, StoredGame
from patchwork.server.tables import presenter


async def own_data(store: Store, player: str | None) -> AsyncIterator[str]:
    """Returns the parts of a ``wire.Data`` as JSON, game by game.

    Raises:
        Unavailable: the database does not answer. Where that happens later, the parts break off.
    """
    names = [] if player is None else await store.names_of(player)
    page = [] if player is None else await store.whole_games_of(player)
    return _parts(store, wire.Data(player=player, names=names, games=[]), page)


async def _parts(store: Store, data: wire.Data, page: list[StoredGame]) -> AsyncIterator[str]:
    yield data.model_dump_json().removesuffix("]}")
    separator = ""
    while data.player is not None and page:
        for game in page:
            yield separator + _own(game, data.player).model_dump_json()
            separator = ","
            await asyncio.sleep(0)  # games that are played come first
        last = Place(page[-1].created, page[-1].id)
        page = await store.whole_games_of(data.player, last)
    yield "]}"


def _own(game: StoredGame, player: str) -> wire.OwnGame:
    match = Match(game.terms, game.events)
    return wire.OwnGame(
        id=game.id,
        created=game.created,
        opponent=game.terms.opponent,
        level=game.terms.level,
        edition=game.terms.edition.name,
        clock=presenter.clock_terms(game.terms.clock),
        you=match.seats_of(player),
        names=(_name(match, 0), _name(match, 1)),
        ending=presenter.ending(match.status()),
        events=[presenter.event_view(event) for event in game.events],
        record=record.record(game.id, game.created, match).format(),
    )


def _name(match: Match, seat: int) -> str:
    occupant = match.seats[seat]
    return occupant.name if occupant else ""
