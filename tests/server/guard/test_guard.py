"""The guard admits the server's own pages and programs, within limits, and no foreign pages."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from patchwork.server.game.refusals import Code
from patchwork.server.guard import guard
from patchwork.server.guard.guard import LONGEST_BODY, Guard
from patchwork.server.settings import Settings
from patchwork.server.wire import Refused

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the request's body, and accepts every socket."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    if scope["path"] == "/broken":
        raise RuntimeError("broken")
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    headers = [(b"content-type", b"text/plain"), (b"x-content-type-options", b"sniff")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Client:
    """Sends requests through a guard."""

    def __init__(self, address: str = "192.0.2.1", now: float = 0.0, **settings: Any) -> None:
        self.now = now
        self.address = address
        self.guard = Guard(echo, Settings(**settings), clock=lambda: self.now)

    def ask(
        self, method: str, url: str = "http://own.org/", headers: Any = None, content: Any = None
    ) -> httpx.Response:
        transport = httpx.ASGITransport(
            self.guard, client=(self.address, 1), raise_app_exceptions=False
        )

        async def send() -> httpx.Response:
            async with httpx.AsyncClient(transport=transport) as client:
                return await client.request(method, url, headers=headers, content=content)

        return asyncio.run(send())

    def connect(
        self, headers: dict[str, str], scheme: str = "ws", extension: bool = True
    ) -> list[Message]:
        """Returns the messages sent in answer to a handshake."""
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "websocket",
            "scheme": scheme,
            "path": "/live",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": (self.address, 1),
            "extensions": {"websocket.http.response": {}} if extension else {},
        }
        asyncio.run(self.guard(scope, receive, send))
        return sent


def refusal(response: httpx.Response) -> Code:
    refused = Refused.model_validate_json(response.content)
    assert refused.id is None
    assert response.headers["content-type"] == "application/json"
    return refused.code


def check_headers(response: httpx.Response) -> None:
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers.get_list("x-content-type-options") == ["nosniff"]
    assert response.headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in response.headers["permissions-policy"]


class TestHeaders:
    def test_every_answer_has_the_security_headers(self) -> None:
        client = Client()
        foreign = {"Origin": "https://evil.org"}
        answers = [
            client.ask("GET"),
            client.ask("POST", headers=foreign),
            client.ask("POST", content=b"x" * (LONGEST_BODY + 1)),
            client.ask("GET", "http://own.org/broken"),
        ]
        assert [answer.status_code for answer in answers] == [200, 403, 413, 500]
        for answer in answers:
            check_headers(answer)
            assert answer.headers["referrer-policy"] == "same-origin"

    def test_private_links_are_not_sent_to_other_sites_as_a_referrer(self) -> None:
        answer = Client().ask("GET", "http://own.org/carry/token")
        assert answer.headers["referrer-policy"] == "same-origin"

    def test_hsts_is_sent_over_https_only(self) -> None:
        assert "strict-transport-security" not in Client().ask("GET").headers
        answer = Client().ask("GET", "https://own.org/")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"


FOREIGN = [
    "https://evil.org",
    "null",
    "",
    "https://own.org",
    "http://own.org:81",
    "http://own.org.evil.org",
    "http://own.org/",
    "http://own.org, http://evil.org",
    "file://",
    "chrome-extension://abc",
]


class TestOrigins:
    @pytest.mark.parametrize("method", UNSAFE)
    @pytest.mark.parametrize("origin", FOREIGN)
    def test_requests_of_foreign_pages_that_change_something_are_refused(
        self, method: str, origin: str
    ) -> None:
        answer = Client().ask(method, headers={"Origin": origin})
        assert answer.status_code == 403
        assert refusal(answer) is Code.FORBIDDEN

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    def test_requests_of_foreign_pages_that_only_read_are_answered(self, method: str) -> None:
        assert Client().ask(method, headers={"Origin": "https://evil.org"}).status_code == 200

    @pytest.mark.parametrize("method", UNSAFE)
    def test_own_pages_and_programs_are_admitted(self, method: str) -> None:
        client = Client(origins=("https://friend.org",), public_url="https://public.org")
        for headers in (
            {},
            {"Origin": "http://own.org"},
            {"Origin": "http://own.org", "Host": "OWN.org:80"},
            {"Origin": "https://friend.org"},
            {"Origin": "https://public.org"},
            {"Sec-Fetch-Site": "same-origin"},
            {"Sec-Fetch-Site": "none"},
        ):
            assert client.ask(method, headers=headers, content=b"x").text == "x"
        https = client.ask(method, "https://own.org/", headers={"Origin": "https://own.org"})
        assert https.status_code == 200

    def test_a_cross_site_request_without_an_origin_is_refused(self) -> None:
        answer = Client().ask("POST", headers={"Sec-Fetch-Site": "cross-site"})
        assert refusal(answer) is Code.FORBIDDEN

    def test_two_origin_headers_are_refused(self) -> None:
        headers = [("Origin", "http://own.org"), ("Origin", "https://evil.org")]
        assert Client().ask("POST", headers=headers).status_code == 403

    def test_an_invalid_host_matches_no_origin(self) -> None:
        headers = {"Host": "own.org/x", "Origin": "http://own.org/x"}
        assert Client().ask("POST", headers=headers).status_code == 403

    @pytest.mark.parametrize("origin", FOREIGN)
    def test_sockets_of_foreign_pages_are_refused(self, origin: str) -> None:
        start, body = Client().connect({"host": "own.org", "origin": origin})
        assert (start["type"], start["status"]) == ("websocket.http.response.start", 403)
        assert Refused.model_validate_json(body["body"]).code is Code.FORBIDDEN

    def test_a_refused_socket_is_closed_if_the_refusal_cannot_be_sent(self) -> None:
        headers = {"host": "own.org", "origin": "https://evil.org"}
        assert Client().connect(headers, extension=False) == [
            {"type": "websocket.close", "code": 1008}
        ]

    def test_sockets_of_own_pages_and_programs_are_accepted(self) -> None:
        accepted = [{"type": "websocket.accept"}]
        client = Client()
        assert client.connect({"host": "own.org"}) == accepted
        assert client.connect({"host": "own.org", "origin": "http://own.org"}) == accepted
        secure = {"host": "own.org", "origin": "https://own.org"}
        assert client.connect(secure, scheme="wss") == accepted
        assert client.connect(secure) != accepted


class TestLimits:
    def test_requests_from_one_address_are_limited(self) -> None:
        client = Client(requests_per_minute=2)
        assert [client.ask("POST").status_code for _ in range(3)] == [200, 200, 429]
        answer = client.ask("DELETE")
        assert refusal(answer) is Code.TOO_MANY
        wait = int(answer.headers["retry-after"])
        assert 1 <= wait <= 60
        assert client.ask("GET").status_code == 200
        client.now += wait
        assert client.ask("POST").status_code == 200

    def test_limits_are_kept_per_network(self) -> None:
        client = Client("2001:db8::1", requests_per_minute=1)
        assert client.ask("POST").status_code == 200
        client.address = "2001:db8::ffff"
        assert client.ask("POST").status_code == 429, "the same network"
        client.address = "2001:db8:0:1::1"
        assert client.ask("POST").status_code == 200

    def test_refused_foreign_requests_do_not_count(self) -> None:
        client = Client(requests_per_minute=1)
        assert client.ask("POST", headers={"Origin": "null"}).status_code == 403
        assert client.ask("POST").status_code == 200

    def test_sockets_count_as_requests(self) -> None:
        client = Client(requests_per_minute=1)
        assert client.connect({"host": "own.org"}) == [{"type": "websocket.accept"}]
        start, _ = client.connect({"host": "own.org"})
        assert start["status"] == 429

    def test_no_limit(self) -> None:
        client = Client(requests_per_minute=0)
        assert {client.ask("POST").status_code for _ in range(300)} == {200}


class TestBodies:
    def test_a_body_of_the_largest_size_is_accepted(self) -> None:
        body = b"x" * LONGEST_BODY
        assert Client().ask("POST", content=body).content == body

    @pytest.mark.parametrize("method", ["POST", "GET"])
    def test_a_larger_content_length_is_refused_unread(self, method: str) -> None:
        answer = Client().ask(method, content=b"x" * (LONGEST_BODY + 1))
        assert answer.status_code == 413
        assert refusal(answer) is Code.MALFORMED

    @pytest.mark.parametrize("length", ["-1", "x", "9" * 5000])
    def test_an_invalid_content_length_is_refused(self, length: str) -> None:
        answer = Client().ask("POST", headers={"Content-Length": length}, content=b"x")
        assert answer.status_code == 413

    def test_an_endless_chunked_body_is_cut_off(self) -> None:
        pieces = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal pieces
            while True:
                pieces += 1
                yield b"x" * 4096

        answer = Client().ask("POST", content=endless())
        assert answer.status_code == 413
        assert answer.headers["connection"] == "close"
        assert pieces <= 18

    def test_short_chunks_are_joined(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in (b"a", b"", b"b"):
                yield piece

        assert Client().ask("POST", content=pieces()).text == "ab"

    def test_an_incomplete_body_does_not_reach_the_application(self) -> None:
        received: Iterator[Message] = iter(
            [
                {"type": "http.request", "body": b'{"a": 1}', "more_body": True},
                {"type": "http.disconnect"},
            ]
        )
        sent: list[Message] = []

        async def receive() -> Message:
            return next(received)

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/", "scheme": "http", "headers": []}
        asyncio.run(Client().guard(scope, receive, send))
        assert sent == []


def test_lifespan_events_pass_through() -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        raise AssertionError

    asyncio.run(Guard(app, Settings())({"type": "lifespan"}, receive, send))
    assert seen == ["lifespan"]


class TestReading:
    @pytest.fixture
    def pauses(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """The delays that the guard imposed, in seconds."""
        pauses: list[float] = []

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)

        monkeypatch.setattr(guard, "sleep", sleep)
        return pauses

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "BREW"])
    def test_reads_above_the_limit_are_delayed(self, method: str, pauses: list[float]) -> None:
        client = Client(reads=10)
        assert {client.ask(method).status_code for _ in range(10)} == {200}
        assert pauses == []
        assert {client.ask(method).status_code for _ in range(10)} == {200}
        assert pauses == pytest.approx(range(1, 11), abs=0.2)

    def test_reads_far_above_the_limit_are_refused(self, pauses: list[float]) -> None:
        client = Client(reads=10)
        statuses = [client.ask("GET").status_code for _ in range(30)]
        assert statuses == 20 * [200] + 10 * [429]
        answer = client.ask("GET")
        assert refusal(answer) is Code.TOO_MANY
        assert answer.headers["cache-control"] == "no-store"
        client.now += int(answer.headers["retry-after"])
        assert client.ask("GET").status_code == 200

    def test_other_addresses_and_writes_have_limits_of_their_own(self, pauses: list[float]) -> None:
        client = Client(reads=1, requests_per_minute=1)
        assert [client.ask("GET").status_code for _ in range(3)] == [200, 200, 429]
        assert client.ask("POST").status_code == 200
        client.address = "192.0.2.2"
        assert client.ask("GET").status_code == 200
        assert client.ask("POST").status_code == 200

    def test_no_limit(self, pauses: list[float]) -> None:
        client = Client(reads=0)
        assert {client.ask("GET").status_code for _ in range(50)} == {200}
        assert pauses == []


class TestForeignReaders:
    """The CORS headers that let pages of other origins read answers."""

    FRIEND = "https://friend.org"

    def ask(self, method: str, origin: str = FRIEND, **headers: str) -> httpx.Response:
        client = Client(origins=(self.FRIEND,), requests_per_minute=1)
        return client.ask(method, headers={"Origin": origin, **headers})

    def preflight(self, origin: str) -> httpx.Response:
        requested = {
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        return self.ask("OPTIONS", origin, **requested)

    def test_a_preflight_request_is_answered_with_what_is_allowed(self) -> None:
        answer = self.preflight(self.FRIEND)
        assert (answer.status_code, answer.content) == (204, b"")
        headers = answer.headers
        assert headers["access-control-allow-origin"] == self.FRIEND
        assert headers["access-control-allow-credentials"] == "true"
        assert "POST" in headers["access-control-allow-methods"]
        assert {"authorization", "content-type", "if-none-match"} <= {
            name.strip().lower() for name in headers["access-control-allow-headers"].split(",")
        }
        assert headers["vary"] == "Origin"
        check_headers(answer)

    @pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
    def test_answers_may_be_read_by_an_allowed_origin(self, method: str) -> None:
        headers = self.ask(method).headers
        assert headers["access-control-allow-origin"] == self.FRIEND
        assert headers["access-control-allow-credentials"] == "true"
        assert "etag" in headers["access-control-expose-headers"].lower()
        assert headers["vary"] == "Origin"

    def test_refusals_and_errors_may_be_read_by_an_allowed_origin(self) -> None:
        client = Client(origins=(self.FRIEND,), requests_per_minute=1)
        headers = {"Origin": self.FRIEND}
        answers = [
            client.ask("GET", "http://own.org/broken", headers=headers),
            client.ask("GET", headers=headers, content=b"x" * (LONGEST_BODY + 1)),
            client.ask("GET", headers={**headers, "Host": "no host"}),
            *(client.ask("POST", headers=headers) for _ in range(2)),
        ]
        assert [answer.status_code for answer in answers] == [500, 413, 400, 200, 429]
        for answer in answers:
            assert answer.headers["access-control-allow-origin"] == self.FRIEND

    @pytest.mark.parametrize("origin", [*FOREIGN, "https://friend.org.evil.org", "*"])
    def test_other_origins_get_no_cors_headers(self, origin: str) -> None:
        for answer in (self.preflight(origin), self.ask("GET", origin), self.ask("POST", origin)):
            assert not [name for name in answer.headers if name.startswith("access-control")]
            assert answer.headers["vary"] == "Origin", (
                "caches must keep answers to different origins apart"
            )

    def test_without_allowed_origins_there_are_no_cors_headers(self) -> None:
        answer = Client().ask("GET", headers={"Origin": self.FRIEND})
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "vary" not in answer.headers
