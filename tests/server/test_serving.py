"""The server as a process: starting, listening, proxies and stopping."""

import signal
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from patchwork.server import serving
from patchwork.server.game.refusals import Code
from patchwork.server.wire import Refused
from support.waiting import PATIENCE

SMALL = Path(__file__).parent / "support" / "small_app.py"
FORWARDED = {"X-Forwarded-For": "203.0.113.5", "X-Forwarded-Proto": "https"}

if sys.platform != "win32":
    import resource

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of Unix")


class Running:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url
        self.live = url.replace("http", "ws") + "live"

    def stop(self, sent: signal.Signals) -> tuple[int, str, str]:
        self.process.send_signal(sent)
        output, messages = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output, messages


@contextmanager
def running(*arguments: str, prepare: Callable[[], None] | None = None) -> Iterator[Running]:
    with subprocess.Popen(
        [sys.executable, str(SMALL), *arguments],
        preexec_fn=prepare,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield Running(process, process.stdout.readline().strip())
        finally:
            process.kill()


def test_the_server_prints_its_url_and_answers_there() -> None:
    with running() as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert not server.url.endswith(":0/")
        answer = httpx.get(server.url, timeout=PATIENCE)
        assert answer.json() == {"client": "127.0.0.1", "scheme": "http"}
        assert "server" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_sigterm_stops_the_server_after_it_has_informed_its_clients() -> None:
    with running() as server, connect(server.live, compression=None) as live:
        live.send("hello")
        assert live.recv(timeout=PATIENCE) == "hello"
        status, output, messages = server.stop(signal.SIGTERM)
        assert live.recv(timeout=PATIENCE) == "bye"
        with pytest.raises(ConnectionClosed):
            live.recv(timeout=PATIENCE)
        assert status == 0
        assert output == "tables stopped\napplication stopped\n"
        # The server would log if it had to wait for anything while stopping.
        assert [line.split()[-1] for line in messages.splitlines()] == [
            "ready",
            "stopping",
            "stopped",
        ]


def test_an_interrupt_shuts_the_server_down_properly() -> None:
    with running() as server:
        status, output, messages = server.stop(signal.SIGINT)
        assert status == 130
        assert output == "tables stopped\napplication stopped\n"
        assert "Traceback" not in messages


def test_a_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running(f"port={port}") as server:
            _, messages = server.process.communicate(timeout=PATIENCE)
    assert messages.startswith(f"in use: True; cannot listen on 127.0.0.1 port {port}: ")


def test_an_address_of_another_machine_is_reported() -> None:
    with running("host=192.0.2.1") as server:
        _, messages = server.process.communicate(timeout=PATIENCE)
    assert messages.startswith("in use: False; cannot listen on 192.0.2.1 port 0: ")


def test_an_error_at_startup_is_raised() -> None:
    with running("fail=database gone") as server:
        status = server.process.wait(PATIENCE)
        assert server.process.stderr is not None
        messages = server.process.stderr.read()
    assert status == 1
    assert messages.endswith("not started: database gone\n")
    assert "Traceback" not in messages


def test_idle_connections_give_way_to_new_ones() -> None:
    def few_descriptors() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))

    with (
        running("workers=1", prepare=few_descriptors) as server,
        connect(server.live, ping_interval=None) as live,
        ExitStack() as stack,
    ):
        for _ in range(300):
            stranger = socket.create_connection(("127.0.0.1", int(server.url.split(":")[2][:-1])))
            stack.enter_context(stranger)
            stranger.sendall(b"GET / HTTP/1.1\r\nX-A: ")
        live.send("hello")
        assert live.recv(timeout=PATIENCE) == "hello"
        assert httpx.get(server.url, timeout=PATIENCE).status_code == 200
        descriptors = Path(f"/proc/{server.process.pid}/fd")
        if descriptors.is_dir():
            assert 66 <= len(list(descriptors.iterdir())) < 130, (
                "the server uses half of the descriptors that are left"
            )
        _, _, messages = server.stop(signal.SIGTERM)
    assert [line.split()[-1] for line in messages.splitlines() if " info " not in line] == []


class TestSockets:
    def test_long_messages_close_the_socket(self) -> None:
        with running("frame_bytes=256") as server:
            with connect(server.live) as live:
                live.send("x" * 256)
                assert live.recv(timeout=PATIENCE) == "x" * 256
                live.send("x" * 257)
                with pytest.raises(ConnectionClosed) as closed:
                    live.recv(timeout=PATIENCE)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009

    def test_sockets_are_not_compressed(self) -> None:
        with running() as server, connect(server.live) as live:
            assert live.response is not None
            assert "sec-websocket-extensions" not in live.response.headers

    def test_foreign_pages_are_refused(self) -> None:
        with running() as server:
            with (
                pytest.raises(InvalidStatus) as refused,
                connect(server.live, origin=Origin("null")),
            ):
                pass
            response = refused.value.response
            assert response.status_code == 403
            assert response.body is not None
            assert Refused.model_validate_json(response.body).code is Code.FORBIDDEN
            with connect(server.live, origin=Origin(server.url.rstrip("/"))) as live:
                live.send("hello")
                assert live.recv(timeout=PATIENCE) == "hello"


class TestProxies:
    def test_forwarded_headers_of_other_hosts_are_ignored(self) -> None:
        for arguments in ((), ("proxies=192.0.2.1",)):
            with running(*arguments) as server:
                answer = httpx.get(server.url, headers=FORWARDED, timeout=PATIENCE)
                assert answer.json() == {"client": "127.0.0.1", "scheme": "http"}

    def test_forwarded_headers_of_trusted_proxies_are_used(self) -> None:
        with running("proxies=127.0.0.0/8") as server:
            answer = httpx.get(server.url, headers=FORWARDED, timeout=PATIENCE)
            assert answer.json() == {"client": "203.0.113.5", "scheme": "https"}
            assert "strict-transport-security" in answer.headers
            own = f"https://{server.url.split('/')[2]}"
            for origin, status in ((own, 200), (server.url.rstrip("/"), 403)):
                headers = {**FORWARDED, "Origin": origin}
                answer = httpx.post(server.url, headers=headers, timeout=PATIENCE)
                assert answer.status_code == status


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:1/"),
        ("0.0.0.0", "http://127.0.0.1:1/"),
        ("::1", "http://[::1]:1/"),
        ("::", "http://[::1]:1/"),
        ("localhost", "http://localhost:1/"),
    ],
)
def test_the_printed_url_works_in_a_browser(host: str, url: str) -> None:
    assert serving._url(host, 1) == url


class TestBrowser:
    @pytest.mark.parametrize(
        ("platform", "environment", "shown"),
        [
            ("linux", {}, False),
            ("linux", {"DISPLAY": ""}, False),
            ("linux", {"DISPLAY": ":0"}, True),
            ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
            ("darwin", {}, True),
        ],
    )
    def test_a_browser_needs_a_display(
        self,
        platform: str,
        environment: dict[str, str],
        shown: bool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setattr("webbrowser.get", lambda: webbrowser.BackgroundBrowser("firefox"))
        assert serving._has_browser(environment) is shown

    def test_a_text_browser_does_not_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.platform", "linux")
        monkeypatch.setattr("webbrowser.get", lambda: webbrowser.GenericBrowser("w3m"))
        assert not serving._has_browser({"DISPLAY": ":0"})

    def test_a_missing_browser_is_noticed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def get() -> None:
            raise webbrowser.Error

        monkeypatch.setattr("webbrowser.get", get)
        assert not serving._has_browser({"DISPLAY": ":0"})
