"""Self-play: groups of games take turns, one walks while the others are evaluated."""

from patchwork.engine.search.gumbel import schedule
from patchwork.learn.selfplay.games import Rules, new_orchard, sow
from patchwork.learn.selfplay.inference import Judge
from patchwork.learn.selfplay.workers import Hands
from patchwork.learn.training.replay_buffer import Samples

_GROUPS = 4
"""Two would do if nothing else used the GPU; with more, a step of training holds nobody up."""
_SPREAD = 40
"""Moves of a game, about; see ``sow``."""


class SelfPlay:
    """Games that a network plays with itself, and the samples that come of them."""

    def __init__(self, judge: Judge, samples: Samples, rules: Rules, games: int, seed: int) -> None:
        self._judge = judge
        self._orchards = tuple(new_orchard(games, rules) for _ in range(_GROUPS))
        self._rooms = tuple(judge.room(games) for _ in range(_GROUPS))
        self._asked = []
        for group, (orchard, room) in enumerate(zip(self._orchards, self._rooms, strict=True)):
            sow(orchard, room, rules, _GROUPS * seed + group, 1, _SPREAD)
            self._asked.append(judge.ask(room))
        self._hands = Hands(self._orchards, self._rooms, rules, samples)

    def turn(self) -> None:
        """Takes every game one position further."""
        for group, room in enumerate(self._rooms):
            self._judge.wait(self._asked[group])
            self._hands.tend(group)
            self._asked[group] = self._judge.ask(room)

    def counts(self) -> tuple[int, int, int]:
        """Returns the games finished, those that the first seat won, and the evaluations."""
        games, first, evaluations = (
            int(number) for number in sum(orchard.done.sum(0) for orchard in self._orchards)
        )
        return games, first, evaluations

    def close(self) -> None:
        """Ends the threads."""
        self._hands.close()
        for asked in self._asked:
            self._judge.wait(asked)


def rules_of(considered: int, walks: int, *, luck: float = 1.0, trust: float = 1.0) -> Rules:
    """Returns how games are searched."""
    return Rules(schedule(considered, walks), luck, trust)
