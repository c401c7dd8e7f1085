"""What a peer may do to an HTTP connection around its requests, on both event loops."""

import asyncio
from contextlib import suppress

import pytest

from patchwork.server.transport import uvicorn_protocols
from server.support.fake_time import asynchronous
from server.transport.conftest import Alarms
from server.transport.peers import (
    CHUNKED,
    FLOOD,
    GET,
    PATIENCE,
    POST,
    eventually,
    frame,
    host,
    reasons,
    upgrade,
)

pytestmark = pytest.mark.usefixtures("loop", "errors")


# Requests that are too long


@pytest.mark.parametrize(
    ("begin", "repeated", "reason"),
    [
        (b"GET / HTTP/1.1\r\n", b"X-A: b\r\n", "too many headers"),
        (b"GET / HTTP/1.1\r\nX-A: ", b"b", "the head is too long"),
        (b"GET / HTTP/1.1\r\n", b"X", "the head is too long"),
        (b"GET /", b"x", "the head is too long"),
        (b"", b"\r\n", "the head is too long"),
        (b"", b"G", "not valid HTTP"),
        (CHUNKED + b"0\r\n", b"X-A: b\r\n", "too many headers"),
        (CHUNKED + b"0\r\nX-A: ", b"b", "the request is too long"),
        (CHUNKED + b"1;", b"x", "the request is too long"),
        (CHUNKED, b"00000001\r\nx\r\n", "the request is too long"),
        (GET + GET + b"GET / HTTP/1.1\r\nX-A: ", b"b", "the head is too long"),
    ],
)
@asynchronous
async def test_what_never_ends_is_refused(
    begin: bytes, repeated: bytes, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with host() as there:
        peer = await there.peer(begin)
        sent, much = 0, repeated * 4096
        with suppress(ConnectionError):
            while sent < FLOOD and not peer.writer.is_closing():
                peer.writer.write(much)
                await peer.writer.drain()
                sent += len(much)
        assert sent < FLOOD
        await peer.rest()
        await eventually(lambda: there.connected == 0)
        assert reasons(caplog) == [reason]
        assert (await (await there.peer(GET)).head()).startswith(b"HTTP/1.1 200 ")


@asynchronous
async def test_refusals_say_why() -> None:
    async with host() as there:
        for sent, status in (
            (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 101 + b"\r\n", b"431"),
            (b"GET / HTTP/1.1\r\nX-A: " + b"b" * 21_000 + b"\r\n\r\n", b"431"),
            (b"nonsense\r\n\r\n", b"400"),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"400"),
        ):
            answer = await (await there.peer(sent)).rest()
            assert answer.startswith(b"HTTP/1.1 " + status), answer
            assert b"\r\nConnection: close\r\n" in answer


@asynchronous
async def test_what_is_long_and_not_too_long_is_answered() -> None:
    async with host() as there:
        headers = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 140) for number in range(98))
        peer = await there.peer(b"GET / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
        assert (await peer.head()).startswith(b"HTTP/1.1 200 ")
        peer = await there.peer(CHUNKED + b"1\r\nx\r\n" * (64 << 10) + b"0\r\n\r\n")
        await peer.head()
        assert await peer.reader.readexactly(5) == b"65536"


# Requests that do not come in time


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"G", b"HTTP/1.1 408 "),
        (b"\r\n", b"HTTP/1.1 408 "),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-A: b", b"HTTP/1.1 408 "),
        (POST + b"Content-Length: 2\r\n\r\nx", b"HTTP/1.1 408 "),
        (CHUNKED + b"1\r\nx\r\n", b"HTTP/1.1 408 "),
    ],
)
@pytest.mark.parametrize("before", [0, 1])
@asynchronous
async def test_half_a_request_is_not_waited_for(
    sent: bytes, answer: bytes, before: int, alarms: Alarms
) -> None:
    async with host() as there:
        peer = await there.peer()
        for _ in range(before):
            peer.writer.write(GET)
            await peer.head()
            await peer.reader.readexactly(1)
        peer.writer.write(sent)
        await eventually(lambda: there.connected and there.only()._size == len(sent))
        rung = alarms.ring(uvicorn_protocols._REQUEST_SECONDS)
        if before and not sent:
            assert rung == 0, "it may be kept for a while"
        else:
            assert rung == 1
            assert (await peer.rest()).startswith(answer)
            assert there.connected == 0


@asynchronous
async def test_answers_may_take_long(alarms: Alarms) -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
        await peer.head()
        assert alarms.ring(uvicorn_protocols._REQUEST_SECONDS) == 0
        peer.writer.write(POST + b"Content-Length: 1\r\n\r\n")  # the server does not even look
        await eventually(lambda: there.only().flow.read_paused)
        assert alarms.ring(uvicorn_protocols._REQUEST_SECONDS) == 1
        await peer.reader.readexactly(100)


