"""Every log entry is one line, and secrets are masked."""

import json
import logging
from collections.abc import Iterator

import pytest

from patchwork.server.ops import logs

TOKEN = "cGxheWVy.k3J9-x_Zz"


@pytest.fixture(autouse=True)
def restore_logging() -> Iterator[None]:
    """Restores the logging of the process after each test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_json_entries_have_the_documented_fields(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json", "info")
    logging.getLogger("patchwork.x").info("game %s", "opened", extra={"game": "k2", "seats": 2})
    entry = json.loads(capsys.readouterr().err)
    time = entry.pop("time")
    assert time.endswith("Z")
    assert len(time) == 24
    assert entry == {
        "level": "info",
        "logger": "patchwork.x",
        "event": "game opened",
        "game": "k2",
        "seats": 2,
    }


def test_text_entries_are_readable(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("text", "info")
    logging.getLogger("patchwork.x").warning(
        "game opened", extra={"game": "k2", "player_name": "Ann B"}
    )
    written = capsys.readouterr().err
    assert written.endswith(' warning patchwork.x game opened game="k2" player_name="Ann B"\n')


def test_entries_below_the_level_are_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("text", "warning")
    logging.getLogger("patchwork.x").info("quiet")
    logging.getLogger("patchwork.x").error("loud")
    written = capsys.readouterr().err
    assert "quiet" not in written
    assert "loud" in written


def test_uvicorn_logs_errors_but_no_requests(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    logs.configure("json", "debug")
    logging.getLogger("uvicorn.error").error("trouble")
    logging.getLogger("uvicorn.error").info('127.0.0.1 - "WebSocket /x" [accepted]')
    logging.getLogger("uvicorn.access").info("GET /")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "trouble"


@pytest.mark.parametrize("style", ["text", "json"])
def test_an_error_is_one_masked_line(capsys: pytest.CaptureFixture[str], style: str) -> None:
    logs.configure("json" if style == "json" else "text", "info")
    try:
        raise ValueError(f"bad\n{TOKEN} in /carry/{TOKEN}")
    except ValueError:
        logging.getLogger("patchwork.x").exception("failed")
    (line,) = capsys.readouterr().err.splitlines()
    assert "ValueError" in line
    assert f"/carry/{TOKEN}" not in line


@pytest.mark.parametrize("style", ["text", "json"])
@pytest.mark.parametrize(
    "forged",
    ["\n", "\r\n", "\x1b[31m", "\x00", "\x85", "\u2028", "\u2029", "\x7f", "\x0b", "\ud800"],
)
def test_control_characters_cannot_forge_a_line(
    capsys: pytest.CaptureFixture[str], style: str, forged: str
) -> None:
    logs.configure("json" if style == "json" else "text", "info")
    logging.getLogger("patchwork.x").info(
        "name %s", f"a{forged}b", extra={"player_name": f"c{forged}d"}
    )
    written = capsys.readouterr().err
    assert len(written.splitlines()) == 1
    assert forged not in written[:-1]


@pytest.mark.parametrize("style", ["text", "json"])
@pytest.mark.parametrize(
    "text",
    [
        f"GET /carry/{TOKEN}",
        f"GET /carry/{TOKEN}?lang=de",
        f"https://example.org/carry/{TOKEN}",
        f"Authorization: Bearer {TOKEN}",
        f"authorization=Bearer {TOKEN}",
        f"{{'authorization': 'Bearer {TOKEN}'}}",
        f"bearer {TOKEN}",
        f"Cookie: a=b; patchwork={TOKEN}",
        f"Set-Cookie: patchwork={TOKEN}; HttpOnly",
        f"[(b'cookie', b'patchwork={TOKEN}')]",
        f'{{"token": "{TOKEN}"}}',
        f"token={TOKEN}",
        f"postgresql://ann:{TOKEN}@host/name",
    ],
)
def test_secrets_are_masked(capsys: pytest.CaptureFixture[str], style: str, text: str) -> None:
    logs.configure("json" if style == "json" else "text", "info")
    log = logging.getLogger("patchwork.x")
    log.info(text)
    log.info("%s", text)
    log.info("asked", extra={"path": text, "headers": [text], "whole": {"inner": text}})
    written = capsys.readouterr().err
    assert len(written.splitlines()) == 3
    assert TOKEN not in written
    assert TOKEN.split(".")[1] not in written


@pytest.mark.parametrize("name", ["cookie", "Authorization", "bearer_token", "secret", "password"])
def test_fields_with_secret_names_are_masked(capsys: pytest.CaptureFixture[str], name: str) -> None:
    logs.configure("json", "info")
    logging.getLogger("patchwork.x").info("asked", extra={name: TOKEN})
    assert json.loads(capsys.readouterr().err)[name] == "***"


def test_harmless_texts_are_not_masked() -> None:
    for text in (
        "GET /api/tables/k2x7",
        "a token has run out",
        "the cookie is gone",
        "a patchwork",
    ):
        assert logs.masked(text) == text
