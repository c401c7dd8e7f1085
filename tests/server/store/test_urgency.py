"""The list of running games: first what waits for the player, then by the time left."""

import asyncio
from dataclasses import replace

import pytest

from patchwork.notation.record import Termination
from patchwork.server.game.events import GameStatus
from patchwork.server.store import Store, Urgency
from server.support.stored_games import ANN, BEN, NOW, OPEN, game, joined, opened


async def fill(store: Store) -> list[str]:
    """Stores games, and returns the ids of Ann's running ones, the most urgent first."""
    hour = 3_600_000

    def status(turn: int | None, deadline: int | None = None) -> GameStatus:
        return replace(OPEN, turn=turn, deadline=deadline)

    wanted = {
        "soon": status(0, NOW + hour),
        "later": status(0, NOW + 30 * hour),
        "unhurried": status(0),
        "theirs": status(1, NOW + 2),
        "alsotheirs": status(1),
        "invitation": status(None),
    }
    over = replace(OPEN, turn=None, ending=Termination.RESIGNED, winner=1)
    mixed = ("alsotheirs", "soon", "invitation", "unhurried", "theirs", "later")
    for name in mixed:
        await store.create(game(name, joined(player=ANN), joined(1, BEN, seq=2)), wanted[name])
    await store.create(game("over", joined(player=ANN)), over)
    await store.create(game("stranger", joined(player=BEN)), status(0, NOW))
    return list(wanted)


@pytest.mark.parametrize("limit", [1, 2, 4, 9])
def test_pages_follow_each_other(database: str, limit: int) -> None:
    async def main() -> None:
        async with opened(database) as store:
            expected = await fill(store)
            found: list[str] = []
            after: Urgency | None = None
            while page := await store.running_games_of(ANN, limit=limit, after=after):
                found += [listed.id for listed in page]
                after = Urgency.parse(str(Urgency.of(page[-1])))
            assert found == expected

    asyncio.run(main())


def test_the_other_players_list_has_another_order(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await fill(store)
            found = [listed.id for listed in await store.running_games_of(BEN, limit=9)]
            assert found[:3] == ["stranger", "theirs", "alsotheirs"]
            assert await store.running_games_of("nobody", limit=9) == []

    asyncio.run(main())


@pytest.mark.parametrize("text", ["", "x", "3-1-1-a", "0-1-1", "0--1-1-a", f"0-{'9' * 30}-1-a"])
def test_a_wrong_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a place"):
        Urgency.parse(text)
