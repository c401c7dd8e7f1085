"""The configuration of a run: its settings, and which values they may have.

Some configurations come with the package, in ``configs/``, and are known by their names.
"""

import tomllib
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.learn import old_names

_SHIPPED = Path(__file__).parent / "configs"
NAMES = tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))
"""The configurations that come with the package."""


class ConfigProblem(StrEnum):
    """What can be wrong with a configuration."""

    NOT_TOML = "not TOML"
    UNKNOWN = "unknown setting"
    NOT_WHOLE = "not a whole number in its range"
    NOT_A_NUMBER = "not a number in its range"
    NOT_A_PLAN = "not a plan of simulations"


class ConfigError(ValueError):
    """A configuration that cannot be used: the setting, its value and what is allowed."""

    def __init__(
        self,
        problem: ConfigProblem,
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
    """The settings of a run; ``docs/training.md`` explains them.

    The defaults suit one large GPU.
    """

    channels: int = 64
    blocks: int = 6
    hidden: int = 128
    """Width of the layers that read the scalar features and of those that give the values."""
    mlp_blocks: int = 0
    """Residual blocks of two more such layers, in each of the two places."""
    circle_channels: int = 0
    """Channels of the convolutions along the circle of patches; 0 leaves them out."""
    student_channels: int = 64
    student_blocks: int = 0
    """Depth of a smaller network that learns from the same games; 0 for no student."""
    minutes: float = 25.0
    """Length of the whole run, however often it is resumed; the schedules below refer to it."""
    games: int = 4096
    """Games in each of the groups that take turns on the device."""
    simulations: tuple[tuple[float, int], ...] = ((0.0, 16), (0.3, 32), (0.6, 64))
    """Pairs of a share of the run and the simulations for each move from then on."""
    num_considered: int = 16
    """The most moves that a search considers at its root."""
    td_lambda: float = 0.95
    """How much a value target follows the result of its game rather than the searches after it."""
    buffer_size: int = 3_000_000
    """Positions in the replay buffer."""
    min_buffer_size: int = 200_000
    """Positions that must be in it before training starts, or resumes after a break."""
    reuse: float = 2.0
    """How often each position is used in training, on average."""
    batch_size: int = 4096
    learning_rate: float = 1e-3
    final_learning_rate: float = 3e-5
    """The learning rate falls from the first to the second along a cosine."""
    weight_decay: float = 1e-3
    max_gradient_norm: float = 2.0
    ema_decay: float = 0.999
    """Self-play uses a moving average of the weights; this share of it stays at each step."""
    match_every: float = 5.0
    """Minutes between two matches of the current network with earlier ones; 0 for none."""
    match_pairs: int = 512
    match_simulations: int = 8
    keep_every: float = 15.0
    """Minutes between two networks that are kept; 0 keeps only the last one."""
    seed: int = 1

    @classmethod
    def read(cls, path: Path) -> "Config":
        """Returns the configuration of a file.

        Raises:
            ConfigError: a setting is unknown, or its value is not allowed.
            OSError: the file cannot be read.
            UnicodeDecodeError: the file is not text.
        """
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(ConfigProblem.NOT_TOML, "see toml.io", value=error) from error
        return cls.of(values)

    @classmethod
    def of(cls, values: dict[str, Any]) -> "Config":
        """Returns the configuration with these settings, which may have their earlier names.

        Raises:
            ConfigError: a setting is unknown, or its value is not allowed.
        """
        kinds: dict[str, Any] = {field.name: type(field.default) for field in fields(cls)}
        checked: dict[str, Any] = {}
        for written, value in values.items():
            name = old_names.CONFIG.get(written, written)
            if name not in kinds or name in checked:
                known = f"settings are {', '.join(kinds)}"
                raise ConfigError(ConfigProblem.UNKNOWN, known, written, value)
            if name == "simulations":
                checked[name] = _plan(written, value)
            else:
                _check_number(written, value, RANGES[name], whole=kinds[name] is int)
                checked[name] = kinds[name](value)
        return cls(**checked)

    def values(self) -> dict[str, Any]:
        """Returns the settings in the form that ``of`` takes."""
        return asdict(self)

    def simulations_at(self, share: float) -> int:
        """Returns the simulations for each move once this share of the run is over."""
        return [count for begin, count in self.simulations if begin <= share][-1]


RANGES: dict[str, tuple[float, float]] = {
    "channels": (1, 1024),
    "blocks": (0, 64),
    "hidden": (1, 4096),
    "mlp_blocks": (0, 64),
    "circle_channels": (0, 1024),
    "student_channels": (1, 1024),
    "student_blocks": (0, 64),
    "minutes": (0.01, 100_000),
    "games": (1, 65_536),
    "num_considered": (1, CANDIDATES),
    "td_lambda": (0, 1),
    "buffer_size": (1, 100_000_000),
    "min_buffer_size": (1, 100_000_000),
    "reuse": (0, 100),
    "batch_size": (1, 65_536),
    "learning_rate": (0, 1),
    "final_learning_rate": (0, 1),
    "weight_decay": (0, 1),
    "max_gradient_norm": (0.001, 1000),
    "ema_decay": (0, 1),
    "match_every": (0, 100_000),
    "match_pairs": (1, 32_768),
    "match_simulations": (0, 4096),
    "keep_every": (0, 100_000),
    "seed": (0, 2**32 - 1),
}
"""The least and the most that each setting but ``simulations`` may be.

The limits catch typing errors; within them, memory and time decide.
"""
MAX_SIMULATIONS = 4096
"""The most simulations for each move."""


def config_path(text: str) -> Path:
    """Returns the file of a configuration, given its name or its path."""
    return _SHIPPED / f"{text}.toml" if text in NAMES else Path(text)


def _check_number(name: str, value: object, limits: tuple[float, float], *, whole: bool) -> None:
    least, most = limits
    kinds = int if whole else (int, float)
    # True is an int in Python, and nan is within no range.
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        raise ConfigError(
            ConfigProblem.NOT_WHOLE if whole else ConfigProblem.NOT_A_NUMBER,
            f"it must be from {least} to {most}",
            name,
            value,
            limits,
        )


def _plan(name: str, value: object) -> tuple[tuple[float, int], ...]:
    """Returns the plan in a list of ``[share of the run, simulations]``."""
    rows = value if isinstance(value, list | tuple) else ()
    plan = tuple(
        (float(row[0]), row[1])
        for row in rows
        if isinstance(row, list | tuple)
        and len(row) == 2
        and isinstance(row[0], int | float)
        and type(row[1]) is int
        and 1 <= row[1] <= MAX_SIMULATIONS
    )
    shares = [share for share, _ in plan]
    rising = all(before < after for before, after in pairwise(shares))
    if not plan or len(plan) != len(rows) or shares[0] != 0 or shares[-1] > 1 or not rising:
        allowed = f"it must be like [[0, 16], [0.5, 32]], with 1 to {MAX_SIMULATIONS} simulations"
        raise ConfigError(ConfigProblem.NOT_A_PLAN, allowed, name, value, (1, MAX_SIMULATIONS))
    return plan
