"""Games to be played and games that are over, as JSON: in the log, and between processes."""

from collections.abc import Mapping
from typing import Any

from patchwork.arena.schedule import Fault, PlayedGame, Task


def task_as_json(task: Task) -> dict[str, Any]:
    """Returns a game that is to be played as JSON."""
    return {
        "players": task.players,
        "pair": task.pair,
        "game": task.game,
        "seed": task.seed,
        "edition": task.edition,
    }


def task_from_json(content: Mapping[str, Any], seed: int | None = None) -> Task:
    """Returns the game to be played in JSON; the seed may be known from elsewhere.

    Raises:
        KeyError, TypeError, ValueError: it is something else.
    """
    first, second = content["players"]
    seed = content["seed"] if seed is None else seed
    return Task((first, second), content["pair"], content["game"], seed, content["edition"])


def played_as_json(played: PlayedGame) -> dict[str, Any]:
    """Returns a game that is over as JSON, without the seed of its match."""
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
    """Returns the game that is over in JSON, given the seed of its match.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: it is something else.
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
