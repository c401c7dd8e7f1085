"""How a run learns: the settings of a configuration file, and which values they may have.

Some configurations come with the package and are known by their names (``configs/``).
"""

import tomllib
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

_SHIPPED = Path(__file__).parent / "configs"
NAMES = tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))
"""The configurations that come with the package."""


class Wrong(StrEnum):
    """What can be wrong with a configuration."""

    NOT_TOML = "not TOML"
    UNKNOWN = "unknown setting"
    WHOLE = "not a whole number in its range"
    NUMBER = "not a number in its range"
    WALKS = "not a plan of walks"


class ConfigError(ValueError):
    """A configuration that cannot be used: the setting, its value and what is allowed."""

    def __init__(
        self,
        problem: Wrong,
        allowed: str,
        name: str = "",
        value: object = None,
        limits: tuple[float, float] = (0, 0),
    ) -> None:
        subject = f"{name} is {value!r}" if name else str(value)
        super().__init__(f"{subject}: {problem}; {allowed}")
        self.problem = problem
        self.name = name
        self.value = value
        self.limits = limits


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of a run; ``docs/training.md`` explains them. The defaults are for one large GPU."""

    channels: int = 64
    blocks: int = 6
    hidden: int = 128
    layers: int = 0
    """Pairs of further layers that see the numbers and give the values."""
    ring: int = 0
    """Channels of the convolutions along the circle; 0: none."""
    student_channels: int = 64
    student_blocks: int = 0
    """A smaller network that learns from the same games; 0: none."""
    minutes: float = 25.0
    """Of the whole run, however many times it is resumed: what the plans below are made for."""
    games: int = 4096
    """Games in each of the groups that take turns."""
    walks: tuple[tuple[float, int], ...] = ((0.0, 16), (0.3, 32), (0.6, 64))
    """From which part of the run on a move is searched with how many walks."""
    considered: int = 16
    """Moves that a search considers at its root, at most."""
    trust: float = 0.95
    """How far the result of a game counts, and not the searches on the way: lambda."""
    samples: int = 3_000_000
    """Positions kept to learn from."""
    start: int = 200_000
    """Positions there must be before training begins, or goes on after a break."""
    reuse: float = 2.0
    """How often each position is learned from, on average."""
    batch: int = 4096
    rate: float = 1e-3
    last_rate: float = 3e-5
    """The learning rate falls from one to the other on a cosine."""
    decay: float = 1e-3
    clip: float = 2.0
    averaging: float = 0.999
    """What plays is an average of the weights; this much of it is kept at each step."""
    match_every: float = 5.0
    """Minutes between two matches of the present network with earlier ones; 0: none."""
    match_pairs: int = 512
    match_walks: int = 8
    keep_every: float = 15.0
    """Minutes between two networks kept on the way; 0: only the last one."""
    seed: int = 1

    @classmethod
    def read(cls, path: Path) -> "Config":
        """Returns the configuration of a file.

        Raises:
            ConfigError: it has a setting that there is not, or a value that is not allowed.
            OSError: it cannot be read.
            UnicodeDecodeError: it is no text.
        """
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(Wrong.NOT_TOML, "see toml.io", value=error) from error
        return cls.of(values)

    @classmethod
    def of(cls, values: dict[str, Any]) -> "Config":
        """Returns the configuration with those settings.

        Raises:
            ConfigError: there is no such setting, or its value is not allowed.
        """
        kinds: dict[str, Any] = {field.name: type(field.default) for field in fields(cls)}
        for name, value in values.items():
            if name not in kinds:
                raise ConfigError(Wrong.UNKNOWN, f"settings are {', '.join(kinds)}", name, value)
            if name != "walks":
                _check_number(name, value, whole=kinds[name] is int)
        checked = {name: kinds[name](value) for name, value in values.items() if name != "walks"}
        if "walks" in values:
            checked["walks"] = _plan(values["walks"])
        return cls(**checked)

    def values(self) -> dict[str, Any]:
        """Returns the settings, such as ``of`` takes them."""
        return asdict(self)

    def walks_at(self, part: float) -> int:
        """Returns the walks for each move at a part of the run."""
        return [count for begin, count in self.walks if begin <= part][-1]


RANGES: dict[str, tuple[float, float]] = {
    "channels": (1, 1024),
    "blocks": (0, 64),
    "hidden": (1, 4096),
    "layers": (0, 64),
    "ring": (0, 1024),
    "student_channels": (1, 1024),
    "student_blocks": (0, 64),
    "minutes": (0.01, 100_000),
    "games": (1, 65_536),
    "considered": (1, 48),
    "trust": (0, 1),
    "samples": (1, 100_000_000),
    "start": (1, 100_000_000),
    "reuse": (0, 100),
    "batch": (1, 65_536),
    "rate": (0, 1),
    "last_rate": (0, 1),
    "decay": (0, 1),
    "clip": (0.001, 1000),
    "averaging": (0, 1),
    "match_every": (0, 100_000),
    "match_pairs": (1, 32_768),
    "match_walks": (0, 4096),
    "keep_every": (0, 100_000),
    "seed": (0, 2**32 - 1),
}
"""The least and the most that each setting but ``walks`` may be."""
MOST_WALKS = 4096


def named(text: str) -> Path:
    """Returns the file of a configuration, by its name or its path."""
    return _SHIPPED / f"{text}.toml" if text in NAMES else Path(text)


def _check_number(name: str, value: object, *, whole: bool) -> None:
    least, most = RANGES[name]
    kinds = int if whole else (int, float)
    # True is an int to Python, and nan is within no range.
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        raise ConfigError(
            Wrong.WHOLE if whole else Wrong.NUMBER,
            f"it must be from {least} to {most}",
            name,
            value,
            (least, most),
        )


def _plan(value: object) -> tuple[tuple[float, int], ...]:
    """Returns the plan of walks in a list of ``[part, walks]``."""
    rows = value if isinstance(value, list | tuple) else ()
    plan = tuple(
        (float(row[0]), row[1])
        for row in rows
        if isinstance(row, list | tuple)
        and len(row) == 2
        and isinstance(row[0], int | float)
        and type(row[1]) is int
        and 1 <= row[1] <= MOST_WALKS
    )
    parts = [part for part, _ in plan]
    rising = all(before < after for before, after in pairwise(parts))
    if not plan or len(plan) != len(rows) or parts[0] != 0 or parts[-1] > 1 or not rising:
        allowed = f"it must be like [[0, 16], [0.5, 32]], with 1 to {MOST_WALKS} walks"
        raise ConfigError(Wrong.WALKS, allowed, "walks", value, (1, MOST_WALKS))
    return plan
