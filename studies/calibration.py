"""Measures how reliable a network's predictions are, in games against itself.

    python studies/calibration.py [--network FILE] [--games N] [--simulations N] [--write]
        [--store]

The games are as random as those that a network learns from. In every position with more than one
legal move, the predicted probability of winning is compared with the result. The temperature with
which the two agree best is fitted to each half of the games and tested on the other half; the one
that is stored is fitted to all games. The study also measures the error of the predicted margin in
each third of the board, and how much the answers vary when the quilts are turned.

``--write`` puts the figures and the plot into ``docs/strategy.md``. ``--store`` puts the
temperature into the network's metadata, where ``engine.insight`` finds it. It takes about half an
hour on two cores.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from studies.pages import PAGE, picture, table, write_block
from studies.selfplay import Games, arguments, played

from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.insight import TEMPERATURE, look
from patchwork.engine.kernel.rules import score, winner
from patchwork.engine.kernel.state import SEAT, TIME, TURN, to_position
from patchwork.engine.kernel.symmetry import SYMMETRY_CELLS, turned
from patchwork.learn.export import amend
from patchwork.rules.position import Position
from patchwork.rules.timeboard import EDITIONS, LAST

Numbers = NDArray[np.float64]

BINS = 20
"""Intervals of equal width into which predictions are sorted."""
PHASES = ("first", "second", "last")
"""The thirds of the time board, by the token of the seat to decide."""
TURNED = 12
"""Positions that are shown in all 64 orientations of the two quilts."""
_LEAST = 1e-7
"""Keeps probabilities away from 0 and 1, so that their logarithms are finite."""
PICTURE = PAGE.parent / "images" / "calibration.svg"


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions for the seat to decide, and the results."""

    game: NDArray[np.int64]
    third: NDArray[np.int64]
    win: Numbers
    margin: Numbers
    won: Numbers
    ahead: Numbers


def predictions(games: Games) -> Predictions:
    """Returns the network's predictions where there was more than one legal move."""
    kept = games.choice == 1
    states, game = games.states[kept], games.games[kept]
    turn = states[:, TURN]
    first = np.array([winner(end) == 0 for end in games.ends])
    margin = np.array([score(end, 0) - score(end, 1) for end in games.ends])
    values = games.values[kept].astype(np.float64)
    return Predictions(
        game=game,
        third=third(states),
        win=values[:, 0],
        margin=values[:, 1],
        won=np.where(turn == 0, first[game], ~first[game]).astype(np.float64),
        ahead=np.where(turn == 0, margin[game], -margin[game]).astype(np.float64),
    )


