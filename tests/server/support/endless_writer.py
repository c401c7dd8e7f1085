"""A program that appends events to a game endlessly, and prints the number of each stored event.

``endless_writer.py URL GAME``
"""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from server.support.stored_games import OPEN, moved, opened, seq_of


async def main(url: str, name: str) -> None:
    async with opened(url) as store:
        seq = await seq_of(store, name)
        while True:
            seq += 1
            await store.append(name, moved(seq), OPEN)
            sys.stdout.write(f"{seq}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
