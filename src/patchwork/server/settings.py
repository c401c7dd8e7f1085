"""How a server is set up: by the environment, or by the options of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit


class Allowed(StrEnum):
    """What the value of a setting may be, in English for programmers."""

    HOST = "an address or a host name, without a port"
    PORT = "a whole number from 0 to 65535"
    DATABASE = "a file path, sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME"
    ORIGINS = "origins such as https://example.org, with commas between them"
    PROXIES = "IP addresses or networks such as 10.0.0.0/8, with commas between them"
    PUBLIC_URL = "a URL such as https://example.org, without a path"
    SWITCH = "auto, true or false"
    WORKERS = "a whole number from 1 to 256"
    SECRET = "at least 32 characters"
    LOG_FORMAT = "text or json"
    LOG_LEVEL = "debug, info, warning or error"
    FRAME = "a whole number from 256 to 1048576"
    COUNT = "a whole number, 0 or more"
    POSITIVE = "a whole number, 1 or more"
    SECONDS = "a number of seconds greater than 0"


class SettingError(ValueError):
    """The value of a setting that cannot be used."""

    def __init__(self, name: str, value: str, allowed: Allowed) -> None:
        self.name = name
        self.value = "..." if name == "secret" else re.sub("//[^@/]*@", "//...@", value)
        """As it was given, without what must not be shown."""
        self.allowed = allowed
        super().__init__(f"{name} is {self.value!r}; allowed: {allowed}")


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Settings:
    """All that can be set; ``read`` takes each from the variable ``PATCHWORK_<NAME>``."""

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8327
    """The port to listen on; 0 takes any that is free."""
    database: str = field(default="", repr=False)
    """The URL of the database; where none is given, ``read`` chooses a file of the user's."""
    origins: tuple[str, ...] = ()
    """Origins besides the server's own whose pages may act for their visitors."""
    proxies: tuple[str, ...] = ()
    """Proxies that are believed when they say whom they speak for (X-Forwarded-For, -Proto)."""
    public_url: str = ""
    """Where players reach the server, for links; where none is given, as the request was made."""
    secure_cookies: bool | None = None
    """Whether cookies travel over HTTPS only; None: when the request or ``public_url`` does."""
    workers: int = field(default_factory=lambda: max(1, _cores() - 1))
    """Processes that think for the computer."""
    secret: str = field(default="", repr=False)
    """The key that identities are signed with; where none is given, one is kept in the database."""
    log_format: Literal["text", "json"] = "text"
    """How log entries are written."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important entries that are written."""
    frame_bytes: int = 2048
    """The longest message a socket may send."""
    play_messages: int = 100
    """Messages in 20 seconds from a socket that plays."""
    watch_messages: int = 50
    """Messages in 20 seconds from a socket that watches."""
    new_games_per_minute: int = 5
    """New games from an address in a minute."""
    new_games_per_day: int = 300
    """New games from an address in a day."""
    requests_per_minute: int = 240
    """Requests that change something, and sockets opened, from an address in a minute."""
    reads: int = 1000
    """Other requests from an address in 10 seconds; who asks faster is answered later."""
    copies_per_minute: int = 120
    """Pictures, replays and records made for an address in a minute."""
    streams: int = 50
    """Streams of events open at a time from an address."""
    connections: int = 4096
    """Connections at a time, if there are descriptors for so many."""
    connections_per_address: int = 512
    """Connections at a time from an address."""
    silence: float = 30.0
    """Seconds after which a socket that says nothing is closed."""
    gone_left: float = 10.0
    """Seconds after which the win can be claimed from a player who left on purpose."""
    gone_lost: float = 30.0
    """Seconds after which the win can be claimed from a player whose connection is lost."""
    carry_minutes: int = 10
    """How long a link to carry on on another device can be used."""
    carries_per_hour: int = 3
    """Such links for a player in an hour."""
    keep_unfinished_days: int = 0
    """How long games without an end are kept after the last move; 0: for ever."""
    keep_finished_days: int = 0
    """How long other games are kept after their end; 0: for ever."""

    @classmethod
    def read(cls, environment: Mapping[str, str], **overrides: str) -> Settings:
        """Returns the settings of an environment; an empty text stands for the default.

        Args:
            environment: variables such as ``PATCHWORK_PORT``.
            overrides: texts that count instead, by the name of the setting.

        Raises:
            SettingError: a value is not allowed.
            TypeError: there is no setting of that name.
        """
        names = {setting.name for setting in fields(cls)}
        if unknown := overrides.keys() - names:
            raise TypeError(f"there is no setting {min(unknown)!r}")
        values: dict[str, Any] = {"database": _sqlite(_data_folder(environment) / "server.db")}
        for name in names:
            text = overrides.get(name, environment.get(f"PATCHWORK_{name.upper()}", "")).strip()
            if text:
                reader, allowed = _READERS[name]
                try:
                    values[name] = reader(text)
                except ValueError as error:
                    raise SettingError(name, text, allowed) from error
        return cls(**values)

    @property
    def database_file(self) -> Path | None:
        """The file of the database; None where a database server keeps it."""
        scheme, _, path = self.database.partition(":///")
        return Path(path) if scheme == "sqlite" else None