def third(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the third of the time board, 0 to 2, with the token of the seat to decide."""
    times = np.where(states[:, TURN] == 0, states[:, TIME], states[:, SEAT + TIME])
    return np.asarray(np.minimum(3 * times // (LAST + 1), 2))


def tempered(win: Numbers, temperature: float) -> Numbers:
    """Returns probabilities with their logits divided by a temperature."""
    safe = np.clip(win, _LEAST, 1 - _LEAST)
    return np.asarray(1 / (1 + np.exp(-np.log(safe / (1 - safe)) / temperature)))


def log_loss(win: Numbers, won: Numbers) -> float:
    """Returns the mean negative log-likelihood of the results, in nats."""
    safe = np.clip(win, _LEAST, 1 - _LEAST)
    return float(-np.mean(won * np.log(safe) + (1 - won) * np.log(1 - safe)))


def fitted_temperature(win: Numbers, won: Numbers) -> float:
    """Returns the temperature of the least log loss, by golden-section search on its logarithm."""
    low, high = np.log(0.2), np.log(5.0)
    golden = (np.sqrt(5) - 1) / 2
    while high - low > 1e-4:
        left, right = high - golden * (high - low), low + golden * (high - low)
        if log_loss(tempered(win, np.exp(left)), won) < log_loss(tempered(win, np.exp(right)), won):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2))


def cross_fitted(found: Predictions) -> Numbers:
    """Returns probabilities with temperatures, each fitted to the other half of the games."""
    after = found.win.copy()
    for half in (0, 1):
        here = found.game % 2 == half
        temperature = fitted_temperature(found.win[~here], found.won[~here])
        after[here] = tempered(found.win[here], temperature)
    return after


def reliability(win: Numbers, won: Numbers) -> list[tuple[float, float, int]]:
    """Returns the mean prediction, the share won and the count of every bin that is not empty."""
    places = np.minimum((BINS * win).astype(np.int64), BINS - 1)
    found = []
    for place in range(BINS):
        here = places == place
        if here.any():
            found.append((float(win[here].mean()), float(won[here].mean()), int(here.sum())))
    return found


def calibration_error(win: Numbers, won: Numbers) -> float:
    """Returns the expected calibration error (ECE)."""
    bins = reliability(win, won)
    return sum(count * abs(said - came) for said, came, count in bins) / len(win)


def margin_errors(found: Predictions) -> dict[str, dict[str, float]]:
    """Returns the errors of the predicted margins in each third of the board."""
    errors = {}
    for number, name in enumerate(PHASES):
        off = (found.margin - found.ahead)[found.third == number]
        errors[name] = {
            "positions": len(off),
            "mean_absolute": round(float(np.abs(off).mean()), 2),
            "root_mean_square": round(float(np.sqrt((off**2).mean())), 2),
            "bias": round(float(off.mean()), 2),
        }
    return errors


def steadiness(network: NetworkEvaluator, games: Games, seed: int) -> dict[str, list[float]]:
    """Returns the standard deviations of win and margin over all orientations of both quilts.

    They are those of single answers, and of averages over eight views.
    """
    random = np.random.default_rng(seed)
    chosen = random.choice(np.flatnonzero(games.choice == 1), TURNED, replace=False)
    turns = SYMMETRY_CELLS.tolist()
    spread: dict[str, list[list[float]]] = {"one_view": [], "eight_views": []}
    for number in chosen:
        game = games.games[number]
        edition = EDITIONS[int(games.editions[game])]
        position = to_position(games.states[number], games.circles[game], edition)
        ways = [_turned(position, one, other) for one in turns for other in turns]
        for name, views in (("one_view", 1), ("eight_views", len(turns))):
            seen = [look(way, network, placements=0, views=views) for way in ways]
            said = np.array([(insight.win[0], insight.margin) for insight in seen])
            spread[name].append(said.std(0).tolist())
    return {
        name: [round(float(value), 4) for value in np.mean(found, 0)]
        for name, found in spread.items()
    }


def _turned(position: Position, one: list[int], other: list[int]) -> Position:
    first, second = position.players
    return replace(
        position,
        players=(
            replace(first, quilt=turned(first.quilt, one)),
            replace(second, quilt=turned(second.quilt, other)),
        ),
    )


def measured(
    network: NetworkEvaluator, games: Games, simulations: int, seed: int
) -> dict[str, Any]:
    """Returns all figures."""
    found = predictions(games)
    after = cross_fitted(found)
    return {
        "network": network.card.get("name", ""),
        "games": len(games.editions),
        "simulations": simulations,
        "positions": len(found.win),
        "temperature": round(fitted_temperature(found.win, found.won), 3),
        "calibration_error": round(calibration_error(found.win, found.won), 4),
        "calibration_error_after": round(calibration_error(after, found.won), 4),
        "log_loss": round(log_loss(found.win, found.won), 4),
        "log_loss_after": round(log_loss(after, found.won), 4),
        "margin": margin_errors(found),
        "steadiness": steadiness(network, games, seed),
        "reliability": reliability(found.win, found.won),
        "reliability_after": reliability(after, found.won),
    }


def written(figures: dict[str, Any]) -> str:
    """Returns the figures as Markdown."""
    one, eight = figures["steadiness"]["one_view"], figures["steadiness"]["eight_views"]
    return "\n\n".join(
        (
            f"{figures['games']:,} games of the network `{figures['network']}` against itself,"
            f" {figures['simulations']} simulations per move, {figures['positions']:,} positions."
            f" Fitted temperature: {figures['temperature']:.3f}.",
            table(
                ("win probability", "as the network says it", "with the temperature"),
                [
                    (
                        "expected calibration error",
                        f"{figures['calibration_error']:.4f}",
                        f"{figures['calibration_error_after']:.4f}",
                    ),
                    (
                        "log loss",
                        f"{figures['log_loss']:.4f}",
                        f"{figures['log_loss_after']:.4f}",
                    ),
                ],
            ),
            table(
                ("third of the board", "positions", "mean error", "root mean square", "bias"),
                [
                    (
                        name,
                        f"{row['positions']:,}",
                        f"{row['mean_absolute']:.2f} points",
                        f"{row['root_mean_square']:.2f}",
                        f"{row['bias']:+.2f}",
                    )
                    for name, row in figures["margin"].items()
                ],
            ),
            table(
                ("standard deviation over all 64 ways to turn the quilts", "win", "margin"),
                [
                    ("one view", f"{100 * one[0]:.2f} %", f"{one[1]:.2f} points"),
                    (
                        "average of eight views",
                        f"{100 * eight[0]:.2f} %",
                        f"{eight[1]:.2f} points",
                    ),
                ],
            ),
        )
    )


def draw(figures: dict[str, Any], path: Path) -> None:
    """Draws the reliability with and without the temperature; larger marks stand for more data."""
    with picture(path, (5.6, 5.2)) as axes:
        axes.plot((0, 1), (0, 1), color="#8a6248", linestyle="--", label="perfect")
        for key, colour, mark, label in (
            ("reliability", "#2f629b", "o", "as the network says it"),
            ("reliability_after", "#c2461f", "s", "with the temperature"),
        ):
            said, came, counts = zip(*figures[key], strict=True)
            sizes = [6 + 120 * count / max(counts) for count in counts]
            axes.plot(said, came, color=colour, linewidth=1)
            axes.scatter(said, came, s=sizes, color=colour, marker=mark, alpha=0.75, label=label)
        axes.set(xlabel="predicted probability to win", ylabel="share of games won")
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.legend(loc="upper left")


def main() -> None:
    """Plays the games and prints the figures."""
    parser = arguments(__doc__, games=5000)
    parser.add_argument("--store", action="store_true", help="store it in the network's metadata")
    options = parser.parse_args()
    if options.store and options.network is None:
        parser.error("--store needs --network")
    network, games = played(options, gumbel_scale=1.0)
    figures = measured(network, games, options.simulations, options.seed)
    if options.write:
        write_block(PAGE, "calibration", written(figures))
        draw(figures, PICTURE)
    if options.store:
        amend(options.network, {TEMPERATURE: figures["temperature"]})
    print(json.dumps(figures) if options.json else written(figures))


if __name__ == "__main__":
    main()
