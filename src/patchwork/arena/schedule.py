"""The games of a match: those to be played, and those that have been.

Games come in pairs: the same circle twice, with seats swapped. All random choices follow from the
seed of the match, so a game does not depend on when, or along with which others, it is played.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from patchwork.notation.moves import parse_move
from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.rules.game import Game
from patchwork.rules.setup import SEEDS, Setup
from patchwork.rules.timeboard import EDITION_BY_NAME, EDITIONS


@dataclass(frozen=True, slots=True)
class Task:
    """A game to be played."""

    players: tuple[str, str]
    """Their descriptions. In game 0 of a pair, the first of them has seat 0 and begins."""
    pair: int
    game: int
    """0 or 1; in game 1, the players have swapped seats."""
    seed: int
    """The seed of the match."""
    edition: str
    """The name of an edition."""

    @property
    def key(self) -> tuple[tuple[str, str], int, int]:
        """What identifies this game within a match."""
        return self.players, self.pair, self.game

    @property
    def circle_seed(self) -> int:
        """The seed of the circle, which is the same in both games of a pair."""
        return _derived(self.seed, self.pair)

    @property
    def setup(self) -> Setup:
        """The set-up of the game."""
        return Setup.random(self.circle_seed, EDITION_BY_NAME[self.edition])

    def player_at(self, seat: int) -> int:
        """Returns which of the two players has a seat."""
        return seat ^ self.game

    def player_seed(self, player: int) -> int:
        """Returns the seed of a player's random choices in this game."""
        return _derived(self.seed, self.pair, self.game, player)


@dataclass(frozen=True, slots=True)
class Schedule:
    """All games of a match, or of several matches on one scale."""

    pairings: tuple[tuple[str, str], ...]
    """Who plays whom."""
    pairs: int
    """The number of pairs of games in each pairing."""
    seed: int = 0
    edition: str | None = None
    """The name of the edition; None: it alternates from pair to pair."""

    def tasks(self) -> Iterator[Task]:
        """Yields the games, pairing by pairing."""
        for players in self.pairings:
            for pair in range(self.pairs):
                edition = self.edition or EDITIONS[pair % len(EDITIONS)].name
                for game in (0, 1):
                    yield Task(players, pair, game, self.seed, edition)


class Fault(StrEnum):
    """Why a player forfeited a game."""

    CRASHED = "crashed"
    ILLEGAL_MOVE = "illegal move"
    NO_ANSWER = "no answer"
    PROTOCOL_ERROR = "broke the protocol"


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game. Pairs of values belong to the two players, not to the seats."""

    task: Task
    winner: int
    """0 or 1, as in the task's ``players``."""
    scores: tuple[int, int]
    moves: tuple[str, ...]
    decisions: tuple[int, int]
    """How many moves each of them chose."""
    seconds: tuple[float, float]
    """How long each of them thought in total."""
    fault: Fault | None = None
    """Why the loser forfeited the game, if that happened."""
    detail: str = ""
    """A description of the fault in English."""

    def record(self) -> Record:
        """Returns the game as a record with the players' names; a comment describes a fault."""
        game = Game(self.task.setup)
        for text in self.moves:
            game.push(parse_move(game.position, text))
        names = (self.task.players[self.task.game], self.task.players[1 - self.task.game])
        tags = {"Pair": str(self.task.pair), "Seed": str(self.task.circle_seed)}
        if self.fault is None:
            return Record.of(game, names, tags=tags)
        plies = [Ply(move) for move in game.moves]
        remark = f"{self.task.players[1 - self.winner]} forfeits: {self.fault} ({self.detail})"
        if plies:
            plies[-1] = Ply(plies[-1].move, comment=remark)
        return Record(
            self.task.setup,
            Line(tuple(plies), "" if plies else remark),
            names,
            termination=Termination.TIME if self.fault is Fault.NO_ANSWER else Termination.LEFT,
            winner=self.task.player_at(self.winner),
            tags=tags,
        )


def _derived(*numbers: int) -> int:
    """Returns a seed derived from some numbers by a hash."""
    digest = sha256(":".join(map(str, numbers)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS
