"""Reading is cheap: documents are made once, in the background, with a limit per address."""

import asyncio
from threading import Event
from typing import Any

import httpx
import pytest

import patchwork as pw
from patchwork.engine import Analysis, Limit
from patchwork.render.svg import table
from patchwork.server.engines.pool import EnginePool
from patchwork.server.http import limits
from patchwork.server.http.api import records
from patchwork.server.store import Store
from patchwork.server.wire import Thought
from server.support.fake_time import asynchronous
from server.support.friends import answers, eventually, friends, measured, refusal
from server.support.live_server import Json, Visitor, serving
from support.waiting import PATIENCE

DOCUMENTS = ("picture", "replay", "record", "qr")


class CallCounter:
    """A function that counts its calls."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.function(*args)


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> CallCounter:
    """The function that draws pictures, with a count of its calls."""
    counted = CallCounter(table)
    monkeypatch.setattr(records, "drawing", counted)
    return counted


class CountingEngines(EnginePool):
    """A pool without engines that answers and counts every request."""

    def __init__(self) -> None:
        super().__init__(0)
        self.asked = 0

    async def analyse(self, *args: Any, limit: Limit | None = None, **kwargs: Any) -> Analysis:
        self.asked += 1
        return Analysis(pw.Advance(), self.asked / 1000, 0, 0, lines=(), visits=0, exact=False)


async def finished(ann: Visitor) -> str:
    game: str = (await ann.open("screen", seed=3))["table"]["id"]
    assert (await ann.act(game, "move", move="A")).is_success
    assert (await ann.act(game, "resign")).is_success
    return game


async def read(visitor: Visitor, game: str, kind: str, **headers: str) -> httpx.Response:
    return await visitor.http.get(f"/api/tables/{game}/{kind}", headers=headers)


@asynchronous
async def test_a_slow_picture_does_not_block_the_server(
    sqlite_database: str, drawing: CallCounter
) -> None:
    may_finish, draw = Event(), drawing.function

    def slow(*args: Any) -> Any:
        assert may_finish.wait(PATIENCE), "drawing blocks the event loop"
        return draw(*args)

    drawing.function = slow
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        requests = [asyncio.create_task(read(met.bob, met.game, "picture")) for _ in range(5)]
        await answers(ann)
        await ann.play("A")
        may_finish.set()
        assert {(await answer).status_code for answer in requests} == {200}


@pytest.mark.parametrize("ending", [True, False])
@asynchronous
async def test_an_unchanged_picture_is_drawn_once(
    sqlite_database: str, drawing: CallCounter, ending: bool
) -> None:
    async with friends(sqlite_database) as met:
        if ending:
            assert (await met.ann.act(met.game, "resign")).is_success
        first = await read(met.bob, met.game, "picture")
        asked = [read(met.bob, met.game, "picture") for _ in range(10)]
        assert {answer.content for answer in await asyncio.gather(*asked)} == {first.content}
        name = first.headers["etag"]
        again = await read(met.bob, met.game, "picture", **{"If-None-Match": name})
        assert (again.status_code, again.content, drawing.calls) == (304, b"", 1)
        if not ending:
            assert (await met.ann.act(met.game, "move", move="A")).is_success
            after = await read(met.bob, met.game, "picture", **{"If-None-Match": name})
            assert (after.status_code, drawing.calls) == (200, 2)
            assert after.headers["etag"] != name


@pytest.mark.parametrize("kind", DOCUMENTS)
@asynchronous
async def test_documents_have_etags_and_are_revalidated(sqlite_database: str, kind: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        game = await finished(ann)
        first = await read(ann, game, kind)
        assert first.headers["cache-control"] == "no-cache"
        again = await read(ann, game, kind, **{"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert again.headers["x-content-type-options"] == "nosniff"


@asynchronous
async def test_a_document_shows_only_stored_events(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, stored, storing = Store.append, asyncio.Event(), asyncio.Event()

    async def slow(*args: Any) -> None:
        storing.set()
        await stored.wait()
        await append(*args)

    async with friends(sqlite_database) as met:
        before = (await read(met.bob, met.game, "record")).text
        monkeypatch.setattr(Store, "append", slow)
        seq = (await met.ann.look(met.game))["status"]["seq"]
        moving = asyncio.create_task(met.ann.act(met.game, "move", move="A", seq=seq))
        await storing.wait()
        assert (await read(met.bob, met.game, "record")).text == before, (
            "without waiting for the move"
        )
        stored.set()
        assert (await moving).is_success
        assert (await read(met.bob, met.game, "record")).text != before


@asynchronous
async def test_new_documents_are_limited_per_address(
    sqlite_database: str, drawing: CallCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(limits, "monotonic", lambda: now)
    settings = {"copies_per_minute": "3", "proxies": "127.0.0.1"}
    async with (
        serving(sqlite_database, EnginePool(0), **settings) as address,
        Visitor(address, **{"X-Forwarded-For": "198.51.100.1"}) as ann,
        Visitor(address, **{"X-Forwarded-For": "198.51.100.2"}) as bob,
    ):
        games = [(await ann.open("screen"))["table"]["id"] for _ in range(4)]
        for game in games[:3]:
            assert (await read(ann, game, "picture")).is_success
        refused = await read(ann, games[3], "picture")
        refusal(refused, 429, "too-many")
        wait = int(refused.headers["retry-after"])
        assert wait <= 20
        refusal(await ann.http.post("/api/replays", content=b"x"), 429, "too-many")
        for game in games[:3]:
            assert (await read(ann, game, "picture")).is_success, "cached documents are not limited"
        assert (await read(bob, games[3], "picture")).is_success
        assert (await read(ann, games[3], "picture")).is_success
        now += wait
        assert (await read(ann, games[3], "replay")).is_success
        refusal(await read(ann, games[2], "replay"), 429, "too-many")
        assert drawing.calls == 4


@asynchronous
async def test_a_long_record_costs_more_of_the_limit(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), copies_per_minute="20") as address,
        Visitor(address) as ann,
    ):
        long = b"x" * 30_000
        refusal(await ann.http.post("/api/replays", content=long), 422, "malformed")
        refusal(await ann.http.post("/api/replays", content=b"x"), 429, "too-many")


@asynchronous
async def test_a_position_is_analysed_once(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "monotonic", lambda: 1000.0)
    counting = CountingEngines()
    async with (
        serving(sqlite_database, counting, copies_per_minute="20") as address,
        Visitor(address) as ann,
    ):
        game = await finished(ann)

        async def analysis(ply: int) -> httpx.Response:
            return await read(ann, game, f"analysis?ply={ply}")

        asked = await asyncio.gather(*(analysis(0) for _ in range(12)))
        assert {answer.status_code for answer in asked} == {200}
        thoughts: list[Json] = [answer.json() for answer in asked]
        assert all(thought == thoughts[0] for thought in thoughts)
        Thought.model_validate(thoughts[0])
        refusal(await analysis(9), 404, "no-such-ply")
        assert (await analysis(1)).json() != thoughts[0]
        assert counting.asked == 2
        assert (await analysis(1)).is_success
        running = (await ann.open("screen"))["table"]["id"]
        refusal(await read(ann, running, "analysis?ply=0"), 403, "no-help")
        other = await finished(ann)
        refusal(await read(ann, other, "analysis?ply=0"), 429, "too-many")
        assert counting.asked == 2


@asynchronous
async def test_streams_are_limited_per_address(sqlite_database: str) -> None:
    async with friends(sqlite_database, streams="2") as met:
        path = f"/api/tables/{met.game}/events"
        for _ in range(3):
            missing = await met.bob.http.get("/api/tables/nowherenowhe/events")
            refusal(missing, 404, "no-such-table")

        async def has_capacity() -> bool:
            async with met.bob.http.stream("GET", path) as answer:
                return answer.status_code == 200

        async with met.ann.http.stream("GET", path):
            async with met.ann.http.stream("GET", path):
                answer = await met.bob.http.get(path)
                refusal(answer, 429, "too-many")
                assert int(answer.headers["retry-after"]) > 0
                assert await measured(met.bob, "streams") == 2
            await eventually(has_capacity)
