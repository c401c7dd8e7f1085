"""The example bot plays whole games, whatever happens to its connection."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from patchwork.server.engines.pool import EnginePool
from server.support.fake_time import asynchronous
from server.support.live_server import Live, Visitor, serving

BOT = Path(__file__).parents[3] / "examples" / "bot.py"


async def run_bot(*arguments: str) -> tuple[int, str]:
    """Runs the bot; returns its exit status and what it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(BOT), *arguments, stdout=PIPE, stderr=STDOUT
    )
    try:
        async with asyncio.timeout(300):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output.decode()


@asynccontextmanager
async def cutting_proxy(address: str, most: int) -> AsyncIterator[str]:
    """Yields the URL of a proxy that cuts connections after ``most`` bytes from the server."""
    port = int(address.rpartition(":")[2])

    async def copy_bytes(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, left: int
    ) -> None:
        while left > 0 and (data := await reader.read(min(left, 4096))):
            writer.write(data)
            left -= len(data)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        directions = [
            asyncio.create_task(copy_bytes(reader, server_writer, sys.maxsize)),
            asyncio.create_task(copy_bytes(server_reader, writer, most)),
        ]
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        for direction in directions:
            direction.cancel()
        await asyncio.gather(*directions, return_exceptions=True)
        for end in (writer, server_writer):
            end.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as proxy:
        yield f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"


def test_the_bot_has_fewer_than_sixty_lines() -> None:
    assert len(BOT.read_text("utf-8").splitlines()) < 60


@asynchronous
async def test_the_bot_plays_a_whole_game_against_the_computer(database: str) -> None:
    async with serving(database) as address:
        status, output = await run_bot(address)
        assert status == 0, output
        assert "'reason': 'played out'" in output
        assert "trying again in a second" not in output


@asynchronous
async def test_the_bot_reconnects_when_the_stream_breaks(sqlite_database: str) -> None:
    async with serving(sqlite_database) as address, cutting_proxy(address, 80_000) as proxy_address:
        status, output = await run_bot(proxy_address)
        assert status == 0, output
        assert "trying again in a second" in output
        assert "'reason': 'played out'" in output


@asynchronous
async def test_the_bot_joins_a_table(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
    ):
        game = (await ann.open("friend", seed=3, name="Ann"))["table"]["id"]
        async with ann.live(game) as live:
            playing = asyncio.create_task(run_bot(address, game))
            await asyncio.gather(playing, random_moves(live, Random(3)))
            status, output = playing.result()
            assert status == 0, output
            assert output.startswith("I had seat 1. {'reason': 'played out'")
            assert json.dumps(live.state["status"]["ending"]["scores"]) in output


async def random_moves(live: Live, random: Random) -> None:
    """Plays whenever it is seat 0's turn."""
    while live.state["status"]["ending"] is None:
        position = live.state["position"]
        if position is not None and position["turn"] == 0:
            await live.play(str(random.choice(live.position.legal_moves())))
        else:
            await live.receive("event")


@asynchronous
async def test_wrong_usage_prints_the_usage() -> None:
    status, output = await run_bot()
    assert status == 2
    assert output.startswith("usage: bot.py ")
