"""Two friends at a table, and functions that wait for events there."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from inspect import isawaitable
from time import monotonic
from typing import Any, ParamSpec

import httpx
import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.wire import Refused
from server.support.live_server import Json, Live, Visitor, serving
from support.waiting import PATIENCE

P = ParamSpec("P")


@dataclass(frozen=True)
class Friends:
    """Ann has seat 0 and decides first, Bob has seat 1."""

    address: str
    ann: Visitor
    bob: Visitor
    game: str


@asynccontextmanager
async def friends(
    database: str, terms: Json | None = None, **settings: str
) -> AsyncIterator[Friends]:
    """Runs a server without engines, and seats two friends there."""
    async with (
        serving(database, EnginePool(0), **settings) as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        opened = await ann.open(**{"seed": 3, "name": "Ann", **(terms or {})})
        await bob.join(opened["table"]["id"], "Bob")
        yield Friends(address, ann, bob, opened["table"]["id"])


async def both_moved(met: Friends) -> None:
    """Has both advance, after which the game can be lost, and Ann's clock runs."""
    for visitor in (met.ann, met.bob):
        assert (await visitor.act(met.game, "move", move="A")).is_success


def at(visitor: Visitor, address: str) -> Visitor:
    """Returns the same player at another address, such as that of a restarted server."""
    moved = Visitor(address)
    for cookie in visitor.http.cookies.jar:
        moved.http.cookies.set(cookie.name, cookie.value or "")
    return moved


async def until(live: Live, seq: int) -> Json:
    """Reads until an event has arrived; returns the state."""
    while live.seq < seq:
        await live.receive("event", "state")
    return live.state


async def presence(live: Live, **expected: Any) -> Json:
    """Reads until the presence is as expected; changes at the same time share a message."""
    while True:
        message = await live.receive("presence")
        if all(message[name] == value for name, value in expected.items()):
            return message


async def eventually(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Returns as soon as a condition holds; ``support.waiting`` has the same for other code."""
    end = monotonic() + PATIENCE
    while not (await holds if isawaitable(holds := condition()) else holds):
        assert monotonic() < end, "the condition never holds"
        await asyncio.sleep(0.005)


async def measured(visitor: Visitor, name: str) -> float:
    """Returns the value of one of the server's metrics."""
    text = (await visitor.http.get("/metrics")).text
    lines = [line for line in text.splitlines() if line.startswith(f"patchwork_{name} ")]
    return float(lines[0].split()[1])


def refusal(response: httpx.Response, status: int, code: str) -> Json:
    """Returns the refusal in a response, after checking its form."""
    assert (response.status_code, response.json()["code"]) == (status, code), response.text
    Refused.model_validate_json(response.content)
    body: Json = response.json()
    return body


@asynccontextmanager
async def table_unchanged(met: Friends) -> AsyncIterator[None]:
    """Checks that a table does not change within the block."""
    before = await met.ann.look(met.game)
    yield
    assert await met.ann.look(met.game) == before


def live_url(address: str, game: str) -> str:
    """Returns the address of a table's socket."""
    return f"{address}/api/tables/{game}/live".replace("http", "ws", 1)


def no_errors_logged(caplog: pytest.LogCaptureFixture) -> bool:
    """Returns whether the server logged no errors, except about bytes that are not text."""
    return not [
        record
        for record in caplog.records
        if record.levelno >= logging.ERROR and "Invalid UTF-8" not in record.getMessage()
    ]


async def answers(live: Live) -> None:
    """Waits for the answer to a ping, and so for all messages before it."""
    await live.send("ping")
    await live.receive("pong")
