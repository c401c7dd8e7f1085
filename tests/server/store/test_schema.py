"""A running server conforms to its OpenAPI document, whatever is sent to it.

``PATCHWORK_EXAMPLES=500`` tries 500 examples per operation, different ones in each run.
"""

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from patchwork.server.app import create_app
from patchwork.server.game.refusals import Code
from patchwork.server.settings import Settings
from patchwork.server.wire import Refused, State
from server.support.live_server import Json, serving
from support.waiting import PATIENCE

EXAMPLES = int(os.environ.get("PATCHWORK_EXAMPLES", "0"))
STREAM = "/api/tables/{game}/events"
GAMES = ("/api/replays", "/api/records", "/api/positions")
"""Operations that take games; the document cannot express what makes a game valid."""
LEAVING = ("/api/me", "/api/me/revoke")
"""Operations called by a new player, since they invalidate the caller's credentials."""
DOCUMENT: Json = create_app(Settings()).openapi()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = [
    (path, method) for path, operations in DOCUMENT["paths"].items() for method in operations
]
FALLIBLE = [
    (path, method)
    for path, method in OPERATIONS
    if SCHEMA[path][method].body or SCHEMA[path][method].query
]
"""Operations with input besides the table's id, which may be invalid."""
CHECKS: list[Any] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
TRIED = settings(
    max_examples=EXAMPLES or 40,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class PopulatedServer:
    """A server with games in all stages, and the cookies of their player."""

    address: str
    cookies: dict[str, str]
    games: list[str]


@contextmanager
def running(database: str) -> Iterator[str]:
    """Runs a server in a thread, since schemathesis blocks, and yields its address."""
    addresses: list[str] = []
    ready = Event()

    async def run() -> None:
        async with serving(database) as address:
            stop = asyncio.Event()
            loop = asyncio.get_running_loop()
            stops.append(lambda: loop.call_soon_threadsafe(stop.set))
            addresses.append(address)
            ready.set()
            await stop.wait()

    stops: list[Any] = []
    thread = Thread(target=asyncio.run, args=(run(),))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield addresses[0]
    finally:
        for stop in stops:
            stop()
        thread.join(PATIENCE)
    assert not thread.is_alive(), "the server does not stop"


@pytest.fixture(scope="module")
def populated_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PopulatedServer]:
    database: Path = tmp_path_factory.mktemp("schema") / "server.db"
    with (
        running(str(database)) as address,
        httpx.Client(base_url=address, timeout=PATIENCE) as ann,
    ):

        def open_table(opponent: str, **terms: Any) -> str:
            table = ann.post("/api/tables", json={"opponent": opponent, **terms}).json()["table"]
            return str(table["id"])

        def act(game: str, t: str, **data: Any) -> None:
            seq = ann.get(f"/api/tables/{game}").json()["status"]["seq"]
            body = {"t": t, "id": t, "seq": seq, **data}
            answer = ann.post(f"/api/tables/{game}/actions", json=body)
            assert answer.is_success, answer.text

        waiting, needle, fast = (
            open_table("friend"),
            open_table("screen", first="needle"),
            open_table("screen"),
        )
        computer = open_table("computer", level=1, clock={"minutes": 3, "increment": 2})
        finished = open_table("screen", name="Ann", other_name="<b>")
        act(finished, "move", move="A")
        act(finished, "resign")
        games = [waiting, needle, fast, computer, finished]
        yield PopulatedServer(address, dict(ann.cookies), games)


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


@pytest.mark.parametrize(
    ("path", "method", "mode"),
    [
        *((*operation, GenerationMode.POSITIVE) for operation in OPERATIONS),
        *((*operation, GenerationMode.NEGATIVE) for operation in FALLIBLE),
    ],
)
def test_the_server_conforms_to_the_document(
    populated_server: PopulatedServer,
    path: str,
    method: str,
    mode: GenerationMode,
    caplog: pytest.LogCaptureFixture,
) -> None:
    operation = SCHEMA[path][method]

    @TRIED
    @given(st.data())
    def test(data: st.DataObject) -> None:
        case = data.draw(operation.as_strategy(mode))
        _use_existing_table(case, populated_server, data)
        cookies = _new_player(populated_server) if path in LEAVING else populated_server.cookies
        answer = case.call(base_url=populated_server.address, cookies=cookies, timeout=PATIENCE)
        case.validate_response(answer, checks=CHECKS)
        if answer.status_code >= 400:
            refused = Refused.model_validate_json(answer.content)
            positive = mode is GenerationMode.POSITIVE and path not in GAMES
            if positive and refused.code is Code.MALFORMED:
                assert refused.detail.startswith("body.clock: "), (
                    "the document describes all other rules"
                )

    test()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def _new_player(populated_server: PopulatedServer) -> dict[str, str]:
    answer = httpx.post(f"{populated_server.address}/api/me", verify=False, timeout=PATIENCE)
    return dict(answer.cookies)


def _use_existing_table(
    case: Case[Any], populated_server: PopulatedServer, data: st.DataObject
) -> None:
    """Makes most cases name an existing table, and many of them its last event."""
    if "{game}" not in case.path or case.path == STREAM or not data.draw(st.integers(0, 4)):
        return
    game = data.draw(st.sampled_from(populated_server.games))
    case.path_parameters = {"game": game}
    if isinstance(case.body, dict) and "seq" in case.body and data.draw(st.booleans()):
        url = f"{populated_server.address}/api/tables/{game}"
        table = httpx.get(url, verify=False, timeout=PATIENCE).json()
        case.body["seq"] = table["status"]["seq"]


def test_a_stream_conforms_to_the_document(populated_server: PopulatedServer) -> None:
    documented = DOCUMENT["paths"][STREAM]["get"]["responses"]["200"]["content"]
    for game in populated_server.games:
        url = populated_server.address + STREAM.format(game=game)
        with httpx.stream("GET", url, timeout=PATIENCE) as answer:
            assert answer.status_code == 200
            assert [answer.headers["content-type"]] == list(documented)
            assert State.model_validate_json(next(answer.iter_lines())).table.id == game
