"""Results of matches and ladders, for people and for programs."""

import math
from typing import TYPE_CHECKING

from patchwork.locales import Messages
from patchwork.terminal import screen

if TYPE_CHECKING:
    from patchwork.arena.elo import Estimate
    from patchwork.arena.ladder import RatedPlayer
    from patchwork.arena.match import MatchSummary


def elo_text(estimate: "Estimate") -> str:
    """Returns a difference in Elo with its interval: ``+35 Elo [-10, +81]``."""
    low, high = _signed(estimate.low), _signed(estimate.high)
    return f"{_signed(estimate.elo)} Elo [{low}, {high}]"


def print_summary(
    summary: "MatchSummary", say: Messages, bounds: tuple[float, float] | None = None
) -> None:
    """Prints the result of a match, and of its test with these bounds."""
    pairs = summary.pairs
    lines = [
        f"{summary.players[0]} : {summary.players[1]}",
        say(
            "cli-result-games",
            games=2 * pairs.count,
            wins=pairs.wins,
            losses=pairs.losses,
            percent=round(100 * pairs.score, 1),
        ),
        say(
            "cli-result-pairs",
            pairs=pairs.count,
            won=pairs.won,
            split=pairs.split,
            lost=pairs.lost,
        ),
        say(
            "cli-result-elo",
            elo=elo_text(summary.estimate),
            percent=round(100 * summary.superiority, 1),
        ),
    ]
    if summary.mean_scores is not None:
        first, second = summary.mean_scores
        lines.append(say("cli-result-scores", first=round(first, 1), second=round(second, 1)))
    if pairs.count:
        first_time, second_time = map(_milliseconds, summary.seconds_per_move)
        lines.append(say("cli-result-time", first=first_time, second=second_time))
    lines += [
        say(
            "cli-result-forfeit",
            player=played.task.players[1 - played.winner],
            pair=played.task.pair + 1,
            game=played.task.game + 1,
            fault=f"{played.fault}: {played.detail}",
        )
        for played in summary.forfeits
    ]
    if summary.verdict is not None and summary.ratio is not None and bounds is not None:
        lines.append(
            say(
                "cli-result-sprt",
                verdict=str(summary.verdict),
                low=f"{bounds[0]:g}",
                high=f"{bounds[1]:g}",
                ratio=round(summary.ratio, 2),
            )
        )
    screen.print_text("\n".join(lines))


def summary_as_json(summary: "MatchSummary") -> dict[str, object]:
    """Returns the result of a match; infinite and unknown values are None."""
    pairs = summary.pairs
    return {
        "players": summary.players,
        "games": 2 * pairs.count,
        "wins": pairs.wins,
        "losses": pairs.losses,
        "score": pairs.score if pairs.count else None,
        "pairs": {"won": pairs.won, "split": pairs.split, "lost": pairs.lost},
        **_estimate_as_json(summary.estimate),
        "superiority": summary.superiority,
        "mean_scores": summary.mean_scores,
        "seconds_per_move": summary.seconds_per_move,
        "forfeits": [
            {
                "player": played.task.players[1 - played.winner],
                "pair": played.task.pair,
                "game": played.task.game,
                "fault": played.fault,
                "detail": played.detail,
            }
            for played in summary.forfeits
        ],
        "llr": summary.ratio,
        "sprt": summary.verdict,
    }


def rating_as_json(rated: "RatedPlayer") -> dict[str, object]:
    """Returns a player of a ladder and its strength."""
    return {"player": rated.player, **_estimate_as_json(rated.estimate)}


def _estimate_as_json(estimate: "Estimate") -> dict[str, object]:
    values = {"elo": estimate.elo, "elo_low": estimate.low, "elo_high": estimate.high}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _signed(elo: float) -> str:
    if math.isinf(elo):
        return "+∞" if elo > 0 else "-∞"
    return f"{elo:+.0f}"


def _milliseconds(seconds: float | None) -> str:
    return "?" if seconds is None else f"{1000 * seconds:.3g} ms"
