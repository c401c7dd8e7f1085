"""The server's log: one line per entry on stderr, for people or for programs.

An entry says what happened; extra fields say to what::

    log.info("game opened", extra={"game": "k2x7"})
"""

import json
import logging
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

_STANDARD = {*vars(logging.makeLogRecord({})), "asctime", "color_message", "message", "taskName"}
_STANDARD |= {"time", "level", "logger", "event", "error"}
"""Attributes that every record has; all others are extra fields."""
_SECRET = re.compile("cookie|authorization|token|secret|password", re.IGNORECASE)
"""Names of fields whose values are never written."""
_MASK = "***"
_MASKS = (
    (re.compile(r"(/carry/)[^\s/?#\"']+"), rf"\1{_MASK}"),
    (re.compile(r"\b(bearer\s+)[\w.~+/=-]+", re.IGNORECASE), rf"\1{_MASK}"),
    (
        re.compile(
            r"((?:set-)?cookie|authorization)(['\"]?\s*[:=,]\s*b?['\"]?)[^'\"\r\n]+", re.IGNORECASE
        ),
        rf"\1\2{_MASK}",
    ),
    (
        re.compile(r"\b(patchwork=|token['\"]?\s*[:=]\s*['\"]?)[\w.~+/=-]+", re.IGNORECASE),
        rf"\1{_MASK}",
    ),
    (re.compile(r"(://[^\s:/@]*:)[^\s@]+@"), rf"\1{_MASK}@"),
)
"""Patterns of secrets in a text: carry links, tokens, cookies and passwords of databases."""
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def configure(style: Literal["text", "json"], level: str) -> None:
    """Sends all entries to stderr, including those of uvicorn.

    Args:
        style: ``text`` for people, ``json`` for programs.
        level: of the least important entries to write: debug, info, warning or error.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if style == "json" else TextLines())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in ("uvicorn", "uvicorn.access", "uvicorn.asgi", "uvicorn.error"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = name != "uvicorn.access"
    # At lower levels they log each connection, frame and statement with all its contents.
    for name in ("uvicorn", "uvicorn.error", "websockets", "sqlalchemy", "aiosqlite", "alembic"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))


class JsonLines(logging.Formatter):
    """Formats an entry as a JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line of an entry."""
        line = _entry(record) | {
            name: _value(name, value) for name, value in _extra(record).items()
        }
        return json.dumps(line, default=str)


class TextLines(logging.Formatter):
    """Formats an entry for people: time, level, logger, message and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line of an entry."""
        words = [str(word) for word in _entry(record).values()]
        words += [
            f"{name}={json.dumps(_value(name, value), ensure_ascii=False, default=str)}"
            for name, value in _extra(record).items()
        ]
        return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], " ".join(words))


def masked(text: str) -> str:
    """Returns a text without secrets."""
    for pattern, replacement in _MASKS:
        text = pattern.sub(replacement, text)
    return text


def _entry(record: logging.LogRecord) -> dict[str, object]:
    time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    entry: dict[str, object] = {
        "time": time.replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": masked(record.getMessage()),
    }
    if record.exc_info:
        entry["error"] = masked(logging.Formatter().formatException(record.exc_info))
    return entry


def _extra(record: logging.LogRecord) -> Mapping[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def _value(name: str, value: object) -> object:
    if _SECRET.search(name):
        return _MASK
    return value if isinstance(value, int | float | None) else masked(str(value))
