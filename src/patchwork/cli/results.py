"""Results of the arena, for people and for programs."""

import math
from typing import TYPE_CHECKING

from patchwork.locales import Messages
from patchwork.terminal import screen

if TYPE_CHECKING:
    from patchwork.arena.elo import Estimate
    from patchwork.arena.ladder import Rung
    from patchwork.arena.match import Standing


def elo_text(estimate: "Estimate") -> str:
    """Returns a difference in Elo with its interval: ``+35 Elo [-10, +81]``."""
    low, high = _signed(estimate.low), _signed(estimate.high)
    return f"{_signed(estimate.elo)} Elo [{low}, {high}]"


def tell_standing(
    standing: "Standing", say: Messages, bounds: tuple[float, float] | None = None
) -> None:
    """Tells how a match stands, and its test with these bounds."""
    pairs = standing.pairs
    lines = [
        f"{standing.players[0]} : {standing.players[1]}",
        say(
            "cli-result-games",
            games=2 * pairs.count,
            wins=pairs.wins,
            losses=pairs.losses,
            percent=f"{100 * pairs.score:.1f}",
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
            elo=elo_text(standing.estimate),
            percent=f"{100 * standing.superiority:.1f}",
        ),
    ]
    if standing.mean_scores is not None:
        first, second = standing.mean_scores
        lines.append(say("cli-result-scores", first=f"{first:.1f}", second=f"{second:.1f}"))
    if pairs.count:
        first_time, second_time = map(_milliseconds, standing.seconds_per_move)
        lines.append(say("cli-result-time", first=first_time, second=second_time))
    lines += [
        say(
            "cli-result-forfeit",
            player=played.task.players[1 - played.winner],
            pair=played.task.pair + 1,
            game=played.task.game + 1,
            fault=f"{played.fault}: {played.detail}",
        )
        for played in standing.forfeits
    ]
    if standing.verdict is not None and standing.ratio is not None and bounds is not None:
        lines.append(
            say(
                "cli-result-sprt",
                verdict=str(standing.verdict),
                low=f"{bounds[0]:g}",
                high=f"{bounds[1]:g}",
                ratio=f"{standing.ratio:.2f}",
            )
        )
    screen.tell("\n".join(lines))


def standing_as_json(standing: "Standing") -> dict[str, object]:
    """Returns how a match stands; what is infinite or unknown is None."""
    pairs = standing.pairs
    return {
        "players": standing.players,
        "games": 2 * pairs.count,
        "wins": pairs.wins,
        "losses": pairs.losses,
        "score": pairs.score if pairs.count else None,
        "pairs": {"won": pairs.won, "split": pairs.split, "lost": pairs.lost},
        **_estimate_as_json(standing.estimate),
        "superiority": standing.superiority,
        "mean_scores": standing.mean_scores,
        "seconds_per_move": standing.seconds_per_move,
        "forfeits": [
            {
                "player": played.task.players[1 - played.winner],
                "pair": played.task.pair,
                "game": played.task.game,
                "fault": played.fault,
                "detail": played.detail,
            }
            for played in standing.forfeits
        ],
        "llr": standing.ratio,
        "sprt": standing.verdict,
    }


def rung_as_json(rung: "Rung") -> dict[str, object]:
    """Returns a player of a ladder and its strength."""
    return {"player": rung.player, **_estimate_as_json(rung.estimate)}


def _estimate_as_json(estimate: "Estimate") -> dict[str, object]:
    values = {"elo": estimate.elo, "elo_low": estimate.low, "elo_high": estimate.high}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _signed(elo: float) -> str:
    if math.isinf(elo):
        return "+∞" if elo > 0 else "-∞"
    return f"{elo:+.0f}"


def _milliseconds(seconds: float | None) -> str:
    return "?" if seconds is None else f"{1000 * seconds:.3g} ms"
