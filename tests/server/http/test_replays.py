"""Replays of the server's games and of uploaded records."""

import asyncio
from random import Random
from typing import Any

import httpx
import pytest

import patchwork as pw
from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.rules.moves import Buy
from patchwork.server.engines.pool import EnginePool
from patchwork.server.presenter import replay
from patchwork.server.wire import Replay
from server.support.fake_time import asynchronous
from server.support.friends import friends, refusal
from server.support.live_server import Visitor, play_out, serving

LONGEST = 128 * 1024
"""The size limit in bytes, as documented in the protocol."""


async def upload(visitor: Visitor, text: str | bytes) -> httpx.Response:
    headers = {"Content-Type": "text/plain"}
    return await visitor.http.post("/api/replays", content=text, headers=headers)


def random_game(seed: int, *, finished: bool = True, thrifty: bool = False) -> pw.Game:
    """Returns a random game; with ``thrifty``, the players buy no patches."""
    random, game = Random(seed), pw.Game(pw.Setup.random(seed, first=seed % 2))
    while game.position.outcome is None and (finished or len(game.moves) < 20):
        moves: list[Any] = game.position.legal_moves()
        if thrifty:
            moves = [move for move in moves if not isinstance(move, Buy)]
        game.push(random.choice(moves))
    return game


def check_replay(found: Replay, game: pw.Game) -> None:
    """Checks that a replay matches a game, position by position."""
    positions = game.positions()
    assert [position.text for position in found.positions] == [str(each) for each in positions]
    assert [move for _, move in found.moves] == [str(move) for move in game.moves]
    assert [seat for seat, _ in found.moves] == [each.turn for each in positions[:-1]]
    assert (found.circle, found.first) == (list(game.setup.circle), game.setup.first)
    for position in found.positions:
        assert (position.advance, position.offers, position.leather_choice) == (None, [], None)
    for seat in (0, 1):
        assert len(found.positions[-1].players[seat].layout) == len(game.layout(seat))


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_replay_holds_every_position(seed: int, finished: bool) -> None:
    game = random_game(seed, finished=finished)
    found = replay(Record.of(game, ("Ann", "Bob")))
    check_replay(found, game)
    assert found.names == ("Ann", "Bob")
    if finished:
        outcome = game.position.outcome
        assert outcome is not None
        assert found.ending is not None
        assert (found.ending.winner, found.ending.scores) == (outcome.winner, outcome.scores)
        assert found.ending.tie_break == outcome.tie_break
        assert found.ending.reason == "played out"
    else:
        assert found.ending is None


def test_a_replay_without_moves_holds_the_start_position() -> None:
    setup = pw.Setup.random(1, edition=pw.REVISED)
    found = replay(Record(setup, termination=Termination.RESIGNED, winner=1))
    assert (found.edition, found.moves, len(found.positions)) == ("revised", [], 1)
    assert found.ending is not None
    assert (found.ending.reason, found.ending.winner) == ("resigned", 1)


@pytest.mark.parametrize("thrifty", [True, False])
def test_replays_are_short_enough(thrifty: bool) -> None:
    for seed in range(20):
        found = replay(Record.of(random_game(seed, thrifty=thrifty), ("🧵" * 40, "🧵" * 40)))
        assert len(found.model_dump_json().encode()) <= LONGEST


@asynchronous
async def test_a_table_and_its_record_have_the_same_replay(database: str) -> None:
    async with (
        friends(database) as met,
        Visitor(met.address) as stranger,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        await ann.play("A")
        path = f"/api/tables/{met.game}"
        running = Replay.model_validate_json((await stranger.http.get(f"{path}/replay")).content)
        assert (running.names, running.ending) == (("Ann", "Bob"), None)
        assert running.moves == [(0, "A")]
        await bob.receive("event")
        await play_out({0: ann, 1: bob}, Random(1))
        answer = await stranger.http.get(f"{path}/replay")
        text = (await stranger.http.get(f"{path}/record")).text
        check_replay(Replay.model_validate_json(answer.content), Record.parse(text).game)
        assert (await upload(stranger, text)).json() == answer.json()
        assert answer.json()["ending"] == ann.state["status"]["ending"]
        assert len(answer.content) <= LONGEST


@asynchronous
async def test_a_game_that_has_not_begun_has_a_replay(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        waiting = (await ann.open(first="needle"))["table"]["id"]
        found = (await ann.http.get(f"/api/tables/{waiting}/replay")).json()
        assert (found["moves"], len(found["positions"]), found["ending"]) == ([], 1, None)
        computer = (await ann.open("computer", level=2, name="Ann"))["table"]["id"]
        found = (await ann.http.get(f"/api/tables/{computer}/replay")).json()
        assert found["names"] == ["Ann", "level:2"]
        refusal(await ann.http.get("/api/tables/nothing/replay"), 404, "no-such-table")
        refusal(await ann.http.get("/api/tables/abcdefghjkmn/replay"), 404, "no-such-table")


@asynchronous
async def test_comments_and_variations_change_no_positions(sqlite_database: str) -> None:
    game = random_game(2)
    first, *rest = game.moves
    line = Line((Ply(first, (1,), "good", (Line((Ply(pw.Advance()),)),)), *map(Ply, rest)), "Hello")
    record = Record(
        game.setup, line, termination=Termination.PLAYED_OUT, winner=Record.of(game).winner
    )
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        answer = await upload(ann, record.format())
        check_replay(Replay.model_validate_json(answer.content), game)


BROKEN: list[tuple[str | bytes, str]] = [
    ("", "expected one record"),
    ("nonsense", "line 1, column 1: a record needs the tag Circle"),
    (Record.of(random_game(1)).format() * 2, "expected one record, found 2"),
    (Record.of(random_game(1)).format()[:-8], "the record ends without a result"),
    ('[Circle "1,2,3"]\n*', "line 1, column 1: "),
    (b"\xff\xfe", "a record is text in UTF-8"),
    (b"\0" * 100, "line 1, column 1: a NUL"),
]


@asynchronous
async def test_broken_records_are_refused_with_line_and_reason(sqlite_database: str) -> None:
    setup = pw.Setup.random(3)
    text = Record(setup).format().replace("*\n", "1. A 2. Lc4 *\n")
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for broken, complaint in BROKEN:
            refused = refusal(await upload(ann, broken), 422, "malformed")
            assert complaint in refused["detail"], broken
        refused = refusal(await upload(ann, text), 422, "malformed")
        line = next(number for number, row in enumerate(text.splitlines(), 1) if "Lc4" in row)
        assert refused["detail"].startswith(f"line {line}, column ")
        assert "move 2" in refused["detail"]
        assert refused["reason"] == "not-in-this-phase"
        refusal(await upload(ann, "x" * 70_000), 413, "malformed")
        assert (await ann.http.get("/api/me/games")).json()["games"] == [], "nothing is stored"
        assert "set-cookie" not in (await upload(ann, Record(setup).format())).headers


@asynchronous
async def test_a_long_record_does_not_block_the_server(sqlite_database: str) -> None:
    game = pw.Game(pw.Setup.random(3))
    game.push(pw.Advance())
    head = Record.of(game).format().removesuffix("*\n")
    text = head + "(A)" * ((65_000 - len(head)) // 3) + " *"
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as eve,
    ):
        reading = asyncio.create_task(upload(eve, text))
        answered = 0
        while not reading.done():
            assert (await ann.http.get("/healthz")).is_success
            answered += 1
        assert answered > 3
        refused = refusal(await reading, 422, "malformed")
        assert "moves and variations" in refused["detail"], "it was read to its end"
