"""Limits of a socket, what closes it, and that games survive this."""

import contextlib
import json
import socket
from random import Random

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from patchwork.server import serving as serving_module
from patchwork.server.engines.pool import EnginePool
from patchwork.server.http import sockets
from patchwork.server.wire import Refused
from server.support.fake_time import asynchronous, skip
from server.support.friends import answers, at, eventually, friends, measured, presence, until
from server.support.live_server import Visitor, serving


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "null",
        "[]",
        "{}",
        '{"t": "dance"}',
        '{"t": "ping", "more": 1}',
        '{"t": "move", "seq": 2, "move": "A"}',
        '{"t": "move", "id": "", "seq": 2, "move": "A"}',
        '{"t": "move", "id": 1, "seq": 2, "move": "A"}',
        '{"t": "move", "id": "1", "seq": -1, "move": "A"}',
        '{"t": "move", "id": "1", "seq": 2147483648, "move": "A"}',
        '{"t": "begin", "id": "1", "seq": 2, "first": 2}',
        '{"t": "ping"' + "[" * 900,
        b"\x00\x01",
    ],
)
@asynchronous
async def test_an_invalid_message_is_refused_and_the_socket_stays_open(
    sqlite_database: str, text: str | bytes
) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        await ann.socket.send(text)
        refused = await ann.receive("refused")
        Refused.model_validate(refused)
        assert (refused["code"], refused["state"]) == ("malformed", None)
        await ann.play("A")


