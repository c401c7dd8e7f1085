"""Limits of an HTTP connection, on both event loops."""

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
async def test_an_endless_request_is_refused(
    begin: bytes, repeated: bytes, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with host() as running:
        peer = await running.peer(begin)
        sent, much = 0, repeated * 4096
        with suppress(ConnectionError):
            while sent < FLOOD and not peer.writer.is_closing():
                peer.writer.write(much)
                await peer.writer.drain()
                sent += len(much)
        assert sent < FLOOD
        await peer.rest()
        await eventually(lambda: running.connected == 0)
        assert reasons(caplog) == [reason]
        assert (await (await running.peer(GET)).head()).startswith(b"HTTP/1.1 200 ")


@asynchronous
async def test_refusals_have_the_right_status() -> None:
    async with host() as running:
        for sent, status in (
            (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 101 + b"\r\n", b"431"),
            (b"GET / HTTP/1.1\r\nX-A: " + b"b" * 21_000 + b"\r\n\r\n", b"431"),
            (b"nonsense\r\n\r\n", b"400"),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"400"),
        ):
            answer = await (await running.peer(sent)).rest()
            assert answer.startswith(b"HTTP/1.1 " + status), answer
            assert b"\r\nConnection: close\r\n" in answer


@asynchronous
async def test_long_requests_within_the_limits_are_answered() -> None:
    async with host() as running:
        headers = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 140) for number in range(98))
        peer = await running.peer(b"GET / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
        assert (await peer.head()).startswith(b"HTTP/1.1 200 ")
        peer = await running.peer(CHUNKED + b"1\r\nx\r\n" * (64 << 10) + b"0\r\n\r\n")
        await peer.head()
        assert await peer.reader.readexactly(5) == b"65536"


# Requests that arrive too slowly


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
async def test_an_incomplete_request_times_out(
    sent: bytes, answer: bytes, before: int, alarms: Alarms
) -> None:
    async with host() as running:
        peer = await running.peer()
        for _ in range(before):
            peer.writer.write(GET)
            await peer.head()
            await peer.reader.readexactly(1)
        peer.writer.write(sent)
        await eventually(lambda: running.connected and running.only()._size == len(sent))
        rung = alarms.ring(uvicorn_protocols._REQUEST_SECONDS)
        if before and not sent:
            assert rung == 0, "an idle connection may be kept open"
        else:
            assert rung == 1
            assert (await peer.rest()).startswith(answer)
            assert running.connected == 0


@asynchronous
async def test_a_long_answer_does_not_time_out(alarms: Alarms) -> None:
    async with host() as running:
        peer = await running.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
        await peer.head()
        assert alarms.ring(uvicorn_protocols._REQUEST_SECONDS) == 0
        peer.writer.write(POST + b"Content-Length: 1\r\n\r\n")  # the server stops reading
        await eventually(lambda: running.only().flow.read_paused)
        assert alarms.ring(uvicorn_protocols._REQUEST_SECONDS) == 1
        await peer.reader.readexactly(100)


@asynchronous
async def test_the_request_deadline_expires_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_REQUEST_SECONDS", 0.05)
    async with host() as running:
        assert await (await running.peer()).rest() == b""
        assert (await (await running.peer(b"G")).rest())[:13] in (b"HTTP/1.1 408 ", b"")


# Pipelined requests


@asynchronous
async def test_pipelined_requests_are_answered_in_order() -> None:
    async with host() as running:
        peer = await running.peer(16 * GET)
        for _ in range(16):
            assert (await peer.head()).startswith(b"HTTP/1.1 200 ")
            await peer.reader.readexactly(1)


@asynchronous
async def test_too_many_pipelined_requests_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    async with host() as running:
        peer = await running.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + 100 * GET)
        await peer.rest()
        await running.application.ended.wait()
        await eventually(lambda: running.connected == 0)
        assert reasons(caplog) == ["too many requests are waiting"]


