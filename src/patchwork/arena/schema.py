"""Tasks and finished games as JSON, as they stand in logs and travel between processes."""

from collections.abc import Mapping
from typing import Any

from patchwork.arena.schedule import Fault, PlayedGame, Task


def task_as_json(task: Task) -> dict[str, Any]:
    """Returns a task as JSON."""
    return {
        "players": task.players,
        "pair": task.pair,
        "game": task.game,
        "seed": task.seed,
        "edition": task.edition,
    }


def task_from_json(content: Mapping[str, Any], seed: int | None = None) -> Task:
    """Returns the task in JSON that has its seed, unless one is given.

    Raises:
        KeyError, TypeError, ValueError: the JSON holds something else.
    """
    first, second = content["players"]
    seed = content["seed"] if seed is None else seed
    return Task((first, second), content["pair"], content["game"], seed, content["edition"])


def played_as_json(played: PlayedGame) -> dict[str, Any]:
    """Returns a finished game as JSON, without the seed of its match."""
    task = task_as_json(played.task)
    del task["seed"]
    return {
        **task,
        "winner": played.winner,
        "scores": played.scores,
        "decisions": played.decisions,
        "seconds": played.seconds,
        "fault": played.fault,
        "detail": played.detail,
        "moves": " ".join(played.moves),
    }


def played_from_json(content: Mapping[str, Any], seed: int) -> PlayedGame:
    """Returns the finished game in JSON, given the seed of its match.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: the JSON holds something else.
    """
    return PlayedGame(
        task_from_json(content, seed),
        content["winner"],
        tuple(content["scores"]),
        tuple(content["moves"].split()),
        tuple(content["decisions"]),
        tuple(content["seconds"]),
        None if content["fault"] is None else Fault(content["fault"]),
        content["detail"],
    )
