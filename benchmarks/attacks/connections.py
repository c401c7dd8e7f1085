"""Attackers who send endlessly, incompletely or nothing at all, and attackers who do not read."""

import asyncio
import json
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
from benchmarks.attacks.attack import Attack
from benchmarks.serving import NO_LIMITS, Server
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

_MEGABYTES = 100
"""How much the attack with headers sends at most."""
_HALVES = 100
"""Connections of each kind in the attack with half requests."""
_HALF_SECONDS = 30.0
"""How long that attack lasts."""
_DEAF = 20
"""Streams, and sockets, that do not read."""
_PING = Frame(Opcode.PING, b"x" * 125).serialize(mask=True)
_PINGS = 30_000
"""Frames to answer, more than all buffers hold."""
_DEAF_SECONDS = 36.0
"""How long those that do not read are observed."""
_HEADERS = b"X-A: b\r\n" * 8192


async def headers(server: Server) -> Mapping[str, float]:
    """One connection sends headers endlessly: how much memory does that take?"""
    before = most = server.memory()
    sent, begin = 0, time.perf_counter()
    with closing(_connected(server)) as attacker:
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            await loop.sock_sendall(attacker, b"GET / HTTP/1.1\r\n")
            while sent < _MEGABYTES * 1e6:
                async with asyncio.timeout(5):
                    await loop.sock_sendall(attacker, _HEADERS)
                sent += len(_HEADERS)
                most = max(most, server.memory())
    return {
        "MB sent": sent / 1e6,
        "MB grown": most - before,
        "seconds": time.perf_counter() - begin,
    }


async def idle(server: Server) -> Mapping[str, float]:
    """Many connections send half a head, half a body or nothing: how many stay open?"""
    parts = {
        "half a head": b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ",
        "half a body": b"POST /api/replays HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx",
        "nothing": b"",
    }
    with ExitStack() as stack:
        attackers = {
            name: [stack.enter_context(closing(_connected(server))) for _ in range(_HALVES)]
            for name in parts
        }
        for name, each in attackers.items():
            for attacker in each:
                attacker.sendall(parts[name])
        await asyncio.sleep(_HALF_SECONDS)
        return {
            f"of {_HALVES} with {name}, open": sum(map(_open, each))
            for name, each in attackers.items()
        }


async def slow_readers(server: Server) -> Mapping[str, float]:
    """Streams, and sockets that are dismissed, do not read: which of them remain?"""
    address = f"http://127.0.0.1:{server.port}"
    with ExitStack() as stack:
        async with httpx.AsyncClient(base_url=address, timeout=60) as http:
            tokens = [(await http.post("/api/tokens")).json()["token"] for _ in range(2)]
            ann, bob = ({"Authorization": f"Bearer {token}"} for token in tokens)
            terms = {"opponent": "friend", "seed": 4}
            opened = await http.post("/api/tables", json=terms, headers=ann)
            table = f"/api/tables/{opened.json()['table']['id']}"
            await http.post(f"{table}/join", json={}, headers=bob)
        request = f"GET {table}/events HTTP/1.1\r\nHost: x\r\n"
        request += f"Authorization: {ann['Authorization']}\r\n\r\n"
        live = f"ws://127.0.0.1:{server.port}{table}/live"
        async with connect(live, additional_headers=bob, compression=None, max_size=None) as seeing:
            before = _descriptors(server)
            for _ in range(_DEAF):
                stream = stack.enter_context(closing(_connected(server, small=True)))
                stream.sendall(request.encode())
            for _ in range(_DEAF):
                deaf = stack.enter_context(closing(_connected(server, small=True)))
                unread = await connect(live, sock=deaf, compression=None, ping_interval=None)
                unread.transport.pause_reading()
                with suppress(ConnectionClosed):
                    await _fill(unread)
            most = _descriptors(server) - before
            present = await _present(seeing, _DEAF_SECONDS)
            return {
                "descriptors at first": most,
                f"after {_DEAF_SECONDS:.0f} s": _descriptors(server) - before,
                "the streaming player is present": present,
            }


async def _fill(unread: ClientConnection) -> None:
    """Asks for more than all buffers hold, then sends so much that the server dismisses it."""
    unread.transport.write(_PING * _PINGS)
    for _ in range(150):
        await unread.send('{"t":"ping"}')


async def _present(seeing: ClientConnection, seconds: float) -> float:
    """Returns whether seat 0 is still present after some seconds."""
    present, end = True, time.perf_counter() + seconds
    while time.perf_counter() < end:
        await seeing.send('{"t":"ping"}')
        with suppress(TimeoutError):
            async with asyncio.timeout(2.5):
                while True:
                    message = json.loads(await seeing.recv())
                    if message["t"] == "presence":
                        present = message["present"][0]
    return float(present)


def _connected(server: Server, *, small: bool = False) -> socket.socket:
    """Returns a connection, if wanted with a small receive buffer."""
    made = socket.socket()
    if small:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", server.port))
    made.setblocking(False)
    return made


def _open(attacker: socket.socket) -> bool:
    """Returns whether the server has kept a connection open."""
    try:
        while attacker.recv(4096):
            pass
    except BlockingIOError:
        return True
    except ConnectionError:
        pass
    return False


def _descriptors(server: Server) -> int:
    """Returns how many sockets a server has open."""
    held = 0
    for each in Path(f"/proc/{server.pid}/fd").iterdir():
        with suppress(OSError):
            held += str(each.readlink()).startswith("socket:")
    return held


ATTACKS = (
    Attack(
        "headers",
        f"One connection sends headers endlessly, {_MEGABYTES} MB at most.",
        headers,
    ),
    Attack(
        "idle",
        f"Connections send half a request or none; how many are open after {_HALF_SECONDS:.0f} s.",
        idle,
    ),
    Attack(
        "slow-readers",
        f"{_DEAF} streams never read, nor do {_DEAF} sockets that the server dismisses.",
        slow_readers,
        NO_LIMITS | {"play_messages": "100", "watch_messages": "50"},
    ),
)
