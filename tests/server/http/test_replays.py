"""Games to look through: those of tables, and those that somebody brings."""

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
"""Bytes, as promised in the protocol."""


async def sent(visitor: Visitor, text: str | bytes) -> httpx.Response:
    headers = {"Content-Type": "text/plain"}
    return await visitor.http.post("/api/replays", content=text, headers=headers)


def played(seed: int, *, finished: bool = True, thrifty: bool = False) -> pw.Game:
    """A game at random; a thrifty player buys nothing that costs anything."""
    random, game = Random(seed), pw.Game(pw.Setup.random(seed, first=seed % 2))
    while game.position.outcome is None and (finished or len(game.moves) < 20):
        moves: list[Any] = game.position.legal_moves()
        if thrifty:
            moves = [move for move in moves if not isinstance(move, Buy)]
        game.push(random.choice(moves))
    return game


def follows(told: Replay, game: pw.Game) -> None:
    """Checks that a replay tells a game, position by position."""
    positions = game.positions()
    assert [position.text for position in told.positions] == [str(each) for each in positions]
    assert [move for _, move in told.moves] == [str(move) for move in game.moves]
    assert [seat for seat, _ in told.moves] == [each.turn for each in positions[:-1]]
    assert (told.circle, told.first) == (list(game.setup.circle), game.setup.first)
    for position in told.positions:
        assert (position.advance, position.offers, position.leather_choice) == (None, [], None)
    for seat in (0, 1):
        assert len(told.positions[-1].players[seat].layout) == len(game.layout(seat))


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_replay_tells_every_position(seed: int, finished: bool) -> None:
    game = played(seed, finished=finished)
    told = replay(Record.of(game, ("Ann", "Bob")))
    follows(told, game)
    assert told.names == ("Ann", "Bob")
    if finished:
        outcome = game.position.outcome
        assert outcome is not None
        assert told.ending is not None
        assert (told.ending.winner, told.ending.scores) == (outcome.winner, outcome.scores)
        assert told.ending.tie_break == outcome.tie_break
        assert told.ending.reason == "played out"
    else:
        assert told.ending is None


def test_a_replay_without_moves_is_the_beginning() -> None:
    setup = pw.Setup.random(1, edition=pw.REVISED)
    told = replay(Record(setup, termination=Termination.RESIGNED, winner=1))
    assert (told.edition, told.moves, len(told.positions)) == ("revised", [], 1)
    assert told.ending is not None
    assert (told.ending.reason, told.ending.winner) == ("resigned", 1)


@pytest.mark.parametrize("thrifty", [True, False])
def test_replays_are_short_enough(thrifty: bool) -> None:
    for seed in range(20):
        told = replay(Record.of(played(seed, thrifty=thrifty), ("🧵" * 40, "🧵" * 40)))
        assert len(told.model_dump_json().encode()) <= LONGEST


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
        follows(Replay.model_validate_json(answer.content), Record.parse(text).game)
        assert (await sent(stranger, text)).json() == answer.json()
        assert answer.json()["ending"] == ann.state["status"]["ending"]
        assert len(answer.content) <= LONGEST


@asynchronous
async def test_a_game_that_has_not_begun_can_be_looked_at(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        waiting = (await ann.open(first="needle"))["table"]["id"]
        told = (await ann.http.get(f"/api/tables/{waiting}/replay")).json()
        assert (told["moves"], len(told["positions"]), told["ending"]) == ([], 1, None)
        computer = (await ann.open("computer", level=2, name="Ann"))["table"]["id"]
        told = (await ann.http.get(f"/api/tables/{computer}/replay")).json()
        assert told["names"] == ["Ann", "level:2"]
        refusal(await ann.http.get("/api/tables/nothing/replay"), 404, "no-such-table")
        refusal(await ann.http.get("/api/tables/abcdefghjkmn/replay"), 404, "no-such-table")


@asynchronous
async def test_comments_and_variations_are_passed_over(sqlite_database: str) -> None:
    game = played(2)
    first, *rest = game.moves
    line = Line((Ply(first, (1,), "good", (Line((Ply(pw.Advance()),)),)), *map(Ply, rest)), "Hello")
    record = Record(
        game.setup, line, termination=Termination.PLAYED_OUT, winner=Record.of(game).winner
    )
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        answer = await sent(ann, record.format())
        follows(Replay.model_validate_json(answer.content), game)


BROKEN: list[tuple[str | bytes, str]] = [
    ("", "expected one record"),
    ("nonsense", "line 1, column 1: a record needs the tag Circle"),
    (Record.of(played(1)).format() * 2, "expected one record, found 2"),
    (Record.of(played(1)).format()[:-8], "the record ends without a result"),
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
            refused = refusal(await sent(ann, broken), 422, "malformed")
            assert complaint in refused["detail"], broken
        refused = refusal(await sent(ann, text), 422, "malformed")
        line = next(number for number, row in enumerate(text.splitlines(), 1) if "Lc4" in row)
        assert refused["detail"].startswith(f"line {line}, column ")
        assert "move 2" in refused["detail"]
        assert refused["reason"] == "not-in-this-phase"
        refusal(await sent(ann, "x" * 70_000), 413, "malformed")
        assert (await ann.http.get("/api/me/games")).json()["games"] == [], "nothing is kept"
        assert "set-cookie" not in (await sent(ann, Record(setup).format())).headers


@asynchronous
async def test_a_long_record_does_not_hold_up_others(sqlite_database: str) -> None:
    game = pw.Game(pw.Setup.random(3))
    game.push(pw.Advance())
    head = Record.of(game).format().removesuffix("*\n")
    text = head + "(A)" * ((65_000 - len(head)) // 3) + " *"
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as eve,
    ):
        reading = asyncio.create_task(sent(eve, text))
        answered = 0
        while not reading.done():
            assert (await ann.http.get("/healthz")).is_success
            answered += 1
        assert answered > 3
        assert (await reading).is_success
