"""Plays many games on a server that is repeatedly killed, and checks that nothing is lost.

    python tests/server/soak.py [--games N] [--database URL] [--tables N] [--seed N]

Two clients play each game, with undos and resignations. Sockets are cut at random, before and after
messages, actions are sent twice, and the server is killed (SIGKILL) and restarted. Faults come
after numbers of acknowledged actions, so that the speed of the machine does not matter. What was
acknowledged may not be missing from the store or appear twice, and the store and both clients must
agree within ten seconds of every fault. On SQLite, backups are made at the same time, restored to
another file and replayed. The exit status is 1 if anything is wrong.
"""

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from patchwork.cli.progress import StatusLine
from patchwork.server import presenter
from patchwork.server.game.match import Match
from patchwork.server.store import Store, StoredGame
from patchwork.server.store.backup import backup, restore
from server.support.live_server import NO_LIMITS
from server.support.retrying_client import Json, RetryingClient, allowed_move

LATEST = 10.0
"""Seconds after a fault within which both clients agree with the server."""
UNDOS = 0.02
RESIGNATIONS = 0.04
CUTS = 0.01
"""Probabilities: of an undo per decision, a resignation per game, each kind of fault per send."""
_CUTS_APART = (1, 60)
"""The fewest and most acknowledged actions between two cuts from outside."""
_START = 30.0
"""Seconds within which a started server has to answer."""
_GAME = 60.0
"""Seconds after which a game counts as stuck; a normal one lasts two or three."""


class ServerProcess:
    """A server process, which keeps its port when it is restarted."""

    def __init__(self, database: str, log: Path, **settings: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        chosen = {
            **NO_LIMITS,
            "database": database,
            "port": str(self.port),
            "log_level": "warning",
            **settings,
        }
        variables = {f"PATCHWORK_{name.upper()}": value for name, value in chosen.items()}
        self._environment = {**os.environ, **variables}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Starts the server, and waits until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                (sys.executable, "-m", "patchwork", "serve", "--no-browser"),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        latest = monotonic() + _START
        while not await self._answers():
            if self._process.poll() is not None or monotonic() > latest:
                raise RuntimeError(f"no server:\n{self._log.read_text()}")
            await asyncio.sleep(0.02)

    async def _answers(self) -> bool:
        """Returns whether the server is ready; it accepts connections before that."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"GET /healthz HTTP/1.0\r\n\r\n")
            async with asyncio.timeout(_START):
                answer = await reader.read()
        except OSError:
            return False
        writer.close()
        return answer.startswith(b"HTTP/1.1 200")

    def kill(self) -> None:
        """Kills the server."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Shuts the server down properly."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_START)
            self._process = None


class Progress:
    """A counter that tasks can wait for."""

    def __init__(self) -> None:
        self._number = 0
        self._grown = asyncio.Event()

    def grow(self) -> None:
        """Adds one to the counter."""
        self._number += 1
        self._grown.set()

    async def wait_for_more(self, number: int) -> None:
        """Returns when the counter has grown by ``number``."""
        await self.wait_until(self._number + number)

    async def wait_until(self, goal: int) -> None:
        """Returns when the counter has reached ``goal``."""
        while self._number < goal:
            self._grown.clear()
            await self._grown.wait()


@dataclass
class Played:
    """A game and its two clients."""

    id: str
    clients: tuple[RetryingClient, RetryingClient]

    @property
    def longest_difference(self) -> float:
        """The most seconds by which one client received an event before the other."""
        one, other = (client.known for client in self.clients)
        return max((abs(at - other[seq]) for seq, at in one.items() if seq in other), default=0.0)


@dataclass
class Findings:
    """The results of a soak."""

    games: int = 0
    acknowledged: int = 0
    events: int = 0
    kills: int = 0
    backups: int = 0
    lost: int = 0
    doubled: int = 0
    disagreements: int = 0
    slowest: float = 0.0
    """Seconds from a fault until a client agreed with the server again."""
    longest_difference: float = 0.0
    seconds: float = 0.0
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing went wrong."""
        late = max(self.slowest, self.longest_difference) > LATEST
        return not (self.lost or self.doubled or self.disagreements or self.wrong or late)

    def __str__(self) -> str:
        lines = [
            f"{self.games} games, {self.events} events in {self.seconds:.0f} s",
            f"{self.acknowledged} actions acknowledged: {self.lost} lost, {self.doubled} doubled",
            f"{self.disagreements} disagreements between store and clients",
            f"{self.kills} times the server was killed, {self.seen['cut']} sockets were cut",
            f"{self.slowest:.2f} s until a client agreed with the server again, at most",
            f"{self.longest_difference:.2f} s between the clients of a game, at most",
            f"{self.backups} backups put back and replayed",
            *(f"  {number:>6} {what}" for what, number in sorted(self.seen.items())),
            *(f"WRONG: {what}" for what in self.wrong[:20]),
        ]
        return "\n".join(lines)


class Soak:
    """Plays games, causes faults, and collects the findings."""

    def __init__(
        self,
        database: str,
        folder: Path,
        *,
        games: int,
        tables: int = 20,
        seed: int = 0,
        kills: tuple[int, int] = (100, 500),
        progress: StatusLine | None = None,
    ) -> None:
        """Prepares a soak.

        Args:
            database: a URL or a path.
            folder: for everything else.
            games: how many.
            tables: how many at a time.
            seed: of everything that is random.
            kills: acknowledged actions from one kill to the next, at least and at most.
            progress: where to show how far it is.
        """
        self.findings = Findings()
        self.server = ServerProcess(database, folder / "server.log")
        self._database = database
        self._folder = folder
        self._games = games
        self._tables = tables
        self._seed = seed
        self._kills = kills
        self._progress = progress
        self._random = Random(seed)
        self._clients: set[RetryingClient] = set()
        self._played: list[Played] = []
        self._acknowledged = Progress()
        self._finished = Progress()
        self._numbers = iter(range(games))

    async def run(self) -> Findings:
        """Plays all games, and returns the findings."""
        began = monotonic()
        await self.server.start()
        store = await Store.open(self._database)
        try:
            async with asyncio.TaskGroup() as group:
                faults = [
                    group.create_task(fault())
                    for fault in (self._kill_repeatedly, self._cut_repeatedly)
                ]
                playing = [group.create_task(self._play_on(store)) for _ in range(self._tables)]
                if store_is_file(self._database):
                    playing.append(group.create_task(self._back_up()))
                await asyncio.wait(playing)
                for fault in faults:
                    fault.cancel()
            for played in self._played:
                self._compare(played, await store.load(played.id))
            await self._replay_backups(store)
        finally:
            await store.close()
            self.server.stop()
        self._read_log()
        self.findings.seconds = monotonic() - began
        return self.findings

    # Games

    async def _play_on(self, store: Store) -> None:
        async with httpx.AsyncClient(base_url=self.server.address, timeout=5) as http:
            for number in self._numbers:
                played = await self._play(http, number)
                found = await store.load(played.id)
                if found is None or len(found.events) != played.clients[0].seq:
                    self.findings.wrong.append(f"{played.id} is not stored when it is over")
                self._note(played)

    async def _play(self, http: httpx.AsyncClient, number: int) -> Played:
        random = Random(self._seed * 1_000_003 + number)
        tokens = [(await self._post(http, "/api/tokens"))["token"] for _ in range(2)]
        table = {"opponent": "friend", "seed": number, "edition": "classic", "first": "random"}
        game = (await self._post(http, "/api/tables", tokens[0], table))["table"]["id"]
        await self._post(http, f"/api/tables/{game}/join", tokens[1], {"name": f"B{number}"})
        resigns = random.randrange(1, 50) if random.random() < RESIGNATIONS else None

        def choose(client: RetryingClient) -> Json | None:
            return _choice(client, random, resigns)

        one, other = (
            RetryingClient(
                self.server.address,
                game,
                token,
                choose,
                Random(random.random()),
                cuts=CUTS,
                acknowledged=self._acknowledged.grow,
            )
            for token in tokens
        )
        self._clients |= {one, other}
        try:
            async with asyncio.timeout(_GAME):
                await asyncio.gather(one.run(), other.run())
        except TimeoutError:
            known = [(client.seq, client.pending, client.over) for client in (one, other)]
            self.findings.wrong.append(f"{game} is stuck: {known}")
        self._clients -= {one, other}
        return Played(game, (one, other))

    async def _post(
        self, http: httpx.AsyncClient, path: str, token: str = "", body: Json | None = None
    ) -> Json:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        for delay in count(1):
            try:
                response = await http.post(path, json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(min(1.0, 0.05 * delay))
                continue
            response.raise_for_status()
            found: Json = response.json()
            return found
        raise AssertionError

    # Faults

    async def _kill_repeatedly(self) -> None:
        while True:
            await self._acknowledged.wait_for_more(self._random.randint(*self._kills))
            self.server.kill()
            self.findings.kills += 1
            for client in self._clients:
                client.note_fault(anew=True)
            await self.server.start()

    async def _cut_repeatedly(self) -> None:
        while True:
            await self._acknowledged.wait_for_more(self._random.randint(*_CUTS_APART))
            clients = sorted(self._clients, key=id)
            if clients:
                self._random.choice(clients).cut()

    async def _back_up(self) -> None:
        """Makes three backups, spread over the soak."""
        for part in range(1, 4):
            await self._finished.wait_until(self._games * part // 4)
            await asyncio.to_thread(backup, self._database, self._folder / f"backup{part}.db")

    # Findings

    def _note(self, played: Played) -> None:
        self._played.append(played)
        self._finished.grow()
        findings = self.findings
        findings.games += 1
        findings.longest_difference = max(findings.longest_difference, played.longest_difference)
        for client in played.clients:
            findings.acknowledged += len(client.acknowledged)
            findings.slowest = max(findings.slowest, client.slowest)
            findings.seen += client.seen
            findings.wrong += [f"{played.id}: {what}" for what in client.wrong]
        if self._progress:
            self._progress.write(
                lambda: (
                    f"{findings.games} games, {findings.kills} kills, {findings.seen['cut']} cuts,"
                    f" {len(findings.wrong)} wrong, slowest {findings.slowest:.1f} s"
                )
            )

    def _compare(self, played: Played, stored: StoredGame | None) -> None:
        """Compares a game in the store with what its clients know."""
        findings = self.findings
        if stored is None:
            findings.wrong.append(f"{played.id} is not in the store")
            findings.lost += sum(len(client.acknowledged) for client in played.clients)
            return
        events = stored.events
        findings.events += len(events)
        actions = Counter((event.player, event.action) for event in events if event.action)
        findings.doubled += sum(number - 1 for number in actions.values())
        players = {event.seat: event.player for event in events if event.kind == "join"}
        match = Match(stored.terms, events)
        for client in played.clients:
            player = players[client.seat]
            for action, seq in client.acknowledged.items():
                if seq > len(events) or (events[seq - 1].player, events[seq - 1].action) != (
                    player,
                    action,
                ):
                    findings.lost += 1
            for action, code in client.refused.items():
                if (player, action) in actions:
                    findings.wrong.append(f"{played.id}: {action} is stored but refused ({code})")
            findings.disagreements += _differences(client, match, stored)

    async def _replay_backups(self, store: Store) -> None:
        for copy in sorted(self._folder.glob("backup*.db")):
            place = self._folder / f"restored-{copy.name}"
            restore(copy, str(place))
            again = await Store.open(str(place))
            try:
                async for game in again.games():
                    Match(game.terms, game.events)
                    later = await store.load(game.id)
                    if later is None or later.events[: len(game.events)] != game.events:
                        self.findings.wrong.append(f"{copy.name}: {game.id} differs")
            finally:
                await again.close()
            self.findings.backups += 1

    def _read_log(self) -> None:
        text = (self._folder / "server.log").read_text()
        if "Traceback" in text or " error " in text:
            self.findings.wrong.append(f"the server's log has errors:\n{text[-3000:]}")


def _choice(client: RetryingClient, random: Random, resigns: int | None) -> Json | None:
    position, status, seat = client.state["position"], client.state["status"], client.seat
    if position is None:
        return None
    if status["asking"] is not None and status["asking"] != seat:
        return {"t": random.choice(("accept", "decline"))}
    decided = any(mover == seat for mover, _ in client.moves)
    if status["asking"] is None and decided and random.random() < UNDOS:
        return {"t": "undo"}
    if position["turn"] != seat:
        return None
    if len(client.moves) == resigns:
        return {"t": "resign"}
    return {"t": "move", "move": allowed_move(position, random)}


def _differences(client: RetryingClient, match: Match, stored: StoredGame) -> int:
    """Counts the differences between a client's view of a game and the store."""
    names = ("seq", "kind", "seat", "at", "data")
    stored_events = [{name: getattr(event, name) for name in names} for event in stored.events]
    wrong = sum(
        seq > len(stored_events) or event != stored_events[seq - 1]
        for seq, event in client.log.items()
    )
    true = presenter.state(stored.id, stored.created, match, None, 0)
    expected: Json = true.model_dump(mode="json") | {"you": [client.seat]}
    moves = [list(move) for move in client.moves]
    return wrong + int(client.state != expected) + int(moves != expected["moves"])


def store_is_file(database: str) -> bool:
    """Returns whether a database is an SQLite file."""
    return not database.startswith("postgres")


@contextmanager
def _place(database: str | None) -> Iterator[tuple[str, Path]]:
    with tempfile.TemporaryDirectory(prefix="patchwork-soak-") as folder:
        yield database or str(Path(folder) / "server.db"), Path(folder)


def main() -> int:
    """Runs a soak, and prints the findings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--database", help="an empty one; if none is given, SQLite in a folder")
    parser.add_argument("--tables", type=int, default=20, help="at a time")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with _place(options.database) as (database, folder), StatusLine(sys.stderr) as progress:
        soak = Soak(
            database,
            folder,
            games=options.games,
            tables=options.tables,
            seed=options.seed,
            progress=progress,
        )
        findings = asyncio.run(soak.run())
    sys.stdout.write(f"{findings}\n")
    return 0 if findings.sound else 1


if __name__ == "__main__":
    sys.exit(main())
