"""Which games are to be played, and what is known of one when it is over.

Games come in pairs: the same circle twice, with seats swapped. All that chance decides follows from
the seed of the match, so that a game does not depend on when or beside which others it is played.
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
    """One game that is to be played."""

    players: tuple[str, str]
    """Their descriptions. In game 0 of a pair the first one has seat 0 and begins."""
    pair: int
    game: int
    """0 or 1: the players swap seats."""
    seed: int
    """The seed of the match."""
    edition: str
    """The name of an edition."""

    @property
    def key(self) -> tuple[tuple[str, str], int, int]:
        """What tells this game from the others of a match."""
        return self.players, self.pair, self.game

    @property
    def circle_seed(self) -> int:
        """The seed that decides the circle; both games of a pair have the same."""
        return _derived(self.seed, self.pair)

    @property
    def setup(self) -> Setup:
        """The set-up of the game."""
        return Setup.random(self.circle_seed, EDITION_BY_NAME[self.edition])

    def player_at(self, seat: int) -> int:
        """Returns which of the players has a seat."""
        return seat ^ self.game

    def player_seed(self, player: int) -> int:
        """Returns the seed of all that a player leaves to chance in this game."""
        return _derived(self.seed, self.pair, self.game, player)


@dataclass(frozen=True, slots=True)
class Schedule:
    """All games of a match, or of several on one scale."""

    pairings: tuple[tuple[str, str], ...]
    """Who plays whom."""
    pairs: int
    """How many pairs of games each pairing plays."""
    seed: int = 0
    edition: str | None = None
    """The name of the edition; None takes turns, pair by pair."""

    def tasks(self) -> Iterator[Task]:
        """Yields the games, pairing by pairing."""
        for players in self.pairings:
            for pair in range(self.pairs):
                edition = self.edition or EDITIONS[pair % len(EDITIONS)].name
                for game in (0, 1):
                    yield Task(players, pair, game, self.seed, edition)


class Fault(StrEnum):
    """Why a player lost a game before its end."""

    CRASHED = "crashed"
    ILLEGAL_MOVE = "illegal move"
    NO_ANSWER = "no answer"
    PROTOCOL_ERROR = "broke the protocol"


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """One game that is over. Pairs of numbers are those of the two players, not of the seats."""

    task: Task
    winner: int
    """Which of the players."""
    scores: tuple[int, int]
    moves: tuple[str, ...]
    decisions: tuple[int, int]
    """How many moves each chose."""
    seconds: tuple[float, float]
    """How long each thought, in all."""
    fault: Fault | None = None
    """Why the loser forfeited the game, if so."""
    detail: str = ""
    """The fault in English."""

    def record(self) -> Record:
        """Returns the game with the names of the players; a fault is told in a comment."""
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
    """Returns a seed that follows from some numbers and looks unlike that of any others."""
    digest = sha256(":".join(map(str, numbers)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS
