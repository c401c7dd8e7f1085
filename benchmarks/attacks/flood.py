"""Floods a server with requests over many connections.

    python benchmarks/attacks/flood.py PORT CONNECTIONS ADDRESSES SECONDS PATH ...

The connections come in turn from 127.0.0.2 and the addresses after it. Each sends its next request
as soon as the last one is answered, and reconnects when it is turned away. It prints how many
answers had each status.
"""

import asyncio
import json
import sys
from collections import Counter
from contextlib import suppress

_PAUSE = 0.05
"""Seconds until a connection that was turned away is opened again."""


async def main(port: int, connections: int, addresses: int, seconds: float, *paths: str) -> None:
    """Sends requests and prints the counts of the statuses."""
    statuses: Counter[str] = Counter()

    async def send_forever(number: int) -> None:
        address = f"127.0.0.{2 + number % addresses}"
        while True:
            with suppress(OSError, EOFError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(address, 0)
                )
                try:
                    while True:
                        number += 1
                        head = f"GET {paths[number % len(paths)]} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        writer.write(f"{head}Accept-Encoding: gzip\r\n\r\n".encode())
                        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
                        if b"transfer-encoding: chunked" in answer:
                            while await reader.readuntil(b"\r\n") != b"0\r\n":
                                await reader.readuntil(b"\r\n")
                        else:
                            length = answer.partition(b"content-length:")[2].split(b"\r\n")[0]
                            await reader.readexactly(int(length))
                        statuses[answer.split()[1].decode()] += 1
                finally:
                    writer.close()
            statuses["turned away"] += 1
            await asyncio.sleep(_PAUSE)

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*map(send_forever, range(connections)))
    sys.stdout.write(json.dumps(statuses))


if __name__ == "__main__":
    port, connections, addresses, seconds = map(int, sys.argv[1:5])
    asyncio.run(main(port, connections, addresses, seconds, *sys.argv[5:]))
