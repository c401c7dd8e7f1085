"""Everything that is kept about a player, for the player; in parts, since it can be long."""

import asyncio
from collections.abc import AsyncIterator

from patchwork.server import presenter, wire
from patchwork.server.store import Cursor, Store, StoredGame


async def own_data(store: Store, player: str | None) -> AsyncIterator[str]:
    """Returns the parts of a ``wire.Data`` as JSON, game by game.

    Raises:
        Unavailable: the database does not answer. If that happens later, the parts break off.
    """
    names = [] if player is None else await store.names_of(player)
    page = [] if player is None else await store.whole_games_of(player)
    return _parts(store, wire.Data(player=player, names=names, games=[]), page)


async def _parts(store: Store, data: wire.Data, page: list[StoredGame]) -> AsyncIterator[str]:
    yield data.model_dump_json().removesuffix("]}")
    separator = ""
    while data.player is not None and page:
        for game in page:
            yield separator + presenter.own_game(game, data.player).model_dump_json()
            separator = ","
            await asyncio.sleep(0)  # live games come first
        last = Cursor(page[-1].created, page[-1].id)
        page = await store.whole_games_of(data.player, last)
    yield "]}"