@asynchronous
async def test_a_stream_ends_with_its_connection_even_if_more_requests_wait() -> None:
    async with host() as running:
        peer = await running.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        await peer.head()
        peer.writer.transport.abort()
        async with asyncio.timeout(PATIENCE):
            await running.application.ended.wait()


# Too many connections


@asynchronous
async def test_connections_from_one_address_are_limited(caplog: pytest.LogCaptureFixture) -> None:
    async with host(connections_per_address="3") as running:
        peers = [await running.peer(GET) for _ in range(3)]
        for peer in peers:
            await peer.head()
        for _ in range(5):
            assert await (await running.peer(GET)).rest() == b""
        assert reasons(caplog) == ["too many connections from this address"]
        await (await running.peer(GET, "127.0.0.2")).head()
        await peers[0].reader.readexactly(1)
        peers[0].writer.write(GET)
        await peers[0].head()
        peers[1].writer.close()
        await eventually(lambda: running.connected == 3)
        await (await running.peer(upgrade())).head()


@asynchronous
async def test_proxies_have_no_limit_per_address() -> None:
    async with host(connections_per_address="3", proxies="127.0.0.0/8") as running:
        for _ in range(5):
            await (await running.peer(GET)).head()


@asynchronous
async def test_idle_connections_make_room_but_busy_ones_do_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with host(connections="3") as running:
        playing = await running.socket()
        idle, busy = await running.peer(GET), await running.peer()
        await idle.head()
        busy.writer.write(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
        await busy.head()
        coming = await running.socket()
        assert await idle.rest() == b"0", "the rest of its answer, and then the end"
        assert await (await running.peer(GET)).rest() == b""
        assert reasons(caplog) == ["too many connections"]
        for socket in (playing, coming):
            socket.writer.write(frame(1, b"hello"))
            assert await socket.frame() == (1, b"hello")
        assert running.connected == 3


# Peers that do not read


@pytest.mark.parametrize(
    "sent", [b"GET /loud HTTP/1.1\r\nHost: x\r\n\r\n", upgrade(b"/live/loud")], ids=["HTTP", "ws"]
)
@asynchronous
async def test_a_peer_that_does_not_read_is_disconnected(
    sent: bytes, alarms: Alarms, caplog: pytest.LogCaptureFixture
) -> None:
    async with host() as running:
        peer = await running.peer(sent)
        await peer.head()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await eventually(lambda: alarms.ring(uvicorn_protocols._READ_SECONDS))
        await eventually(lambda: running.connected == 0)
        async with asyncio.timeout(PATIENCE):
            await running.application.ended.wait()
        assert reasons(caplog) == ["the peer does not read"]
        peer.writer.transport.abort()


@asynchronous
async def test_a_peer_that_resumes_reading_stays_connected(alarms: Alarms) -> None:
    async with host() as running:
        peer = await running.peer(b"GET /loud HTTP/1.1\r\nHost: x\r\n\r\n")
        await eventually(lambda: uvicorn_protocols._READ_SECONDS in alarms.running.values())
        while uvicorn_protocols._READ_SECONDS in alarms.running.values():
            await peer.reader.read(1 << 16)
        assert running.connected == 1
        peer.writer.transport.abort()


@asynchronous
async def test_a_peer_that_sends_pings_without_reading_is_disconnected(
    alarms: Alarms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_FRAMES", 1 << 30)
    async with host() as running:
        peer = await running.socket()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        pings = frame(9, b"x" * 125) * 1000
        with suppress(ConnectionError):
            while not peer.writer.is_closing():
                peer.writer.write(pings)
                await peer.writer.drain()
        await eventually(lambda: running.connected == 0)


@asynchronous
async def test_a_peer_that_does_not_answer_a_close_frame_is_disconnected(alarms: Alarms) -> None:
    async with host() as running:
        peer = await running.socket(b"/live/short")
        assert await peer.frame() == (8, b"\x03\xe9")
        await eventually(lambda: alarms.ring(uvicorn_protocols._CLOSE_SECONDS))
        assert await peer.rest() == b""
        assert running.connected == 0
