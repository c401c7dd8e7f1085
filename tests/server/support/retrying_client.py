"""A client that reconnects after every fault and repeats whatever was not answered.

It does what docs/protocol.md asks of clients, and records everything it receives, so that this can
be compared with the store afterwards. It knows no rules: it plays what the messages allow. It also
causes faults: it cuts its socket before or after sending, and sends actions twice.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

Json = dict[str, Any]
Choose = Callable[["RetryingClient"], Json | None]

RACES = frozenset({"stale", "unavailable", "already-asked", "not-asked"})
"""Refusals that correct clients receive when actions cross, or when the database is away."""
_SILENCE = 2.0
"""Seconds without a message after which the client sends a ping, and then gives up."""
_BACKOFF = (0.05, 0.5)
"""Seconds until it reconnects, at first and at most."""
_AGAIN = 0.3
"""Seconds until it repeats an action that the server could not store."""


class RetryingClient:
    """One player at one table."""

    def __init__(
        self,
        address: str,
        game: str,
        token: str,
        choose: Choose,
        random: Random,
        *,
        cuts: float = 0.0,
        acknowledged: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepares a client.

        Args:
            address: of the server, ``http://...``.
            game: the id of the table.
            token: who the client is.
            choose: returns an action without id and number, or None to wait.
            random: decides about faults.
            cuts: how probable each kind of fault is at each send.
            acknowledged: is called whenever an action is acknowledged for the first time.
        """
        self.state: Json = {}
        self.moves: list[tuple[int, str]] = []
        self.log: dict[int, Json] = {}
        """The events received, by number."""
        self.known: dict[int, float] = {}
        """When the client first knew of each event."""
        self.pending: Json | None = None
        """The action that has not been answered."""
        self.acknowledged: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        """Refused actions, and why."""
        self.wrong: list[str] = []
        """What the server did wrong."""
        self.seen: Counter[str] = Counter()
        self.slowest = 0.0
        """The most seconds that it took to agree with the server after a fault."""
        self.over = False
        self._url = f"{address.replace('http', 'ws', 1)}/api/tables/{game}/live"
        self._token = token
        self._choose = choose
        self._random = random
        self._on_acknowledged = acknowledged
        self._cuts = cuts
        self._socket: ClientConnection | None = None
        self._sent: dict[str, Json] = {}
        self._fault: float | None = None
        self._delay = _BACKOFF[0]

    @property
    def seq(self) -> int:
        """The last event known."""
        seq: int = self.state["status"]["seq"] if self.state else 0
        return seq

    @property
    def seat(self) -> int:
        """Where the client sits."""
        seat: int = self.state["you"][0]
        return seat

    async def run(self) -> None:
        """Plays until the game is over, everything is answered and the last state has arrived."""
        while not self.over:
            try:
                async with asyncio.timeout(10):
                    socket = await connect(
                        self._url,
                        additional_headers={"Authorization": f"Bearer {self._token}"},
                        compression=None,
                        max_size=None,
                        ping_interval=None,
                    )
                try:
                    self._socket = socket
                    await self._serve(socket)
                finally:
                    self._socket = None
                    await socket.close()
            except (OSError, WebSocketException) as error:
                self.seen[f"lost: {type(error).__name__}"] += 1
            if not self.over:
                self.note_fault()
                await asyncio.sleep(self._delay * self._random.uniform(0.5, 1.0))
                self._delay = min(2 * self._delay, _BACKOFF[1])

    def cut(self) -> None:
        """Cuts the connection without closing it properly."""
        if self._socket is not None:
            self.seen["cut"] += 1
            self.note_fault()
            self._socket.transport.abort()

    def note_fault(self, *, anew: bool = False) -> None:
        """Starts to measure how long it takes to agree with the server again.

        A server that is killed again in the meantime is a fault ``anew``.
        """
        if (anew or self._fault is None) and not self.over:
            self._fault = monotonic()

    async def _serve(self, socket: ClientConnection) -> None:
        asked = False
        while not self.over:
            try:
                async with asyncio.timeout(_SILENCE):
                    text = await socket.recv()
            except TimeoutError:
                if asked:
                    self.seen["silence"] += 1
                    return
                asked = True
                await socket.send('{"t":"ping"}')
                continue
            asked = False
            await self._handle(socket, json.loads(text))

    async def _handle(self, socket: ClientConnection, message: Json) -> None:
        match message["t"]:
            case "state":
                await self._adopt(socket, message)
            case "event":
                await self._follow(socket, message)
            case "ack":
                self._note_ack(message)
                await self._act(socket)
            case "refused":
                await self._note_refusal(socket, message)
            case "pong" if message["seq"] != self.seq:
                self.seen["gap by pong"] += 1
                await socket.send('{"t":"sync"}')
            case "bye":
                self.seen["bye"] += 1

    async def _adopt(self, socket: ClientConnection, state: Json) -> None:
        if state["status"]["seq"] < self.seq:
            self.wrong.append(f"the state goes back from {self.seq} to {state['status']['seq']}")
        self._delay = _BACKOFF[0]
        self.state = state
        self.moves = [(seat, move) for seat, move in state["moves"]]
        self._note_time()
        if self.pending is not None:
            self.seen["sent again"] += 1
            await self._send(socket, self.pending)
        else:
            self._note_agreement()
            self.over = state["status"]["ending"] is not None
            await self._act(socket)

    async def _follow(self, socket: ClientConnection, message: Json) -> None:
        event, known = message["event"], self.seq
        if event["seq"] != known + 1:
            self.seen["gap"] += 1
            await socket.send('{"t":"sync"}')
            return
        self.log[event["seq"]] = event
        self.state["status"] = message["status"]
        if message["position"] is not None:
            self.state["position"] = message["position"]
        match event["kind"]:
            case "move":
                self.moves.append((event["seat"], event["data"]))
            case "takeback":
                del self.moves[int(event["data"]) :]
        self._note_time()
        await self._act(socket)

    def _note_ack(self, ack: Json) -> None:
        action, seq = ack["id"], ack["seq"]
        if action not in self.acknowledged:
            self._on_acknowledged()
        if self.acknowledged.setdefault(action, seq) != seq:
            self.wrong.append(f"{action} was event {self.acknowledged[action]}, now it is {seq}")
        if action in self.refused:
            self.wrong.append(f"{action} was refused, now it is event {seq}")
        if self.pending is not None and self.pending["id"] == action:
            if seq not in self.log:
                self.seen["found stored"] += 1
            self.pending = None
            self._note_agreement()
        if seq > self.seq:
            self.wrong.append(
                f"event {seq} is acknowledged, but {self.seq} was the last one received"
            )

    async def _note_refusal(self, socket: ClientConnection, refusal: Json) -> None:
        action, code = refusal["id"], refusal["code"]
        self.seen[f"refused: {code}"] += 1
        if code not in RACES:
            self.wrong.append(f"{self._sent.get(action)} is refused: {refusal}")
        if action in self.acknowledged:
            self.wrong.append(f"{action} was event {self.acknowledged[action]}, now: {refusal}")
        if self.pending is None or self.pending["id"] != action:
            return
        if code == "unavailable":
            await asyncio.sleep(_AGAIN)
            await self._send(socket, self.pending)
            return
        self.refused[action] = code
        self.pending = None
        if refusal["state"] is not None:
            await self._adopt(socket, refusal["state"])
        else:
            self._note_agreement()
            await socket.send('{"t":"sync"}')

    def _note_time(self) -> None:
        now = monotonic()
        for seq in range(self.seq, 0, -1):
            if seq in self.known:
                break
            self.known[seq] = now

    def _note_agreement(self) -> None:
        if self._fault is not None:
            self.slowest = max(self.slowest, monotonic() - self._fault)
            self._fault = None

    async def _act(self, socket: ClientConnection) -> None:
        if self.pending is not None:
            return
        if self.state["status"]["ending"] is not None:
            if not self.over:
                await socket.send('{"t":"sync"}')
            return
        action = self._choose(self)
        if action is not None:
            self.pending = {"id": f"{self.seat}.{len(self._sent)}", "seq": self.seq, **action}
            self._sent[self.pending["id"]] = self.pending
            await self._send(socket, self.pending)

    async def _send(self, socket: ClientConnection, action: Json) -> None:
        fault = self._random.random() / self._cuts if self._cuts else 4.0
        if fault < 1:
            self.cut()
            return
        await socket.send(json.dumps(action))
        if fault < 2:
            self.cut()
        elif fault < 3:
            self.seen["sent twice"] += 1
            await socket.send(json.dumps(action))
        elif fault < 4 and self.acknowledged:
            self.seen["an old one sent again"] += 1
            old = self._random.choice(list(self.acknowledged))
            await socket.send(json.dumps(self._sent[old]))


def allowed_move(position: Json, random: Random) -> str:
    """Returns one of the moves that a position message allows; patches rather than advancing."""
    if position["leather_choice"] is not None:
        return f"L{_space(position['leather_choice']['places'], random)}"
    offers = [offer for offer in position["offers"] if offer["refused"] is None]
    if not offers or random.random() < 0.2:
        return "A"
    offer = random.choice(offers)
    way = random.choice(offer["orientations"])
    return f"{offer['patch']}{way['letter']}{_space(way['places'], random)}"


def _space(places: str, random: Random) -> str:
    space = random.choice([number for number, mark in enumerate(places) if mark == "1"])
    return f"{'abcdefghi'[space % 9]}{space // 9 + 1}"
