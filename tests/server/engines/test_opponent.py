"""The computer as an opponent, its hints, and its analyses of finished games."""

from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

import patchwork as pw
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.terms import SECOND
from patchwork.server.store import Store, Unavailable
from patchwork.server.tables import computer
from patchwork.server.wire import Hint, Thought
from server.support.fake_time import Time, asynchronous
from server.support.friends import at, eventually, friends, measured, refusal, until
from server.support.live_server import GREEDY, Json, Live, Visitor, serving


@pytest.fixture
def gated_engine(tmp_path: Path) -> EnginePool:
    """An engine that answers only once the folder holds a file ``go``."""
    return EnginePool(1, command=(*GREEDY, str(tmp_path / "go")))


async def wait_for_own_turn(live: Live) -> None:
    while live.state["status"]["ending"] is None and (
        live.state["position"]["turn"] not in live.state["you"]
    ):
        await live.receive("event")


async def wait_until_thinking(live: Live, waiting: int) -> None:
    """Reads until the computer is reported to wait for this many other jobs."""
    while waiting not in (
        message["waiting"] for message in live.received if message["t"] == "thinking"
    ):
        await live.receive("thinking")


# Moves of the computer


@pytest.mark.parametrize("seat", [0, 1])
@asynchronous
async def test_a_whole_game_against_the_computer(database: str, seat: int) -> None:
    random = Random(seat)
    async with serving(database) as address, Visitor(address) as ann:
        game = (await ann.open("computer", seat=seat, seed=8, level=3))["table"]["id"]
        async with ann.live(game) as live:
            await wait_for_own_turn(live)
            while live.state["status"]["ending"] is None:
                await live.play(str(random.choice(live.position.legal_moves())))
                await wait_for_own_turn(live)
            assert live.state["status"]["ending"]["reason"] == "played out"
            assert any(message["t"] == "thinking" for message in live.received)
        record = pw.Record.parse((await ann.http.get(f"/api/tables/{game}/record")).text)
        assert record.players[1 - seat] == "level:3"
        assert record.game.position.outcome is not None


@asynchronous
async def test_an_undo_goes_back_over_the_computers_reply(database: str) -> None:
    async with serving(database) as address, Visitor(address) as ann:
        opened = await ann.open("computer", seed=8)
        async with ann.live(opened["table"]["id"]) as live:
            await live.play("A")
            await wait_for_own_turn(live)
            assert len(live.received) > 3
            assert (await live.act("undo"))["t"] == "ack"
            assert live.state["position"] == opened["position"]
            await live.play(str(live.position.legal_moves()[1]))
            await wait_for_own_turn(live)


@asynchronous
async def test_an_undo_while_the_computer_thinks(
    database: str, gated_engine: EnginePool, tmp_path: Path
) -> None:
    async with serving(database, gated_engine) as address, Visitor(address) as ann:
        opened = await ann.open("computer", seed=8)
        async with ann.live(opened["table"]["id"]) as live:
            await live.play("A")
            await wait_until_thinking(live, 0)
            assert (await live.act("undo"))["t"] == "ack"
            assert live.state["position"] == opened["position"]
            move = str(live.position.legal_moves()[1])
            await live.play(move)
            (tmp_path / "go").touch()
            await wait_for_own_turn(live)
            state = await ann.look(opened["table"]["id"])
            assert state["moves"][0] == [0, move]
            assert {seat for seat, _ in state["moves"][1:]} <= {1}


@asynchronous
async def test_a_player_who_connects_while_the_computer_thinks_is_informed(
    sqlite_database: str, gated_engine: EnginePool, tmp_path: Path
) -> None:
    async with serving(sqlite_database, gated_engine) as address, Visitor(address) as ann:
        game = (await ann.open("computer", seat=1))["table"]["id"]
        other = (await ann.open("computer", seat=1))["table"]["id"]
        async with ann.live(game) as live, ann.live(other) as second:
            await wait_until_thinking(live, 0)
            await wait_until_thinking(second, 1)
            (tmp_path / "go").touch()
            await wait_for_own_turn(live)
            await wait_for_own_turn(second)


@asynchronous
async def test_resigning_while_the_computer_thinks(
    sqlite_database: str, gated_engine: EnginePool
) -> None:
    async with serving(sqlite_database, gated_engine) as address, Visitor(address) as ann:
        game = (await ann.open("computer", seat=1))["table"]["id"]
        async with ann.live(game) as live:
            await wait_until_thinking(live, 0)
            assert (await live.act("resign"))["t"] == "ack"
            assert live.state["status"]["ending"]["winner"] == 0


@asynchronous
async def test_the_computer_resumes_games_with_a_daily_clock_after_a_restart(
    database: str, gated_engine: EnginePool
) -> None:
    async with serving(database, gated_engine) as address, Visitor(address) as ann:
        game = await begun_by_computer(ann, clock={"days": 1})
        other = await begun_by_computer(ann)
    store = await Store.open(database)
    try:
        assert await store.computer_to_move() == [game]
        async with serving(database) as address, at(ann, address) as back:

            async def moved() -> bool:
                return await store.computer_to_move() == []

            await eventually(moved)
            stored = await store.load(game)
            assert stored is not None
            assert [event.kind for event in stored.events[:2]] == ["join", "move"]
            assert await moves(store, other) == 0, "its player has not come back yet"
            async with back.live(other) as live:
                await wait_for_own_turn(live)
    finally:
        await store.close()


