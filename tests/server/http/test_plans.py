"""Plans are answered to anyone, at any time of a game, and change nothing."""

from typing import Any

import httpx
import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.wire import Plan
from server.support.fake_time import asynchronous
from server.support.friends import friends, refusal, table_unchanged
from server.support.live_server import Visitor, serving


async def ask(visitor: Visitor, game: str, **query: Any) -> httpx.Response:
    return await visitor.http.get(f"/api/tables/{game}/plan", params=query)


@asynchronous
async def test_players_and_spectators_plan_without_a_trace(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as eve:
        circle = (await met.ann.look(met.game))["position"]["circle"]
        async with table_unchanged(met):
            for visitor in (met.ann, met.bob, eve):
                kept = f"{circle[7]}Aa1"
                answer = await ask(visitor, met.game, seat=1, kept=[kept], patch=circle[20])
                assert answer.status_code == 200, answer.text
                plan = Plan.model_validate_json(answer.content)
                assert [idea.patch for idea in plan.kept] == [circle[7]]
                assert plan.tried is not None
                assert (plan.tried.patch, plan.tried.purchases) == (circle[20], 6)
                assert plan.seq == (await met.ann.look(met.game))["status"]["seq"]
                assert len(answer.content) < 4096
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        later = Plan.model_validate_json((await ask(eve, met.game, seat=0)).content)
        assert (later.kept, later.tried, later.seq) == ([], None, plan.seq + 1)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"seat": 2},
        {"seat": 0, "patch": 33},
        {"seat": 0, "patch": -1},
        {"seat": 0, "patch": "x"},
        {"seat": 0, "kept": ["1" * 17]},
        {"seat": 0, "kept": ["17Aa1"] * 13},
    ],
    ids=str,
)
@asynchronous
async def test_malformed_plans_are_refused(sqlite_database: str, query: dict[str, Any]) -> None:
    async with friends(sqlite_database) as met, table_unchanged(met):
        refusal(await ask(met.ann, met.game, **query), 422, "malformed")


@pytest.mark.parametrize("kept", ["A", "Lc4", "nonsense", "", "17Ai9"])
@asynchronous
async def test_only_purchases_are_planned(sqlite_database: str, kept: str) -> None:
    async with friends(sqlite_database) as met, table_unchanged(met):
        refusal(await ask(met.ann, met.game, seat=0, kept=[kept]), 422, "illegal-move")


@asynchronous
async def test_there_is_nothing_to_plan_before_and_after_a_game(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        waiting = (await ann.open("friend"))["table"]["id"]
        refusal(await ask(ann, waiting, seat=0, patch=1), 409, "not-begun")
        over = (await ann.open("screen"))["table"]["id"]
        assert (await ann.act(over, "move", move="A")).is_success
        assert (await ann.act(over, "resign")).is_success
        refusal(await ask(ann, over, seat=0, patch=1), 409, "over")
        refusal(await ask(ann, "abcdefghjkmn", seat=0), 404, "no-such-table")
