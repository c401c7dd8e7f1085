"""A match: plays the games of a schedule, logs them and summarises the results."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from patchwork.arena.elo import Estimate, Pairs, estimate, superiority
from patchwork.arena.log import Log
from patchwork.arena.pool import TIMEOUT, play_all
from patchwork.arena.schedule import PlayedGame, Schedule
from patchwork.arena.sprt import Sprt, Verdict


def play_schedule(
    schedule: Schedule, jobs: int = 1, log: Log | None = None, timeout: float = TIMEOUT
) -> Generator[PlayedGame]:
    """Yields the games of a schedule: first those in the log, then the others as they finish.

    Closing the generator ends the games in progress. Every game that was yielded is in the log.

    Raises:
        PlayerNotStarted: a player could not be created.
        OSError: the log cannot be written.
    """
    finished = () if log is None else log.played
    yield from finished
    keys = {played.task.key for played in finished}
    games = play_all((task for task in schedule.tasks() if task.key not in keys), jobs, timeout)
    try:
        for played in games:
            if log is not None:
                log.append(played)
            yield played
    finally:
        games.close()


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """The result of a match so far. Pairs of values belong to the two players."""

    players: tuple[str, str]
    pairs: Pairs
    """The finished pairs, from the first player's point of view."""
    mean_scores: tuple[float, float] | None
    """Over the games that were not forfeited, if there are any."""
    seconds_per_move: tuple[float | None, float | None]
    forfeits: tuple[PlayedGame, ...]
    ratio: float | None
    """The log-likelihood ratio, if there is a test."""
    verdict: Verdict | None

    @property
    def estimate(self) -> Estimate:
        """The difference in Elo; it is positive if the first player is better."""
        return estimate(self.pairs)

    @property
    def superiority(self) -> float:
        """The likelihood that the first player is better."""
        return superiority(self.pairs)

    @property
    def decided(self) -> bool:
        """Whether the test has come to a result, so that the match can end."""
        return self.verdict in (Verdict.ACCEPTED, Verdict.REJECTED)


def summarise(
    players: tuple[str, str], games: Iterable[PlayedGame], sprt: Sprt | None = None
) -> MatchSummary:
    """Returns the result of a match so far.

    A pair counts once both of its games are over. A test takes the pairs in order and none after
    its decision, so its result does not depend on which games happen to end first.
    """
    finished: dict[int, dict[int, PlayedGame]] = {}
    for played in games:
        if played.task.players == players:
            finished.setdefault(played.task.pair, {})[played.task.game] = played
    pairs, verdict = Pairs(), Verdict.UNDECIDED
    counted: list[PlayedGame] = []
    for number in sorted(finished):
        pair = finished[number]
        if sprt is not None and (number != len(counted) // 2 or len(pair) < 2):
            break  # an earlier pair is unfinished
        if len(pair) < 2:
            continue
        pairs = _with(pairs, [played.winner for played in pair.values()].count(0))
        counted += pair.values()
        if sprt is not None:
            verdict = sprt.verdict(pairs)
            if verdict is not Verdict.UNDECIDED:
                break
    return MatchSummary(
        players,
        pairs,
        _mean_scores(counted),
        (_seconds_per_move(counted, 0), _seconds_per_move(counted, 1)),
        tuple(played for played in counted if played.fault is not None),
        None if sprt is None else sprt.ratio(pairs),
        None if sprt is None else verdict,
    )


def _with(pairs: Pairs, wins: int) -> Pairs:
    return Pairs(pairs.lost + (wins == 0), pairs.split + (wins == 1), pairs.won + (wins == 2))


def _mean_scores(games: Sequence[PlayedGame]) -> tuple[float, float] | None:
    scores = [played.scores for played in games if played.fault is None]
    if not scores:
        return None
    first, second = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    return first, second


def _seconds_per_move(games: Sequence[PlayedGame], player: int) -> float | None:
    decisions = sum(played.decisions[player] for played in games)
    return sum(played.seconds[player] for played in games) / decisions if decisions else None
