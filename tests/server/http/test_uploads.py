"""Records that users open: kept under an address, with comments, annotations and variations."""

import asyncio
import logging
from dataclasses import replace

import httpx
import pytest

import patchwork as pw
from patchwork.notation.record import DEEPEST, Line, Ply, Record
from patchwork.server import services
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.terms import DAY
from patchwork.server.http.api.uploads import LONGEST
from patchwork.server.players import retention
from patchwork.server.presenter import replay
from patchwork.server.wire import Branch, KeptRecord, Note, Reached, Replay
from server.support.fake_time import Time, asynchronous
from server.support.friends import eventually, refusal
from server.support.live_server import Visitor, serving

SETUP = pw.Setup.random(1)
STUDY = Record(
    SETUP,
    Line(
        (
            Ply(
                pw.parse_move(SETUP.start(), "3Aa1"),
                (1,),
                "Cheap.",
                (
                    Line((Ply(pw.Advance(), (2, 14), "<b>Slow</b>"), Ply(pw.Advance())), "Or:"),
                    Line(),
                ),
            ),
            Ply(pw.Advance()),
        ),
        "Seed 1.",
    ),
    ("Ann", "Bob"),
)
LONGEST_REPLAY = 512 * 1024
"""The size limit in bytes, as documented in the protocol."""


async def post(visitor: Visitor, text: str | bytes, path: str = "/api/records") -> httpx.Response:
    headers = {"Content-Type": "text/plain"}
    return await visitor.http.post(path, content=text, headers=headers)


async def keep(visitor: Visitor, text: str) -> str:
    """Has a record kept and returns its id."""
    return KeptRecord.model_validate_json((await post(visitor, text)).content).record


def many_variations(count: int) -> str:
    """Returns a record with so many variations of one move."""
    head = Record.of(pw.Game(SETUP)).format().removesuffix("*\n")
    head = "\n".join(row for row in head.splitlines() if "Scores" not in row)
    return f"{head}\n\n1. A{'(A)' * count} *"


def test_a_replay_has_comments_annotations_and_variations() -> None:
    found = replay(STUDY)
    assert found.comment == "Seed 1."
    assert found.moves == [(0, "3Aa1"), (1, "A")]
    slow = Note(move=1, annotations=[2, 14], comment="<b>Slow</b>", variations=[])
    or_else = Branch(comment="Or:", moves=[(0, "A"), (1, "A")], notes=[slow])
    empty = Branch(comment="", moves=[], notes=[])
    note = Note(move=1, annotations=[1], comment="Cheap.", variations=[or_else, empty])
    assert found.notes == [note]