def origin_of(text: str) -> str:
    """Returns an origin as browsers write it.

    Raises:
        ValueError: it is not the origin of a page on the web.
    """
    found = re.fullmatch(
        r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::([0-9]{1,5}))?", text.lower()
    )
    if found is None:
        raise ValueError(f"{text!r} is no origin")
    scheme, name, port = found.groups()
    host = _host(name)
    host = f"[{host}]" if ":" in host else host
    if port is None or int(port) == {"http": 80, "https": 443}[scheme]:
        return f"{scheme}://{host}"
    return f"{scheme}://{host}:{_whole(1, 65535)(port)}"


def _data_folder(environment: Mapping[str, str]) -> Path:
    """Returns the folder for data, by the XDG convention, which ignores relative paths."""
    data = Path(environment.get("XDG_DATA_HOME", ""))
    if not data.is_absolute():
        data = _home(environment) / ".local" / "share"
    return data / "patchwork"


def _home(environment: Mapping[str, str]) -> Path:
    if environment.get("HOME") == "":  # Path.home would take the root of the disk for it
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path(environment["HOME"]) if "HOME" in environment else Path.home()


def _sqlite(path: Path) -> str:
    return f"sqlite:///{path.expanduser().absolute()}"


def _database(text: str) -> str:
    scheme, separator, rest = text.partition("://")
    if separator and scheme == "postgresql":
        urlsplit(text).port  # noqa: B018  raises ValueError
        if not urlsplit(text).path.strip("/"):
            raise ValueError("no database is named")
        return text
    if separator and not (scheme == "sqlite" and rest.startswith("/")):
        raise ValueError("unknown kind of database")
    path = rest.removeprefix("/") if separator else text
    if not path or path == ":memory:" or set(path) & {"?", "#", "\0"} or Path(path).is_dir():
        raise ValueError("no file of its own")
    return _sqlite(Path(path))


def _host(text: str) -> str:
    bare = text[1:-1] if text[:1] + text[-1:] == "[]" else text
    try:
        return str(ip_address(bare))
    except ValueError:
        labels = text.removesuffix(".").split(".")
        named = all(re.fullmatch("(?!-)[A-Za-z0-9_-]{1,63}(?<!-)", label) for label in labels)
        # What ends in a number would be an address, as in 1.2.3 or 256.1.1.1.
        if not named or labels[-1].isdecimal() or len(text) > 253:
            raise
        return text.lower()


def _list_of(read: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    return lambda text: tuple(read(part.strip()) for part in text.split(",") if part.strip())


def _network(text: str) -> str:
    return str(ip_network(text)) if "/" in text else str(ip_address(text))


def _whole(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    def read(text: str) -> int:
        # `int` would also take 1_0 and other digits than ours.
        if not re.fullmatch("[0-9]{1,10}", text) or not least <= int(text) <= most:
            raise ValueError("out of range")
        return int(text)

    return read


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text) or not float(text) > 0:
        raise ValueError("no duration")
    return float(text)


def _secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError("too short")
    return text


def _one_of(values: Mapping[str, object]) -> Callable[[str], object]:
    def read(text: str) -> object:
        if text.lower() not in values:
            raise ValueError("none of those")
        return values[text.lower()]

    return read


_COUNT = (_whole(0), Allowed.COUNT)
_SECONDS = (_seconds, Allowed.SECONDS)
_READERS: dict[str, tuple[Callable[[str], object], Allowed]] = {
    "host": (_host, Allowed.HOST),
    "port": (_whole(0, 65535), Allowed.PORT),
    "database": (_database, Allowed.DATABASE),
    "origins": (_list_of(origin_of), Allowed.ORIGINS),
    "proxies": (_list_of(_network), Allowed.PROXIES),
    "public_url": (lambda text: origin_of(text.removesuffix("/")), Allowed.PUBLIC_URL),
    "secure_cookies": (_one_of({"auto": None, "true": True, "false": False}), Allowed.SWITCH),
    "workers": (_whole(1, 256), Allowed.WORKERS),
    "secret": (_secret, Allowed.SECRET),
    "log_format": (_one_of({name: name for name in ("text", "json")}), Allowed.LOG_FORMAT),
    "log_level": (
        _one_of({name: name for name in ("debug", "info", "warning", "error")}),
        Allowed.LOG_LEVEL,
    ),
    "frame_bytes": (_whole(256, 2**20), Allowed.FRAME),
    "play_messages": _COUNT,
    "watch_messages": _COUNT,
    "new_games_per_minute": _COUNT,
    "new_games_per_day": _COUNT,
    "requests_per_minute": _COUNT,
    "reads": _COUNT,
    "copies_per_minute": _COUNT,
    "streams": _COUNT,
    "connections": _COUNT,
    "connections_per_address": _COUNT,
    "silence": _SECONDS,
    "gone_left": _SECONDS,
    "gone_lost": _SECONDS,
    "carry_minutes": (_whole(1), Allowed.POSITIVE),
    "carries_per_hour": _COUNT,
    "keep_unfinished_days": _COUNT,
    "keep_finished_days": _COUNT,
}
