"""A crowd of spectators, in a process of its own: ``spectators.py PORT GAME NUMBER``.

All come at once. The program prints how many of them have received the state, and after how many
seconds the last of them did. The crowd stays until standard input ends.
"""

import asyncio
import sys
import time

SHARING = 20
"""Spectators at one address; these are few enough for the limits by address."""
_TIMEOUT = 30.0
"""Seconds after which spectators without a state are given up."""


class Spectator(asyncio.Protocol):
    """Opens a WebSocket at a table by hand and ignores its messages."""

    def __init__(self, request: bytes) -> None:
        self.there = asyncio.get_running_loop().create_future()
        """Done when the first message has come."""
        self._request = request
        self._seen = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asks for the socket."""
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Waits for the end of the handshake and something after it."""
        if not self.there.done():
            self._seen += data
            head, _, rest = self._seen.partition(b"\r\n\r\n")
            if rest:
                self.there.set_result(head.startswith(b"HTTP/1.1 101 "))

    def connection_lost(self, exc: Exception | None) -> None:
        """Gives up."""
        if not self.there.done():
            self.there.set_result(False)


async def watch(port: int, game: str, number: int) -> None:
    """Has spectators come, and keeps them there."""
    loop, began = asyncio.get_running_loop(), time.perf_counter()
    request = (
        f"GET /api/tables/{game}/live?v=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()

    async def come(place: int) -> bool:
        address = f"127.{1 + place // SHARING // 250}.0.{1 + place // SHARING % 250}"
        try:
            _, spectator = await loop.create_connection(
                lambda: Spectator(request), "127.0.0.1", port, local_addr=(address, 0)
            )
            async with asyncio.timeout(_TIMEOUT):
                return bool(await spectator.there)
        except (OSError, TimeoutError):
            return False

    there = sum(await asyncio.gather(*map(come, range(number))))
    sys.stdout.write(f"{there} {time.perf_counter() - began}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(watch(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