@asynchronous
async def test_a_refusal_carries_the_message_id_if_it_is_valid(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        await ann.send("move", id="mine", seq=2, move="A" * 17)
        assert (await ann.receive("refused"))["id"] == "mine"
        await ann.send("move", id="x" * 65, seq=2, move="A")
        assert (await ann.receive("refused"))["id"] is None


@asynchronous
async def test_ids_may_be_any_text_without_control_characters(database: str) -> None:
    async with friends(database) as met, met.ann.live(met.game) as ann:
        answer = await ann.act("move", id="🧵 'x'; --", move="A")
        assert (answer["t"], answer["id"]) == ("ack", "🧵 'x'; --")
        await ann.send("undo", id="\0", seq=3)
        assert (await ann.receive("refused"))["code"] == "malformed", "PostgreSQL stores no NUL"


@asynchronous
async def test_unknown_versions_and_tables_are_refused(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        address = met.address.replace("http", "ws", 1)
        for path, code in (
            (f"/api/tables/{met.game}/live?v=2", "version"),
            ("/api/tables/zzzzzzzzzzzz/live", "no-such-table"),
            ("/api/tables/x/live", "no-such-table"),
        ):
            async with connect(address + path) as socket:
                refused = Refused.model_validate_json(await socket.recv())
                assert refused.code == code
                await socket.wait_closed()
                assert socket.close_code == 1008
        async with connect(f"{address}/api/tables/{met.game}/live?v=1") as socket:
            assert json.loads(await socket.recv())["t"] == "state"
        with pytest.raises(InvalidStatus):
            await connect(f"{address}/api/elsewhere")


@asynchronous
async def test_too_long_frames_close_the_socket(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database, frame_bytes="2048") as met,
        met.bob.live(met.game) as bob,
    ):
        async with met.ann.live(met.game) as ann:
            await ann.socket.send("x" * 2048)
            assert (await ann.receive("refused"))["code"] == "malformed"
            await ann.socket.send("x" * 2049)
            await ann.socket.wait_closed()
            assert ann.socket.close_code == 1009
        async with met.ann.live(met.game) as ann:
            await ann.play("A")
        await until(bob, 3)


@pytest.mark.parametrize("playing", [True, False])
@asynchronous
async def test_a_client_that_sends_too_many_messages_is_disconnected(
    sqlite_database: str,
    playing: bool,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        sockets, "monotonic", lambda: 0.0
    )  # all messages count as sent at once, even on a slow machine
    async with (
        friends(sqlite_database, play_messages="10", watch_messages="5") as met,
        Visitor(met.address) as eve,
        met.bob.live(met.game) as bob,
    ):
        limit = 10 if playing else 5
        async with (met.ann if playing else eve).live(met.game) as flooding:
            for _ in range(limit + 20):
                await flooding.send("ping")
            with pytest.raises(ConnectionClosed):
                await flooding.receive("bye")
            received = [message for message in flooding.received if message["t"] != "presence"]
            assert [message["t"] for message in received] == ["state", *limit * ["pong"], "refused"]
            assert received[-1]["code"] == "too-many"
            assert flooding.socket.close_code == 1008
        await bob.send("ping")
        await bob.receive("pong")
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@asynchronous
async def test_a_silent_client_is_disconnected(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving_module, "_PING_SECONDS", 10_000)
    async with (
        friends(sqlite_database, silence="1000") as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        await presence(ann, present=[True, True])
        for _ in range(2):
            skip(600)
            await answers(ann)
        await presence(ann, present=[True, False])
        await ann.play("A")
        with pytest.raises(ConnectionClosed):
            await bob.receive("event")
        assert bob.socket.close_code == 1001


@asynchronous
async def test_a_client_that_never_reads_does_not_delay_others(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_server = socket.create_server

    def small_buffers(address: tuple[str, int]) -> socket.socket:
        listening = create_server(address)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        return listening

    monkeypatch.setattr(socket, "create_server", small_buffers)
    monkeypatch.setattr(sockets, "_FLUSH_SECONDS", 0.5)
    monkeypatch.setattr(serving_module, "_PING_SECONDS", 10_000)
    async with friends(sqlite_database, silence="1000") as met:
        url = httpx.URL(met.address)
        with socket.socket() as small:
            small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            small.connect((url.host, url.port))
            unread = await connect(
                f"ws://{url.host}:{url.port}/api/tables/{met.game}/live",
                sock=small,
                compression=None,
                ping_interval=None,
            )
            unread.transport.pause_reading()
            for _ in range(200):
                await unread.send('{"t": "sync"}')
            async with met.ann.live(met.game) as ann, met.bob.live(met.game) as bob:
                assert await measured(met.ann, "sockets") == 3
                players = [ann, bob]
                while not ann.state["status"]["ending"]:
                    mover = players[ann.state["position"]["turn"]]
                    await until(mover, ann.seq)
                    await mover.play(str(mover.position.legal_moves()[0]))
                    await until(ann, mover.seq)
                    for each in players:
                        await answers(each)

                async def one_was_dropped() -> bool:
                    return await measured(met.ann, "sockets") == 2

                for _ in range(2):
                    skip(600)
                    for each in players:
                        await answers(each)
                await eventually(one_was_dropped)
            unread.transport.abort()


@asynchronous
async def test_a_stopping_server_says_when_to_reconnect(database: str) -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with friends(database) as met:
            ann = await stack.enter_async_context(met.ann.live(met.game))
            bob = await stack.enter_async_context(met.bob.live(met.game))
            await ann.play("A")
        for live in (ann, bob):
            bye = await live.receive("bye")
            assert bye == {"t": "bye", "v": 1, "retry": 1000}
            await live.socket.wait_closed()
            assert live.socket.close_code == 1001
            assert live.seq == 3
    async with (
        serving(database, EnginePool(0)) as address,
        at(met.bob, address) as moved,
        moved.live(met.game) as bob,
    ):
        assert bob.state["moves"] == [[0, "A"]]


@asynchronous
async def test_a_game_survives_many_restarts(database: str) -> None:
    async with friends(database) as met:
        pass
    random = Random(7)
    for _ in range(4):
        async with (
            serving(database, EnginePool(0)) as address,
            at(met.ann, address) as ann,
            at(met.bob, address) as bob,
            ann.live(met.game) as first,
            bob.live(met.game) as second,
        ):
            for _ in range(3):
                live = (first, second)[first.state["position"]["turn"]]
                await until(live, max(first.seq, second.seq))
                move = str(random.choice(live.position.legal_moves()))
                answer = await live.act("move", id=f"after {live.seq}", move=move)
                assert answer["t"] == "ack"
                await until(first, live.seq)
    async with serving(database, EnginePool(0)) as address, at(met.ann, address) as ann:
        assert len((await ann.look(met.game))["moves"]) == 12
