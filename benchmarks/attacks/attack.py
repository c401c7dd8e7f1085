"""The description of an attack."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.serving import Server


@dataclass(frozen=True)
class Attack:
    """Something that attackers do to a server, bounded in number and time."""

    name: str
    about: str
    """A sentence that says what is done and what is measured."""
    run: Callable[[Server], Awaitable[Mapping[str, float]]]
    """Returns figures by name, including their units, such as ``"p95 ms"``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """The server's settings, where they differ from the defaults."""
