"""The internals of uvicorn that the server extends are those of the tested versions."""

import re
import tomllib
from pathlib import Path

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from patchwork.server.transport.uvicorn_protocols import UnsupportedUvicorn, check_uvicorn

# uvicorn


@pytest.mark.parametrize(
    ("original", "names"),
    [
        (
            HttpToolsProtocol,
            "connection_made connection_lost data_received on_message_begin on_header"
            " on_headers_complete on_message_complete on_response_complete pause_writing"
            " resume_writing handle_websocket_upgrade _start_asgi_task _should_upgrade"
            " _unset_keepalive_if_required",
        ),
        (
            WebSocketsSansIOProtocol,
            "connection_made connection_lost data_received run_asgi send shutdown pause_writing"
            " resume_writing send_receive_event_to_app handle_ping handle_pong handle_cont"
            " handle_parser_exception",
        ),
    ],
)
def test_the_extended_internals_exist(original: type, names: str) -> None:
    assert set(names.split()) <= vars(original).keys()


def test_an_untested_version_of_uvicorn_is_refused() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    wanted = next(
        each for each in project["project"]["optional-dependencies"]["play"] if "uvicorn" in each
    )
    check_uvicorn("0.54.0")
    check_uvicorn("0.59.12rc1")
    for version in ("0.53.9", "0.60.0", "1.0", "0.60.0.dev1", "unknown"):
        with pytest.raises(UnsupportedUvicorn, match=re.escape(f"uvicorn {version}")) as refused:
            check_uvicorn(version)
        assert wanted.split(";")[0] in str(refused.value)