# Without connected players


async def begun_by_computer(ann: Visitor, **terms: Any) -> str:
    """Opens a game that the computer begins."""
    state = await ann.open("computer", seat=1, seed=8, **terms)
    game: str = state["table"]["id"]
    return game


async def moves(store: Store, game: str) -> int:
    stored = await store.load(game)
    assert stored is not None
    return sum(event.kind == "move" for event in stored.events)


async def wait_for_jobs(ann: Visitor, jobs: int) -> None:
    """Waits until this many engine jobs are queued or running."""

    async def as_many_jobs() -> bool:
        queued, working = "thinkers_queued", "thinkers_working"
        return await measured(ann, queued) + await measured(ann, working) == jobs

    await eventually(as_many_jobs)


@asynchronous
async def test_jobs_of_disconnected_players_are_removed_from_the_queue(
    sqlite_database: str,
) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        games = [await begun_by_computer(ann) for _ in range(3)]
        async with ann.live(games[0]), ann.live(games[0]), Visitor(address) as watcher:
            async with ann.live(games[1]), watcher.live(games[1]), ann.live(games[2]) as left:
                await wait_for_jobs(ann, 3)
                await left.send("leave")
                await wait_for_jobs(ann, 2)
            await wait_for_jobs(ann, 1)
        await wait_for_jobs(ann, 0)
        async with ann.live(games[2]):
            await wait_for_jobs(ann, 1)


@asynchronous
async def test_a_player_without_a_socket_counts_as_present_for_a_minute(
    sqlite_database: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computer, "_REQUEST_COUNTS", SECOND)
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as eve,
    ):
        game = await begun_by_computer(ann)
        await wait_for_jobs(ann, 1)
        time.passed = 1.5
        await wait_for_jobs(ann, 0)
        await eve.look(game)
        await wait_for_jobs(ann, 0)
        for ask in (ann.look(game), ann.act(game, "undo")):
            await ask
            await wait_for_jobs(ann, 1)
            time.passed += 1.5
            await wait_for_jobs(ann, 0)


@pytest.mark.parametrize("clock", [{"days": 1}, {"minutes": 5}], ids=["days", "minutes"])
@asynchronous
async def test_a_timed_game_of_an_absent_player_continues_with_low_priority(
    sqlite_database: str, gated_engine: EnginePool, tmp_path: Path, clock: Json
) -> None:
    async with (
        serving(sqlite_database, gated_engine) as address,
        Visitor(address) as ann,
        Visitor(address) as eve,
        AsyncExitStack() as open_sockets,
    ):
        first, left = await begun_by_computer(ann), await begun_by_computer(ann, clock=clock)
        async with ann.live(first):
            async with ann.live(left) as leaving:
                await wait_until_thinking(leaving, 1)
            one = await begun_by_computer(ann)
            async with ann.live(one) as playing, eve.live(left) as watching:
                await wait_until_thinking(playing, 1)
                await wait_until_thinking(watching, 2)
                async with ann.live(left):
                    later = await begun_by_computer(ann)
                    came_later = await open_sockets.enter_async_context(ann.live(later))
                    await wait_until_thinking(came_later, 3)
                await wait_until_thinking(came_later, 2)
                await wait_until_thinking(watching, 3)
                (tmp_path / "go").touch()
                await until(watching, 2)


