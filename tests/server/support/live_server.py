"""A real server in the test's event loop, and clients that play on it over the network."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from itertools import count
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

import httpx
from websockets.asyncio.client import ClientConnection, connect

import patchwork as pw
from patchwork.server.app import create_app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.serving import Server
from patchwork.server.settings import Settings
from support.waiting import PATIENCE

Json = dict[str, Any]

GREEDY = (sys.executable, str(Path(__file__).with_name("greedy_engine.py")))
NO_LIMITS = dict.fromkeys(
    (
        "play_messages",
        "watch_messages",
        "new_games_per_minute",
        "new_games_per_day",
        "requests_per_minute",
        "reads",
        "copies_per_minute",
        "streams",
        "connections_per_address",
        "carries_per_hour",
    ),
    "0",
)


class Guest(Server):
    """A server that leaves signals to the process of the tests."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Leaves signals alone."""
        return nullcontext()


@asynccontextmanager
async def serving(
    database: str, engines: EnginePool | None = None, **settings: str
) -> AsyncIterator[str]:
    """Runs a server and yields its address.

    By default it has no rate limits, and an engine that needs no compiled code.
    """
    chosen = Settings.read({}, database=database, **(NO_LIMITS | settings))
    app = create_app(chosen, engines or EnginePool(1, command=GREEDY))
    async with hosting(app, chosen) as (address, _):
        yield address


@asynccontextmanager
async def hosting(app: Any, settings: Settings) -> AsyncIterator[tuple[str, Server]]:
    """Runs an application and yields its address, unless it cannot start."""
    ready = asyncio.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = Guest(app, settings, ready.set)
        running = asyncio.create_task(server.serve([listening]))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        try:
            if not running.done():
                yield f"http://127.0.0.1:{listening.getsockname()[1]}", server
        finally:
            server.should_exit = True
            await running


class Visitor:
    """A client with cookies of its own, like a browser."""

    def __init__(self, address: str, **headers: str) -> None:
        # Loading certificates takes longer than most tests, and plain HTTP needs none.
        self.http = httpx.AsyncClient(
            base_url=address, headers=headers, timeout=PATIENCE, verify=False
        )
        self._ids = count(1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.http.aclose()

    async def open(self, opponent: str = "friend", **terms: Any) -> Json:
        """Opens a table and returns its state."""
        return _good(await self.http.post("/api/tables", json={"opponent": opponent, **terms}))

    async def join(self, game: str, name: str = "") -> Json:
        """Takes the free seat and returns the state."""
        return _good(await self.http.post(f"/api/tables/{game}/join", json={"name": name}))

    async def look(self, game: str) -> Json:
        """Returns the state of a table."""
        return _good(await self.http.get(f"/api/tables/{game}"))

    async def act(self, game: str, t: str, **data: Any) -> httpx.Response:
        """Sends an action over HTTP, which follows the last event unless ``seq`` says otherwise."""
        if "seq" not in data:
            data["seq"] = (await self.look(game))["status"]["seq"]
        body = {"t": t, "id": f"h{next(self._ids)}", **data}
        return await self.http.post(f"/api/tables/{game}/actions", json=body)

    @asynccontextmanager
    async def live(self, game: str, **headers: str) -> "AsyncIterator[Live]":
        """Opens a socket and reads the state."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = str(self.http.base_url.join(f"/api/tables/{game}/live"))
        async with connect(
            address.replace("http", "ws", 1),
            additional_headers={"Cookie": cookie, **headers},
            max_size=None,
            compression=None,
            open_timeout=PATIENCE,
            ping_interval=None,  # a busy machine may take long to answer
        ) as socket:
            live = Live(socket)
            await live.receive("state")
            yield live


class Live:
    """A socket at a table, and what has been received through it."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.state: Json = {}
        self.received: list[Json] = []
        """All messages received so far."""
        self._ids = count(1)

    @property
    def seq(self) -> int:
        """The last event known."""
        seq: int = self.state["status"]["seq"]
        return seq

    @property
    def position(self) -> pw.Position:
        """The position known."""
        return pw.Position.parse(self.state["position"]["text"])

    @property
    def events(self) -> list[Json]:
        """The messages that reported events; others may come between them."""
        return [message for message in self.received if message["t"] == "event"]

    async def send(self, t: str, **data: Any) -> None:
        """Sends a message."""
        await self.socket.send(json.dumps({"t": t, **data}))

    async def receive(self, *kinds: str) -> Json:
        """Returns the next message of some kinds; others are recorded on the way."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message: Json = json.loads(await self.socket.recv())
                self.received.append(message)
                match message["t"]:
                    case "state":
                        self.state = message
                    case "event":
                        assert message["event"]["seq"] == self.seq + 1, "an event is missing"
                        self.state["status"] = message["status"]
                        if message["position"] is not None:
                            self.state["position"] = message["position"]
                if message["t"] in kinds:
                    return message

    async def act(self, t: str, **data: Any) -> Json:
        """Sends an action and returns the acknowledgement or the refusal."""
        action = data.setdefault("id", f"a{next(self._ids)}")
        await self.send(t, **{"seq": self.seq, **data})
        while True:
            answer = await self.receive("ack", "refused")
            if answer["id"] == action:
                return answer

    async def play(self, move: str) -> None:
        """Plays a move."""
        answer = await self.act("move", move=move)
        assert answer["t"] == "ack", answer


async def play_out(players: dict[int, Live], random: Random) -> None:
    """Plays a game to its end at random, each seat over its own socket."""
    watching = next(iter(players.values()))
    while watching.state["status"]["ending"] is None:
        turn = watching.state["position"]["turn"]
        seq = watching.seq
        live = players[turn]
        while live.seq < seq:
            await live.receive("event")
        await live.play(str(random.choice(live.position.legal_moves())))
        while watching.seq <= seq:
            await watching.receive("event")


def _good(response: httpx.Response) -> Json:
    assert response.is_success, response.text
    body: Json = response.json()
    return body
