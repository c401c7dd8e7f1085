"""The program that plays games for a match, one after another, in a process of its own.

``python -m patchwork.arena.child`` is given tasks. Before a player decides, it reports the game as
that player would lose it: if nothing more is heard of the process, this is the result.
"""

from typing import Any

from patchwork.arena.play import play, reason
from patchwork.arena.players import Description, Player
from patchwork.arena.schedule import PlayedGame, Task
from patchwork.arena.schema import played_as_json, task_from_json
from patchwork.programs.child import Child

TIDYING = 3.0
"""Seconds in which players may be closed before the process is ended by force."""


class _Table:
    """Two players, kept from one game to the next as long as they are the same."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._players: list[Player] = []

    def play(self, task: Task, child: Child) -> dict[str, Any]:
        """Returns what to answer to a task; before that, writes what happens if it fails."""
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
        """Ends what the players keep running."""
        while self._players:
            self._players.pop().close()


def main() -> None:
    """Plays games until the parent is gone."""
    child, table = Child(grace=TIDYING), _Table()
    try:
        child.ready()
        for request in child.requests():
            child.send(table.play(task_from_json(request), child))
    finally:
        table.close()


if __name__ == "__main__":
    main()
