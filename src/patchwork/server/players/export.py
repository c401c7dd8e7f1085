"""Everything that is kept about a player, for the player; in parts, since it can be long."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from patchwork.server import presenter, wire
from patchwork.server.store import Cursor, Store, StoredGame


async def own_data(store: Store, player: str | None) -> AsyncIterator[str]:
    """Returns the parts of a ``wire.Data`` as JSON, game by game.

    Args:
        store: where the data is.
        player: who asks; None for an unknown one.

    Raises:
        Unavailable: the database does not answer. If that happens later, the parts break off.
    """
    if player is None:
        return _parts(store, wire.Data(player=None, merges=[], names=[], games=[]), (), [])
    family = await store.family_of(player)
    ids = family.ids_from(player)
    data = wire.Data(
        player=family.head,
        merges=[
            wire.Merge(player=merge.player, into=merge.into, at=merge.at) for merge in family.merges
        ],
        names=await store.names_of(*ids),
        games=[],
    )
    return _parts(store, data, ids, await store.whole_games_of(*ids))


async def _parts(
    store: Store, data: wire.Data, ids: Sequence[str], page: list[StoredGame]
) -> AsyncIterator[str]:
    yield data.model_dump_json().removesuffix("]}")
    separator = ""
    while page:
        for game in page:
            yield separator + presenter.own_game(game, ids).model_dump_json()
            separator = ","
            await asyncio.sleep(0)  # live games come first
        last = Cursor(page[-1].created, page[-1].id)
        page = await store.whole_games_of(*ids, after=last)
    yield "]}"
