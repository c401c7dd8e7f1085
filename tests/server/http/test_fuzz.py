"""Whatever is sent through a socket, only acknowledged actions change the game.

``PATCHWORK_EXAMPLES=2000`` tries more examples, different ones in each run.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from patchwork.server import wire
from patchwork.server.engines.pool import EnginePool
from server.support.friends import answers, eventually, measured, no_errors_logged
from server.support.live_server import Json, Visitor, serving
from support.waiting import PATIENCE

EXAMPLES = int(os.environ.get("PATCHWORK_EXAMPLES", "0"))
FROM_SERVER: TypeAdapter[wire.FromServer] = TypeAdapter(wire.FromServer)
TRIED = settings(
    max_examples=EXAMPLES or 100,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

# Messages

odd_texts = st.sampled_from(
    [
        *("", "\0", "\x1b[2J", "\n", "\x7f", "\x85", "\u2028", "\u202e", "\u200b", "\ufeff", "🧵"),
        *("'; DROP TABLE games; --", "<script>alert(1)</script>", "A" * 17, "x" * 65, "%s{0}", "A"),
        *(
            "17Bc4",
            "Lc4",
            "\uff19\uff21a1",
            "0Aa1",
            "-1Aa1",
            "1e9",
            "99999999999Aa1",
            "A\0",
            "a",
            "33Aa1",
        ),
    ]
) | st.text(max_size=70)
odd_numbers = st.sampled_from(
    [
        *(-1, 0, 1, 2, 3, 2**31 - 1, 2**31, 2**53, 2**63, 2**64, 10**400),
        *(0.5, 2.0, -0.0, 1e308, float("nan"), float("inf"), float("-inf")),
    ]
)
json_values = st.recursive(
    st.none() | st.booleans() | odd_numbers | odd_texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(odd_texts, inner, max_size=4),
    max_leaves=8,
)
tags = st.sampled_from(
    [
        *("move", "begin", "undo", "accept", "decline", "resign", "abort", "claim", "flag"),
        *("rematch", "ping", "sync", "leave", "hint", "state", "event", "ack", "bye"),
    ]
)


@st.composite
def messages(draw: st.DrawFn) -> str:
    """Draws the text of a message: valid, or invalid in one or more places."""
    fields: list[tuple[str, Any]] = [("t", draw(tags))]
    for name, right in (
        ("id", st.sampled_from("abc")),
        ("seq", st.sampled_from([0, 1, 2, 3, 4])),
        ("move", st.sampled_from(["A", "Lc4", "17Bc4", "0Aa1"])),
        ("first", st.sampled_from([0, 1])),
        ("circle", st.sampled_from(["same", "new"])),
    ):
        match draw(st.integers(0, 9)):
            case 0:
                fields.append((name, draw(json_values)))
            case 1:
                fields += [(name, draw(right)), (name, draw(json_values))]
            case 2 | 3 | 4:
                pass
            case _:
                fields.append((name, draw(right)))
    if not draw(st.integers(0, 7)):
        fields.append((draw(odd_texts | st.sampled_from(["state", "position", "seat", "player"])),
                       draw(json_values)))  # fmt: skip
    text = ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields)
    text = f"{{{text}}}"
    return text[: draw(st.integers(0, len(text)))] if not draw(st.integers(0, 9)) else text


@st.composite
def nestings(draw: st.DrawFn) -> str:
    opening, closing = draw(st.sampled_from([("[", "]"), ('{"a":', "}"), ('{"t":', "}")]))
    depth = draw(st.sampled_from([1, 127, 128, 129, 200, 340]))
    return opening * depth + draw(st.sampled_from(["1", "", '"move"'])) + closing * depth


frames: st.SearchStrategy[str | bytes] = st.one_of(
    messages(),
    messages(),
    messages().map(str.encode),
    json_values.map(json.dumps),
    odd_texts,
    st.binary(max_size=200),
    nestings(),
)


# Sending them


async def answered(socket: ClientConnection) -> list[Json]:
    """Returns the messages of a socket until it answers a ping or closes, after validating them."""
    received: list[Json] = []
    async with asyncio.timeout(PATIENCE):
        try:
            await socket.send('{"t": "ping"}')
            while not received or received[-1]["t"] != "pong":
                text = await socket.recv()
                FROM_SERVER.validate_json(text)
                received.append(json.loads(text))
        except ConnectionClosed:
            pass
    return received


@dataclass
class Visitors:
    """The visitors of a server, and a table for the next example."""

    run: Callable[[Coroutine[Any, Any, None]], None]
    people: dict[str, Visitor]
    game: str | None = None
    """A table without moves, left over from the last example."""

    async def fresh_table(self) -> str:
        """Returns a table with two players and no moves."""
        if self.game is None:
            opened = await self.people["ann"].open(seed=3)
            await self.people["bob"].join(opened["table"]["id"])
            self.game = opened["table"]["id"]
        return self.game


@contextmanager
def visiting(database: str) -> Iterator[Visitors]:
    """Runs one server for all examples, with three visitors."""

    async def start() -> AsyncExitStack:
        async with AsyncExitStack() as stack:
            address = await stack.enter_async_context(serving(database, EnginePool(0)))
            for name in ("ann", "bob", "eve"):
                people[name] = await stack.enter_async_context(Visitor(address))
            return stack.pop_all()

    people: dict[str, Visitor] = {}
    with asyncio.Runner() as runner:
        stack = runner.run(start())
        try:
            yield Visitors(runner.run, people)
        finally:
            runner.run(stack.aclose())


@TRIED
@given(st.sampled_from(["ann", "bob", "eve"]), st.lists(frames, min_size=1, max_size=10))
def check_example(visitors: Visitors, who: str, sent: list[str | bytes]) -> None:
    """Sends frames at a fresh table, and checks that only acknowledged actions took effect."""

    async def test() -> None:
        game, bob = await visitors.fresh_table(), visitors.people["bob"]
        visitors.game = None
        before = await bob.look(game)
        async with visitors.people[who].live(game) as live:
            with suppress(ConnectionClosed):
                for frame in sent:
                    await live.socket.send(frame)
            received = await answered(live.socket)
        after = await bob.look(game)
        acknowledged = {message["seq"] for message in received if message["t"] == "ack"}
        events = [message["event"] for message in received if message["t"] == "event"]
        assert not (acknowledged and who == "eve"), "a spectator may not act"
        assert {event["seq"] for event in events} == acknowledged
        assert {event["seat"] for event in events} <= {
            ["ann", "bob"].index(who) if acknowledged else 2
        }
        assert after["status"]["seq"] == 2 + len(acknowledged)
        if not acknowledged:
            assert after == before
            visitors.game = game

    visitors.run(test())


def test_only_acknowledged_actions_take_effect(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    with visiting(sqlite_database) as met:
        check_example(met)
        met.run(wait_for_no_sockets(met.people["ann"]))
    assert no_errors_logged(caplog)


async def wait_for_no_sockets(visitor: Visitor) -> None:
    """Waits until the server has no open sockets."""

    async def no_sockets() -> bool:
        return await measured(visitor, "sockets") == 0

    await eventually(no_sockets)


# Memory


@contextmanager
def process(folder: Path) -> Iterator[tuple[str, int, Path]]:
    """Runs a server in a process of its own; yields its address, its process id and its log."""
    log = folder / "log"
    program = Path(__file__).parents[1] / "support" / "killable_server.py"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, str(program), str(folder / "server.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as parent,
    ):
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(b"live\n")
        parent.stdin.flush()
        port, server = int(parent.stdout.readline()), int(parent.stdout.readline())
        try:
            yield f"http://127.0.0.1:{port}", server, log
        finally:
            os.kill(server, signal.SIGKILL)
            parent.kill()


ROUNDS = 25
TEXTS = [
    *("{}", "nonsense", "[" * 1000, '{"t": "' + "x" * 1900 + '"}', '{"' + "k" * 1000 + '": 1}'),
    *(f'{{"t": "move", "id": "{number}", "seq": 0, "move": "A"}}' for number in range(10)),
    *(f'{{"t": "move", "id": "{number}", "seq": 2, "move": "{number}Aa1"}}' for number in "xyz"),
    '{"t": "sync"}',
]


async def send_bad_messages(met: Visitors, rounds: int) -> None:
    """Sends hundreds of bad messages and requests per round, from players and a spectator."""
    game = await met.fresh_table()
    for number in range(rounds):
        for visitor in met.people.values():
            async with visitor.live(game) as live:
                for text in TEXTS * 5:
                    await live.socket.send(
                        text.replace("id", f"id{number}" if number % 2 else "id")
                    )
                await live.socket.send(b"\xff" * 500)
                await answers(live)
            refused = await visitor.http.post(f"/api/tables/{game}/actions", json={"t": number})
            assert refused.status_code == 422
            assert (await visitor.http.get(f"/api/tables/{number:012}")).status_code == 404


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
def test_memory_does_not_grow(tmp_path: Path) -> None:
    async def memory(met: Visitors) -> float:
        # A collection of all garbage is rare, since the server freezes what it begins with.
        os.kill(server, signal.SIGUSR1)
        text = (await met.people["ann"].http.get("/metrics")).text
        return float(text.partition("\nprocess_resident_memory_bytes ")[2].split()[0])

    async def test(address: str) -> None:
        async with Visitor(address) as ann, Visitor(address) as bob, Visitor(address) as eve:
            met = Visitors(asyncio.run, {"ann": ann, "bob": bob, "eve": eve})
            await send_bad_messages(met, ROUNDS)
            before = await memory(met)
            await send_bad_messages(met, EXAMPLES or ROUNDS)
            assert await memory(met) - before < 1_000_000
            await wait_for_no_sockets(ann)
            assert (await ann.look(met.game or ""))["status"]["seq"] == 2

    with process(tmp_path) as (address, server, log):
        asyncio.run(test(address))
    # A busy machine may stop the server for a while, which it notes.
    assert [line for line in log.read_text().splitlines() if "was stopped" not in line] == []
