"""Limits of a WebSocket connection, on both event loops."""

import asyncio
from base64 import b64encode
from hashlib import sha1
from itertools import count

import h11
import pytest

from server.support.fake_time import asynchronous
from server.transport.peers import (
    KEY,
    MASK,
    PATIENCE,
    eventually,
    frame,
    host,
    upgrade,
)

pytestmark = pytest.mark.usefixtures("loop", "errors")


# The upgrade


@asynchronous
async def test_the_upgrade_follows_the_standards() -> None:
    async with host() as running:
        client = h11.Connection(h11.CLIENT)
        headers = [("Host", "x"), ("Connection", "Upgrade"), ("Upgrade", "websocket")]
        headers += [("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", KEY.decode())]
        request = client.send(h11.Request(method="GET", target="/live", headers=headers))
        assert request is not None
        peer = await running.peer(request)
        client.receive_data(await peer.head())
        answer = client.next_event()
        assert isinstance(answer, h11.InformationalResponse)
        assert answer.status_code == 101
        found = dict(answer.headers)
        assert found[b"upgrade"].lower() == b"websocket"
        assert found[b"connection"].lower() == b"upgrade"
        # RFC 6455, section 4.2.2
        expected = sha1(KEY + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11", usedforsecurity=False)
        assert found[b"sec-websocket-accept"] == b64encode(expected.digest())
        assert not found.keys() & {b"sec-websocket-extensions", b"sec-websocket-protocol"}
        assert not found.keys() & {b"content-length", b"transfer-encoding"}
        peer.writer.write(frame(1, "Knöpfe".encode()))
        assert await peer.frame() == (1, "Knöpfe".encode())


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (upgrade(Sec_WebSocket_Key=None), 400),
        (upgrade(Sec_WebSocket_Key=b"short"), 400),
        (upgrade(Sec_WebSocket_Key=b"?" * 24), 400),
        (upgrade(Sec_WebSocket_Key=KEY + b"\r\nSec-WebSocket-Key: " + KEY), 400),
        (upgrade(Sec_WebSocket_Version=None), 426),
        (upgrade(Sec_WebSocket_Version=b"8"), 426),
        (upgrade(Sec_WebSocket_Version=b"13, 14"), 426),
        (upgrade(Cookie=b"x" * 9000), 431),
        (upgrade().replace(b"GET", b"POST", 1), 405),
        (upgrade().replace(b"1.1", b"1.0", 1), 400),
        (upgrade(Content_Length=b"2") + b"{}", 400),
        (upgrade("/Knöpfe".encode()), 400),
        (upgrade(b"/nowhere"), 403),
        (upgrade(Connection=b"close"), 404),
        (upgrade(Upgrade=b"h2c"), 404),
    ],
)
@asynchronous
async def test_an_invalid_upgrade_is_refused(sent: bytes, status: int) -> None:
    async with host() as running:
        peer = await running.peer(sent)
        client = h11.Connection(h11.CLIENT)
        client.send(h11.Request(method="GET", target="/live", headers=[("Host", "x")]))
        client.receive_data(await peer.head())
        answer = client.next_event()
        assert isinstance(answer, h11.Response)
        assert answer.status_code == status
        if status == 426:
            assert dict(answer.headers)[b"sec-websocket-version"] == b"13"
        peer.writer.close()
        await eventually(lambda: running.connected == 0)


@asynchronous
async def test_an_upgrade_during_an_answer_is_refused() -> None:
    async with host() as running:
        peer = await running.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + upgrade())
        assert b"101" not in await peer.rest()
        async with asyncio.timeout(PATIENCE):
            await running.application.ended.wait()


@asynchronous
async def test_a_frame_before_the_handshake_ends_the_connection() -> None:
    async with host() as running:
        peer = await running.peer(upgrade(b"/live/late"))
        await eventually(lambda: running.connected and hasattr(running.only(), "queue"))
        peer.writer.write(frame(11))
        assert await peer.rest() == b""
        async with asyncio.timeout(PATIENCE):
            await running.application.ended.wait()


# Frames


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(8, b"\x03\xe8"), 1000),
        (frame(8), None),
        (frame(1, b"x", masked=False), 1002),
        (frame(9, b"x", masked=False), 1002),
        (frame(1, b"x", first=0xC0), 1002),
        (frame(1, b"x", first=0xA0), 1002),
        (frame(1, b"x", first=0x90), 1002),
        (frame(3, b"x"), 1002),
        (frame(11, b"x"), 1002),
        (frame(9, b"x", first=0), 1002),
        (frame(8, b"\x03\xe8", first=0), 1002),
        (frame(9, b"x" * 126), 1002),
        (frame(0, b"x"), 1002),
        (frame(1, b"x", first=0) + frame(1, b"x"), 1002),
        (frame(8, b"x"), 1002),
        (frame(8, b"\x00\x00"), 1002),
        (frame(8, b"\x03\xed"), 1002),
        (frame(8, b"\x03\xe8\xff"), 1007),
        (frame(1, b"\xff\xfe"), 1007),
        (frame(1, b"\xc3", first=0) + frame(0, b"x"), 1007),
        (frame(1, b"x" * 257), 1009),
        (frame(1, b"x" * 200, first=0) + frame(0, b"x" * 57), 1009),
        (b"\x81\xff" + b"\x7f" + b"\xff" * 7 + MASK, 1009),
        (frame(9) * 5000, 1008),
        (frame(10) * 5000, 1008),
        (frame(1, first=0) + frame(0, first=0) * 5000, 1008),
    ],
    ids=count(),
)
@asynchronous
async def test_an_invalid_frame_closes_the_socket_with_the_right_code(
    sent: bytes, code: int | None
) -> None:
    async with host(frame_bytes="256") as running:
        peer = await running.socket()
        peer.writer.write(sent)
        assert await peer.closing() == code
        await eventually(lambda: running.connected == 0)


@asynchronous
async def test_valid_frames_are_handled() -> None:
    async with host(frame_bytes="256") as running:
        peer = await running.socket()
        ping = frame(9, b"?")
        peer.writer.write(frame(1, b"\xc3", first=0) + ping + frame(0, b"\xb6"))
        assert await peer.frame() == (10, b"?")
        assert await peer.frame() == (1, "ö".encode())
        peer.writer.write(frame(1, b"x" * 256) + frame(10, b"never asked for") + frame(1))
        assert await peer.frame() == (1, b"x" * 256)
        assert await peer.frame() == (1, b"")


@asynchronous
async def test_nothing_is_sent_after_a_protocol_error() -> None:
    async with host() as running:
        peer = await running.socket(b"/live/loud")
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await eventually(lambda: not running.only().writable.is_set())
        peer.writer.write(frame(11))
        await eventually(lambda: running.only().close_sent)
        peer.writer.transport.resume_reading()  # type: ignore[attr-defined]
        await peer.rest()
        async with asyncio.timeout(PATIENCE):
            await running.application.ended.wait()
