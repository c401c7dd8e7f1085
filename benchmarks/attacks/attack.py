"""What an attack is."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.serving import Server


@dataclass(frozen=True)
class Attack:
    """Something that strangers do to a server, bounded in number and time."""

    name: str
    about: str
    """What is done and what is measured, in a sentence."""
    run: Callable[[Server], Awaitable[Mapping[str, float]]]
    """Returns figures by their names, units included, such as ``"p95 ms"``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the server, other than its own."""
