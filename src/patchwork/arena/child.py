"""A child process that plays games, one after another: ``python -m patchwork.arena.child``.

Before a player decides, the child reports the game as that player would forfeit it. If nothing more
is heard from the process, this is the result.
"""

from typing import Any, Final

from patchwork.arena.play import play, reason
from patchwork.arena.players import Description, Player
from patchwork.arena.schedule import PlayedGame, Task
from patchwork.arena.schema import played_as_json, task_from_json
from patchwork.programs.child import Child

CLEANUP_TIME: Final = 3.0
"""Seconds that a child has to close its players before it is killed."""


class _Table:
    """The two players, which are kept for the next game if it has the same ones."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._players: list[Player] = []

    def play(self, task: Task, child: Child) -> dict[str, Any]:
        """Returns the answer to a task; before every decision, sends the possible forfeit."""
        if task.players != self._names:
            self.close()
            self._names = task.players
            for name in self._names:
                try:
                    self._players.append(Description.parse(name).player())
                except Exception as error:
                    return {"not_started": {"player": name, "detail": reason(error)}}

        def report(forfeit: PlayedGame) -> None:
            child.send({"forfeit": played_as_json(forfeit)})

        played = play(task, self._players, report)
        if played.fault is not None:  # the state of the players is unknown
            self._names = ()
        return {"played": played_as_json(played)}

    def close(self) -> None:
        """Closes the players."""
        while self._players:
            self._players.pop().close()


def main() -> None:
    """Plays games until the parent is gone."""
    child, table = Child(grace=CLEANUP_TIME), _Table()
    try:
        child.ready()
        for request in child.requests():
            child.send(table.play(task_from_json(request), child))
    finally:
        table.close()


if __name__ == "__main__":
    main()