@asynchronous
async def test_time_passes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_REQUEST_SECONDS", 0.05)
    async with host() as there:
        assert await (await there.peer()).rest() == b""
        assert (await (await there.peer(b"G")).rest())[:13] in (b"HTTP/1.1 408 ", b"")


# Several requests


@asynchronous
async def test_a_few_requests_at_once_are_answered_in_turn() -> None:
    async with host() as there:
        peer = await there.peer(16 * GET)
        for _ in range(16):
            assert (await peer.head()).startswith(b"HTTP/1.1 200 ")
            await peer.reader.readexactly(1)


@asynchronous
async def test_many_at_once_are_not(caplog: pytest.LogCaptureFixture) -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + 100 * GET)
        await peer.rest()
        await there.application.ended.wait()
        await eventually(lambda: there.connected == 0)
        assert reasons(caplog) == ["too many requests are waiting"]


@asynchronous
async def test_a_stream_ends_with_its_connection_whatever_was_asked_meanwhile() -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        await peer.head()
        peer.writer.transport.abort()
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()


# Too many connections


@asynchronous
async def test_so_many_from_an_address(caplog: pytest.LogCaptureFixture) -> None:
    async with host(connections_per_address="3") as there:
        peers = [await there.peer(GET) for _ in range(3)]
        for peer in peers:
            await peer.head()
        for _ in range(5):
            assert await (await there.peer(GET)).rest() == b""
        assert reasons(caplog) == ["too many connections from this address"]
        await (await there.peer(GET, "127.0.0.2")).head()
        await peers[0].reader.readexactly(1)
        peers[0].writer.write(GET)
        await peers[0].head()
        peers[1].writer.close()
        await eventually(lambda: there.connected == 3)
        await (await there.peer(upgrade())).head()


@asynchronous
async def test_proxies_speak_for_many() -> None:
    async with host(connections_per_address="3", proxies="127.0.0.0/8") as there:
        for _ in range(5):
            await (await there.peer(GET)).head()


@asynchronous
async def test_who_waits_makes_room_and_who_plays_does_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with host(connections="3") as there:
        playing = await there.socket()
        idle, busy = await there.peer(GET), await there.peer()
        await idle.head()
        busy.writer.write(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
        await busy.head()
        coming = await there.socket()
        assert await idle.rest() == b"0", "what it had been sent, and then the end"
        assert await (await there.peer(GET)).rest() == b""
        assert reasons(caplog) == ["too many connections"]
        for socket in (playing, coming):
            socket.writer.write(frame(1, b"hello"))
            assert await socket.frame() == (1, b"hello")
        assert there.connected == 3


# Who does not read


@pytest.mark.parametrize(
    "sent", [b"GET /loud HTTP/1.1\r\nHost: x\r\n\r\n", upgrade(b"/live/loud")], ids=["HTTP", "ws"]
)
@asynchronous
async def test_who_does_not_read_is_cut_off(
    sent: bytes, alarms: Alarms, caplog: pytest.LogCaptureFixture
) -> None:
    async with host() as there:
        peer = await there.peer(sent)
        await peer.head()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await eventually(lambda: alarms.ring(uvicorn_protocols._READ_SECONDS))
        await eventually(lambda: there.connected == 0)
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()
        assert reasons(caplog) == ["the peer does not read"]
        peer.writer.transport.abort()


@asynchronous
async def test_who_reads_again_is_not(alarms: Alarms) -> None:
    async with host() as there:
        peer = await there.peer(b"GET /loud HTTP/1.1\r\nHost: x\r\n\r\n")
        await eventually(lambda: uvicorn_protocols._READ_SECONDS in alarms.running.values())
        while uvicorn_protocols._READ_SECONDS in alarms.running.values():
            await peer.reader.read(1 << 16)
        assert there.connected == 1
        peer.writer.transport.abort()


@asynchronous
async def test_who_only_asks_and_does_not_read_is_cut_off_at_once(
    alarms: Alarms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_FRAMES", 1 << 30)
    async with host() as there:
        peer = await there.socket()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        pings = frame(9, b"x" * 125) * 1000
        with suppress(ConnectionError):
            while not peer.writer.is_closing():
                peer.writer.write(pings)
                await peer.writer.drain()
        await eventually(lambda: there.connected == 0)


@asynchronous
async def test_who_is_sent_away_has_to_go(alarms: Alarms) -> None:
    async with host() as there:
        peer = await there.socket(b"/live/short")
        assert await peer.frame() == (8, b"\x03\xe9")
        await eventually(lambda: alarms.ring(uvicorn_protocols._CLOSE_SECONDS))
        assert await peer.rest() == b""
        assert there.connected == 0
