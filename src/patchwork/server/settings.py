"""The settings of a server, from environment variables and command-line options."""

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
    """The allowed values of a setting, in English for programmers."""

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
    """The value of a setting is not allowed."""

    def __init__(self, name: str, value: str, allowed: Allowed) -> None:
        self.name = name
        self.value = "..." if name == "secret" else re.sub("//[^@/]*@", "//...@", value)
        """The value as it was given, without secrets."""
        self.allowed = allowed
        super().__init__(f"{name} is {self.value!r}; allowed: {allowed}")


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; ``read`` takes each from the variable ``PATCHWORK_<NAME>``."""

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8327
    """The port to listen on; 0 for any free port."""
    database: str = field(default="", repr=False)
    """The URL of the database; if none is given, ``read`` chooses a file in the data folder."""
    origins: tuple[str, ...] = ()
    """Origins, in addition to the server's own, whose pages may act for their visitors."""
    proxies: tuple[str, ...] = ()
    """Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted."""
    public_url: str = ""
    """Where players reach the server, for links; if not given, the address of the request."""
    secure_cookies: bool | None = None
    """Whether cookies are sent over HTTPS only; None if ``public_url`` or the request decides."""
    workers: int = field(default_factory=lambda: max(1, _cores() - 1))
    """Engine processes, which choose the moves of the computer."""
    secret: str = field(default="", repr=False)
    """The key that signs identities; if none is given, one is kept in the database."""
    log_format: Literal["text", "json"] = "text"
    """The format of log entries."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The level of the least important entries that are logged."""
    frame_bytes: int = 2048
    """Bytes of the longest message a socket may send."""
    play_messages: int = 100
    """Messages of a player's socket in 20 seconds."""
    watch_messages: int = 50
    """Messages of a spectator's socket in 20 seconds."""
    new_games_per_minute: int = 5
    """New games per address and minute."""
    new_games_per_day: int = 300
    """New games per address and day."""
    requests_per_minute: int = 240
    """Requests that change something, and sockets opened, per address and minute."""
    reads: int = 1000
    """Other requests per address in 10 seconds; faster clients are answered later."""
    copies_per_minute: int = 120
    """Pictures, replays and records made per address and minute."""
    streams: int = 50
    """Simultaneous event streams per address."""
    connections: int = 4096
    """Simultaneous connections, if there are enough file descriptors."""
    connections_per_address: int = 512
    """Simultaneous connections per address."""
    silence: float = 30.0
    """Seconds after which a silent socket is closed."""
    gone_left: float = 10.0
    """Seconds until the win can be claimed from a player who left on purpose."""
    gone_lost: float = 30.0
    """Seconds until the win can be claimed from a player whose connection was lost."""
    carry_minutes: int = 10
    """For how long a carry link, which takes a player to another device, can be used."""
    carries_per_hour: int = 3
    """Carry links per player and hour."""
    keep_unfinished_days: int = 0
    """For how long unfinished games are kept after the last event; 0 for ever."""
    keep_finished_days: int = 0
    """For how long finished games are kept after the last event; 0 for ever."""

    @classmethod
    def read(cls, environment: Mapping[str, str], **overrides: str) -> Settings:
        """Returns the settings in an environment; an empty text means the default.

        Args:
            environment: variables such as ``PATCHWORK_PORT``.
            overrides: texts that replace those of the environment, by the name of the setting.

        Raises:
            SettingError: a value is not allowed.
            TypeError: there is no setting with that name.
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
        """The file of the database; None for a database server."""
        scheme, _, path = self.database.partition(":///")
        return Path(path) if scheme == "sqlite" else None


def origin_of(text: str) -> str:
    """Returns an origin in the form that browsers use.

    Raises:
        ValueError: the text is not the origin of a web page.
    """
    found = re.fullmatch(
        r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::([0-9]{1,5}))?", text.lower()
    )
    if found is None:
        raise ValueError(f"{text!r} is not an origin")
    scheme, name, port = found.groups()
    host = _host(name)
    host = f"[{host}]" if ":" in host else host
    if port is None or int(port) == {"http": 80, "https": 443}[scheme]:
        return f"{scheme}://{host}"
    return f"{scheme}://{host}:{_whole(1, 65535)(port)}"


def is_loopback(host: str) -> bool:
    """Returns whether a name or an address leads to this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _data_folder(environment: Mapping[str, str]) -> Path:
    """Returns the data folder (XDG Base Directory Specification, which ignores relative paths)."""
    data = Path(environment.get("XDG_DATA_HOME", ""))
    if not data.is_absolute():
        data = _home(environment) / ".local" / "share"
    return data / "patchwork"


def _home(environment: Mapping[str, str]) -> Path:
    if environment.get("HOME") == "":  # Path.home would return the root folder
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
            raise ValueError("the URL names no database")
        return text
    if separator and not (scheme == "sqlite" and rest.startswith("/")):
        raise ValueError("unknown kind of database")
    path = rest.removeprefix("/") if separator else text
    if not path or path == ":memory:" or set(path) & {"?", "#", "\0"} or Path(path).is_dir():
        raise ValueError("not a file of its own")
    return _sqlite(Path(path))


def _host(text: str) -> str:
    bare = text[1:-1] if text[:1] + text[-1:] == "[]" else text
    try:
        return str(ip_address(bare))
    except ValueError:
        labels = text.removesuffix(".").split(".")
        named = all(re.fullmatch("(?!-)[A-Za-z0-9_-]{1,63}(?<!-)", label) for label in labels)
        # A name that ends in a number would be an address, as in 1.2.3 or 256.1.1.1.
        if not named or labels[-1].isdecimal() or len(text) > 253:
            raise
        return text.lower()


def _list_of(read: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    return lambda text: tuple(read(part.strip()) for part in text.split(",") if part.strip())


def _network(text: str) -> str:
    return str(ip_network(text)) if "/" in text else str(ip_address(text))


def _whole(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    def read(text: str) -> int:
        # `int` would also accept 1_0, and digits of other scripts.
        if not re.fullmatch("[0-9]{1,10}", text) or not least <= int(text) <= most:
            raise ValueError("out of range")
        return int(text)

    return read


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text) or not float(text) > 0:
        raise ValueError("not a duration")
    return float(text)


def _secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError("too short")
    return text


def _one_of(values: Mapping[str, object]) -> Callable[[str], object]:
    def read(text: str) -> object:
        if text.lower() not in values:
            raise ValueError("not an allowed value")
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