@asynchronous
async def test_a_record_has_an_address_for_everyone(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        record = await keep(ann, STUDY.format())
        # The same record, written differently, has the same address.
        assert (
            await keep(ann, STUDY.format().replace("\n\n", "\n \n").replace(" $1 ", " ! "))
            == record
        )
        other = replace(STUDY, players=("Ann", "Cyd"))
        assert await keep(ann, other.format()) != record
        assert "set-cookie" not in (await post(ann, STUDY.format())).headers
    async with serving(database, EnginePool(0)) as address, Visitor(address) as bob:
        path = f"/api/records/{record}"
        answer = await bob.http.get(f"{path}/replay")
        assert Replay.model_validate_json(answer.content) == replay(STUDY)
        again = {"If-None-Match": answer.headers["etag"]}
        assert (await bob.http.get(f"{path}/replay", headers=again)).status_code == 304
        text = await bob.http.get(path)
        assert text.text == STUDY.format()
        assert text.headers["content-disposition"] == f'attachment; filename="{record}.patchwork"'
        assert text.headers["x-content-type-options"] == "nosniff"
        refusal(await bob.http.get("/api/records/nothing"), 404, "not-found")
        refusal(await bob.http.get("/api/records/nothing/replay"), 404, "not-found")


@asynchronous
async def test_the_same_record_opened_at_once_is_kept_once(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        answers = await asyncio.gather(*(post(ann, STUDY.format()) for _ in range(8)))
        assert len({answer.json()["record"] for answer in answers}) == 1


@asynchronous
async def test_invalid_records_are_refused_and_not_kept(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        for broken, complaint in {
            "": "expected one record",
            STUDY.format()[:-3]: "the record ends without a result",
            STUDY.format().replace("Cheap.", "Che\0ap."): "a record cannot contain NUL",
            "(" * 60_000: "line 1, column 1",
            many_variations(1).replace("(A)", "(A" * 40 + ")" * 40): "nested more than 32 deep",
        }.items():
            for path in ("/api/records", "/api/replays"):
                refused = refusal(await post(ann, broken, path), 422, "malformed")
                assert complaint in refused["detail"]
        refusal(await post(ann, b"\xff\xfe"), 422, "malformed")
        refusal(await post(ann, "x" * 70_000), 413, "malformed")


@asynchronous
async def test_thousands_of_variations_are_bounded(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        most = LONGEST // 2 - 1  # a variation counts, and so does its move
        record = await keep(ann, many_variations(most))
        answer = await ann.http.get(f"/api/records/{record}/replay")
        assert len(answer.content) <= LONGEST_REPLAY
        (note,) = Replay.model_validate_json(answer.content).notes
        assert len(note.variations) == most
        refused = refusal(await post(ann, many_variations(most + 1)), 422, "malformed")
        assert "5,001 moves and variations; 5,000 can be shown" in refused["detail"]


def test_the_deepest_and_most_talkative_records_fit() -> None:
    line = Line((Ply(pw.Advance()),))
    for _ in range(DEEPEST):
        line = Line((Ply(pw.Advance(), (), "", (line,)),))
    deep = Record(SETUP, line)
    assert Record.parse(deep.format()) == deep
    assert len(replay(deep).model_dump_json()) <= LONGEST_REPLAY
    chatty = Record(SETUP, Line((Ply(pw.Advance(), (), '"\n' * 30_000),)))
    assert len(replay(chatty).model_dump_json()) <= LONGEST_REPLAY


@asynchronous
async def test_new_records_are_limited_and_repeated_ones_are_not(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    monkeypatch.setattr(services, "_RECORDS_PER_DAY", 2)
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        texts = [replace(STUDY, players=("Ann", name)).format() for name in "abc"]
        for text in [*texts[:2], *texts[:2]]:
            assert (await post(ann, text)).is_success
        refused = await post(ann, texts[2])
        refusal(refused, 429, "too-many")
        assert int(refused.headers["retry-after"]) > 0
        assert (await post(ann, texts[0])).is_success


@asynchronous
async def test_records_are_kept_for_some_time_after_they_were_last_opened(
    database: str,
    shell: None,
    monkeypatch: pytest.MonkeyPatch,
    time: Time,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(retention, "_ROUND_SECONDS", 0.05)
    caplog.set_level(logging.INFO, retention.__name__)
    async with (
        serving(database, EnginePool(0), keep_finished_days="10") as address,
        Visitor(address) as ann,
    ):
        read = await keep(ann, STUDY.format())
        unread = await keep(ann, replace(STUDY, players=("Ann", "Cyd")).format())
        time.passed += 9 * DAY / 1000
        assert (await ann.http.get(f"/api/records/{read}")).is_success
        # A messenger asks for the page only, to say what the link is about.
        assert (await ann.http.get(f"/replay/record/{unread}")).is_success
        time.passed += 2 * DAY / 1000
        await eventually(lambda: "old records have been deleted" in caplog.messages)
        refusal(await ann.http.get(f"/api/records/{unread}"), 404, "not-found")
        assert (await ann.http.get(f"/api/records/{read}")).is_success


@asynchronous
async def test_the_positions_of_a_variation_are_sent_when_asked_for(sqlite_database: str) -> None:
    line = {"circle": SETUP.circle, "moves": ["3Aa1", "A", "A"]}
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:

        async def reached(**since: object) -> Reached:
            answer = await ann.http.post("/api/positions", json={**line, **since})
            return Reached.model_validate_json(answer.content)

        assert (await reached()).positions == []
        game = pw.Game(SETUP)
        for text in line["moves"]:
            game.push(pw.parse_move(game.position, str(text)))
        wanted = [str(position) for position in game.positions()]
        found = (await reached(since=0)).positions
        assert [position.text for position in found] == wanted
        assert all(position.advance is None and not position.offers for position in found)
        assert [each.text for each in (await reached(since=2)).positions] == wanted[2:]
        assert (await reached(since=120)).positions == []
        for wrong in (-1, 121, "all"):
            answer = await ann.http.post("/api/positions", json={**line, "since": wrong})
            refusal(answer, 422, "malformed")
