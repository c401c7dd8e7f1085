"""Lines of play tried out without a table, as in lessons and analyses."""

from typing import Any

import httpx
import pytest

import patchwork as pw
from patchwork.engine.baselines.greedy import greedy
from patchwork.server.engines.pool import EnginePool
from patchwork.server.http.api.records import play_line
from patchwork.server.presenter import moves_view, position_view
from patchwork.server.presenter import reached as reached_by
from patchwork.server.wire import Line, Reached
from server.support.fake_time import Time, asynchronous
from server.support.friends import refusal
from server.support.live_server import Visitor, serving

CIRCLE = pw.Setup.random(3).circle


async def post_line(visitor: Visitor, *moves: Any, **setup: Any) -> httpx.Response:
    line = {"circle": CIRCLE, "moves": moves, **setup}
    return await visitor.http.post("/api/positions", json=line)


@pytest.mark.parametrize(("edition", "first"), [(pw.CLASSIC, 0), (pw.REVISED, 1)])
def test_a_line_reaches_the_position_after_its_moves(edition: pw.Edition, first: int) -> None:
    game = pw.Game(pw.Setup(CIRCLE, edition, first))
    while True:
        moves = [str(move) for move in game.moves]
        line = {"edition": edition.name, "circle": CIRCLE, "first": first, "moves": moves}
        reached = reached_by(play_line(Line.model_validate(line)))
        assert reached.position == position_view(game)
        assert reached.moves == moves_view(game)
        outcome = game.position.outcome
        if outcome is not None:
            break
        assert reached.ending is None
        game.push(greedy(game.position))
    assert reached.ending is not None
    assert reached.ending.reason == "played out"
    assert reached.ending.winner == outcome.winner
    assert reached.ending.scores == outcome.scores
    assert reached.ending.tie_break == outcome.tie_break


@asynchronous
async def test_trying_a_line_needs_no_player_and_stores_nothing(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        answer = await post_line(ann, "A")
        assert answer.status_code == 200
        reached = Reached.model_validate_json(answer.content)
        assert (reached.position.turn, reached.ending) == (1, None)
        assert reached.position.advance is not None
        assert "set-cookie" not in answer.headers
        assert (await ann.http.get("/api/me/games")).json()["games"] == []


@asynchronous
async def test_invalid_lines_are_refused(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        refused = refusal(await post_line(ann, "A", "Lc4"), 422, "illegal-move")
        assert refused["detail"].startswith("move 2: ")
        assert refused["reason"] == "not-in-this-phase"
        refused = refusal(await post_line(ann, "A", "A", "nonsense"), 422, "illegal-move")
        assert refused["detail"].startswith("move 3: 'nonsense' is not a move")
        assert refused["reason"] is None
        for circle, complaint in {
            (*CIRCLE[1:], CIRCLE[0]): "must be last",
            (*CIRCLE[:-2], 99, 0): "99",
            (*CIRCLE[:-2], CIRCLE[0], 0): "twice",
            CIRCLE[1:]: "circle",
        }.items():
            refused = refusal(await post_line(ann, circle=circle), 422, "malformed")
            assert complaint in refused["detail"]
        refusal(await post_line(ann, *["A"] * 121), 422, "malformed")
        refusal(await post_line(ann, "A" * 17), 422, "malformed")
        refusal(await post_line(ann, 5), 422, "malformed")
        refusal(await post_line(ann, edition="first"), 422, "malformed")
        refusal(await post_line(ann, first=2), 422, "malformed")
        refusal(await post_line(ann, position="classic"), 422, "malformed")
        refusal(await post_line(ann, "A" * 70_000), 413, "malformed")


@asynchronous
async def test_lines_count_as_requests(sqlite_database: str, time: Time) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), requests_per_minute="3") as address,
        Visitor(address) as ann,
    ):
        for _ in range(3):
            assert (await post_line(ann)).status_code == 200
        refusal(await post_line(ann), 429, "too-many")
