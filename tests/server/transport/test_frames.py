"""Malformed frames, messages out of order, and floods on a socket."""

import asyncio
import json
from contextlib import suppress

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from server.support.fake_time import asynchronous
from server.support.friends import answers, eventually, friends, measured, no_errors_logged
from server.support.live_server import Json, Visitor
from support.waiting import PATIENCE

MASK = b"\x01\x02\x03\x04"
RAW = [
    b"\x00" * 100,
    b"\xff" * 100,
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    Frame(Opcode.TEXT, b'{"t": "ping"}').serialize(mask=False),
    Frame(Opcode.TEXT, b"\xff\xfe").serialize(mask=True),
    Frame(Opcode.CONT, b"x").serialize(mask=True),
    Frame(Opcode.TEXT, b"x", fin=False).serialize(mask=True) * 2,
    b"\xc1\x81" + MASK + b"x",  # the bit for compression
    Frame(Opcode.TEXT, b"x", fin=False).serialize(mask=True)
    + Frame(Opcode.CONT, b"x" * 1000, fin=False).serialize(mask=True) * 100,
    b"\x83\x81" + MASK + b"x",  # an invalid opcode
    b"\x89\xfe\x00\x7e" + MASK + b"x" * 126,  # a ping that is too long
    b"\x81\xff" + b"\x7f" + b"\xff" * 7 + MASK + b"x" * 100,  # 2 ** 63 - 1 bytes
    b"\x81\xff" + b"\xff" * 8 + MASK,
    b"\x88\x81" + MASK + b"x",  # half a close code
    Frame(Opcode.CLOSE, b"\x00\x00").serialize(mask=True),
]


@asynchronous
async def test_invalid_frames_close_only_their_own_socket(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with friends(sqlite_database) as met, met.bob.live(met.game) as bob:
        before = await met.ann.look(met.game)
        for sent in RAW:
            async with met.ann.live(met.game) as ann:
                ann.socket.transport.write(sent)
                async with asyncio.timeout(PATIENCE):
                    with suppress(ConnectionClosed):
                        while True:
                            await ann.socket.recv()
            await answers(bob)
        assert await met.ann.look(met.game) == before

        async def only_one_left() -> bool:
            return await measured(met.ann, "sockets") == 1

        await eventually(only_one_left)
    assert no_errors_logged(caplog)


@asynchronous
async def test_a_ping_between_fragments_is_answered(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        empty = Frame(Opcode.CONT, b"", fin=False).serialize(mask=True)
        ping = Frame(Opcode.PING, b"x" * 125).serialize(mask=True)
        for part in (
            Frame(Opcode.TEXT, b'{"t":', fin=False).serialize(mask=True),
            1000 * (empty + ping),
            Frame(Opcode.CONT, b'"ping"}').serialize(mask=True),
        ):
            ann.socket.transport.write(part)
        await ann.receive("pong")


# Messages out of order


@asynchronous
async def test_messages_in_the_wrong_order_change_nothing(sqlite_database: str) -> None:
    actions: list[Json] = [
        {"t": t, "id": f"{t} {seq}", "seq": seq}
        for t in ("accept", "decline", "claim", "flag", "rematch")
        for seq in (0, 1, 2, 3, 2**31 - 1)
    ]
    actions += [
        {"t": "begin", "id": "b", "seq": 2, "first": 1},
        {"t": "move", "id": "m", "seq": 1, "move": "A"},
        {"t": "undo", "id": "u", "seq": 2},
    ]
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        before = await met.ann.look(met.game)
        for action in actions:
            for live in (ann, bob):
                assert (await live.act(**action))["t"] == "refused"
        assert await met.ann.look(met.game) == before
        assert (await bob.act("move", move="A"))["code"] == "not-your-turn"
        assert (await ann.act("move", id="old", move="A"))["seq"] == 3
        contents: list[Json] = [{"t": "resign"}, {"t": "move", "move": "nonsense"}, {"t": "abort"}]
        for content in contents:
            answer = await ann.act(**{"id": "old", "seq": 99, **content})
            assert (answer["t"], answer["seq"]) == ("ack", 3), "the id decides"
        assert (await met.ann.look(met.game))["status"]["ending"] is None


# Many connections


@asynchronous
async def test_aborted_connections_leave_no_tasks_behind(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with friends(sqlite_database) as met:
        address = httpx.URL(met.address)
        url = f"{met.address}/api/tables/{met.game}/live".replace("http", "ws", 1)
        handshake = (
            f"GET {httpx.URL(url).path} HTTP/1.1\r\nHost: {address.host}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode()
        half = Frame(Opcode.TEXT, b"x" * 190).serialize(mask=True)
        tasks = len(asyncio.all_tasks())
        halves = []
        for number in range(200):
            _, writer = await asyncio.open_connection(address.host, address.port)
            writer.write((handshake + half)[: number * 7 % len(handshake + half)])
            halves.append(writer)
        async with asyncio.timeout(PATIENCE):
            await met.ann.look(met.game)
        for number, writer in enumerate(halves):
            if number % 2:
                writer.transport.abort()
            else:
                writer.close()
        for number in range(60):
            stranger = await connect(url, compression=None)
            if number % 3:
                stranger.transport.abort()
            else:
                await stranger.close()

        async def only_one_left() -> bool:
            left = len(asyncio.all_tasks()) - tasks
            return await measured(met.bob, "sockets") == 0 and left <= 4

        await eventually(only_one_left)
        async with met.bob.live(met.game) as bob:
            await answers(bob)
    assert no_errors_logged(caplog)


@asynchronous
async def test_a_crowd_that_disconnects_at_once_does_not_affect_others(
    sqlite_database: str,
) -> None:
    async with friends(sqlite_database) as met, met.bob.live(met.game) as bob:
        url = f"{met.address}/api/tables/{met.game}/live".replace("http", "ws", 1)
        crowd = [await connect(url, compression=None, max_queue=None) for _ in range(100)]
        for each in crowd:
            each.transport.abort()

        async def only_one_left() -> bool:
            await answers(bob)
            return await measured(met.bob, "sockets") == 1

        await eventually(only_one_left)


# Bursts within the limits


@pytest.mark.parametrize("t", ["ping", "sync"])
@asynchronous
async def test_a_burst_within_the_limit_is_answered_completely(
    sqlite_database: str, t: str
) -> None:
    async with (
        friends(sqlite_database, play_messages="100") as met,
        met.ann.live(met.game) as ann,
    ):
        frame = Frame(Opcode.TEXT, json.dumps({"t": t}).encode()).serialize(mask=True)
        ann.socket.transport.write(100 * frame)
        for _ in range(100):
            await ann.receive({"ping": "pong", "sync": "state"}[t])


@asynchronous
async def test_thousands_of_small_messages_do_not_delay_others(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        Visitor(met.address) as eve,
        met.bob.live(met.game) as bob,
        met.ann.live(met.game) as ann,
        eve.live(met.game) as watching,
    ):
        for live, text in ((ann, "{}"), (watching, '{"t":"resign","id":"1","seq":2}')):
            for _ in range(1500):
                await live.socket.send(text)
        move = asyncio.create_task(ann.act("move", id="last", move="A"))
        for _ in range(20):
            await answers(bob)
        assert (await move)["t"] == "ack", "an action after invalid messages is applied"
        await answers(watching)
        refused = [message["code"] for message in watching.received if message["t"] == "refused"]
        assert refused == 1500 * ["not-seated"]