@asynchronous
async def test_the_computer_retries_until_the_database_is_back(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, append, broken, tries = Store.load, Store.append, False, 0

    async def loading(store: Store, game: str) -> Any:
        nonlocal tries
        if broken:
            tries += 1
            raise Unavailable("away")
        return await load(store, game)

    async def appending(store: Store, game: str, event: Any, *rest: Any) -> None:
        nonlocal broken
        broken |= event.player is None  # the outage begins with the computer's move
        if broken:
            raise Unavailable("away")
        await append(store, game, event, *rest)

    monkeypatch.setattr(computer, "_RETRY_SECONDS", 0.05)
    async with serving(sqlite_database) as address, Visitor(address) as ann:
        game = (await ann.open("computer", seed=8))["table"]["id"]
        async with ann.live(game) as live:
            monkeypatch.setattr(Store, "load", loading)
            monkeypatch.setattr(Store, "append", appending)
            await live.play("A")
            await eventually(lambda: tries >= 3)
            monkeypatch.undo()
            await wait_for_own_turn(live)
            assert (await ann.look(game))["status"]["seq"] == live.seq


# Hints


@asynchronous
async def test_only_the_player_against_the_computer_gets_a_hint(database: str) -> None:
    async with (
        serving(database) as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        game = (await ann.open("computer", seed=8))["table"]["id"]
        request = {"t": "hint", "id": "help"}
        path = f"/api/tables/{game}/hint"
        async with ann.live(game) as live, bob.live(game) as watching:
            await live.send("hint", id="help")
            hint = Hint.model_validate(await live.receive("hint"))
            assert (hint.id, hint.seq, hint.thought.seat) == ("help", live.seq, 0)
            assert pw.parse_move(live.position, hint.thought.move) in live.position.legal_moves()
            assert [each.move for each in hint.candidates] == [hint.thought.move]
            answer = await ann.http.post(path, json=request)
            assert Hint.model_validate_json(answer.content) == hint
            await watching.send("hint", id="me too")
            refused = await watching.receive("refused")
            assert (refused["id"], refused["code"]) == ("me too", "no-help")
            assert not any(message["t"] == "hint" for message in watching.received)
            refusal(await bob.http.post(path, json=request), 403, "no-help")
            await live.act("resign")
            refusal(await ann.http.post(path, json=request), 409, "over")
            for untagged in ({"id": "help"}, {"t": "move", "id": "help"}):
                refusal(await ann.http.post(path, json=untagged), 422, "malformed")


@asynchronous
async def test_there_are_no_hints_in_games_between_people(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        request = {"t": "hint", "id": "help"}
        answer = await met.ann.http.post(f"/api/tables/{met.game}/hint", json=request)
        refusal(answer, 403, "no-help")
        screen = (await met.ann.open("screen"))["table"]["id"]
        answer = await met.ann.http.post(f"/api/tables/{screen}/hint", json=request)
        refusal(answer, 403, "no-help")


@asynchronous
async def test_there_is_no_hint_before_the_game_begins(sqlite_database: str) -> None:
    async with serving(sqlite_database) as address, Visitor(address) as ann:
        game = (await ann.open("computer", first="needle"))["table"]["id"]
        request = {"t": "hint", "id": "help"}
        answer = await ann.http.post(f"/api/tables/{game}/hint", json=request)
        refusal(answer, 409, "not-begun")


@asynchronous
async def test_one_hint_at_a_time(
    sqlite_database: str, gated_engine: EnginePool, tmp_path: Path
) -> None:
    async with serving(sqlite_database, gated_engine) as address, Visitor(address) as ann:
        game = (await ann.open("computer", seed=8))["table"]["id"]
        async with ann.live(game) as live:
            await live.send("hint", id="one")
            await live.send("hint", id="two")
            refused = await live.receive("refused")
            assert (refused["id"], refused["code"]) == ("two", "busy")
            await live.send("ping")
            await live.receive("pong")
            (tmp_path / "go").touch()
            assert (await live.receive("hint"))["id"] == "one"
            await live.play("A")
            await wait_for_own_turn(live)


@asynchronous
async def test_there_are_no_hints_while_the_computer_thinks(
    sqlite_database: str, gated_engine: EnginePool
) -> None:
    async with serving(sqlite_database, gated_engine) as address, Visitor(address) as ann:
        game = (await ann.open("computer", seat=1))["table"]["id"]
        request = {"t": "hint", "id": "help"}
        answer = await ann.http.post(f"/api/tables/{game}/hint", json=request)
        refusal(answer, 409, "not-your-turn")


# Analyses


@asynchronous
async def test_only_finished_games_are_analysed(database: str) -> None:
    async with serving(database) as address, Visitor(address) as ann, Visitor(address) as eve:
        game = (await ann.open("screen", seed=8))["table"]["id"]
        path = f"/api/tables/{game}/analysis"
        refusal(await ann.http.get(path, params={"ply": 0}), 403, "no-help")
        async with ann.live(game) as live:
            await live.play("A")
            await live.play(str(live.position.legal_moves()[0]))
            await live.act("resign")
        for ply, seat in ((0, 0), (1, 1)):
            answer = await eve.http.get(path, params={"ply": ply})
            assert Thought.model_validate_json(answer.content).seat == seat
        refusal(await ann.http.get(path, params={"ply": 3}), 404, "no-such-ply")
        refusal(await ann.http.get(path, params={"ply": -1}), 422, "malformed")
        empty = (await ann.open("friend"))["table"]["id"]
        assert (await ann.act(empty, "abort")).is_success
        answer = await ann.http.get(f"/api/tables/{empty}/analysis", params={"ply": 0})
        refusal(answer, 404, "no-such-ply")


@asynchronous
async def test_the_final_position_is_not_analysed(sqlite_database: str) -> None:
    async with serving(sqlite_database) as address, Visitor(address) as ann:
        game = (await ann.open("screen", seed=8))["table"]["id"]
        async with ann.live(game) as live:
            while live.state["status"]["ending"] is None:
                await live.play(str(live.position.legal_moves()[0]))
                await until(live, live.seq)
        plies = len((await ann.look(game))["moves"])
        path = f"/api/tables/{game}/analysis"
        refusal(await ann.http.get(path, params={"ply": plies}), 404, "no-such-ply")
        assert (await ann.http.get(path, params={"ply": plies - 1})).is_success
