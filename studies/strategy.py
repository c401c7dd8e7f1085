"""Measures what a network knows about strategy: the figures in ``docs/strategy.md``.

    python studies/strategy.py [--network FILE] [--games N] [--simulations N] [--looks N]
        [--write]

The network plays games against itself. Its moves are not random, since the random circles make the
games different enough. Moves and results are counted over all games. In a random sample of the
positions, the network evaluates all moves. Intervals are 95 % confidence intervals. ``--write``
puts the figures into the page. It takes about a quarter of an hour on two cores.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan, sqrt
from pathlib import Path
from statistics import median, pstdev
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from studies.calibration import PHASES, third
from studies.pages import PAGE, table, write_block
from studies.selfplay import Games, arguments, played

from patchwork.arena.elo import QUANTILE
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.insight import look
from patchwork.engine.kernel.rules import score, winner
from patchwork.engine.kernel.state import (
    BUTTONS,
    IN_TURN,
    PASS,
    PHASE,
    SEAT,
    TILE_OWNER,
    TIME,
    TURN,
    to_move,
)
from patchwork.engine.kernel.state import to_position as position_of
from patchwork.rules.moves import Buy
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import TILE_POINTS, Phase, Player, Position
from patchwork.rules.quilt import CELLS, FULL, SIDE, cells
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS

PURSES = ((0, 2), (3, 5), (6, 9), (10, 99))
"""Ranges of buttons in hand."""
EARLY = 3
"""How many first patches of each seat have their places counted."""
OPENINGS = 24
"""Set-ups in which every place of the first patch is evaluated."""
NOTHING = "\N{EN DASH}"
_EDGE = sum(1 << cell for cell in range(CELLS) if {0, SIDE - 1} & set(divmod(cell, SIDE)))
_CORNERS = 1 << 0 | 1 << SIDE - 1 | 1 << CELLS - SIDE | 1 << CELLS - 1


def to_position(games: Games, number: int) -> Position:
    """Returns one of the positions of the games."""
    game = games.games[number]
    edition = EDITIONS[int(games.editions[game])]
    return position_of(games.states[number], games.circles[game], edition)


def mean(numbers: Sequence[float]) -> float:
    """Returns the mean; not a number if there are no numbers."""
    return sum(numbers) / len(numbers) if numbers else nan


def half_width(numbers: Sequence[float]) -> float:
    """Returns half the width of the 95 % confidence interval of a mean."""
    return QUANTILE * pstdev(numbers) / sqrt(len(numbers)) if numbers else nan


# Moves and results


def first_player(games: Games) -> list[dict[str, Any]]:
    """Returns how often, and by how much, the first player wins in each edition."""
    found = []
    for number, edition in enumerate(EDITIONS):
        ends = games.ends[games.editions == number]
        won = [float(winner(end) == 0) for end in ends]
        ahead = [float(score(end, 0) - score(end, 1)) for end in ends]
        found.append(
            {
                "edition": edition.name,
                "games": len(ends),
                "won": mean(won),
                "won_interval": half_width(won),
                "margin": mean(ahead),
                "margin_interval": half_width(ahead),
            }
        )
    return found


def special_tile(games: Games) -> dict[str, float]:
    """Returns how often and when the 7 x 7 tile is taken, and how its owner fares."""
    owners = games.ends[:, TILE_OWNER]
    taken = [(end, int(owner)) for end, owner in zip(games.ends, owners, strict=True) if owner >= 0]
    margins = [score(end, owner) - score(end, 1 - owner) for end, owner in taken]
    won = [float(winner(end) == owner) for end, owner in taken]
    owned = np.flatnonzero(games.states[:, TILE_OWNER] >= 0)
    _, first = np.unique(games.games[owned], return_index=True)
    times = [int(state[SEAT * state[TILE_OWNER] + TIME]) for state in games.states[owned[first]]]
    return {
        "games": len(games.ends),
        "taken": len(taken) / len(games.ends),
        "space": median(times) if times else nan,
        "owner_wins": mean(won),
        "owner_wins_interval": half_width(won),
        "wins_without_it": mean([float(margin > TILE_POINTS) for margin in margins]),
        "margin_without_it": mean([margin - TILE_POINTS for margin in margins]),
    }


def first_places(games: Games) -> list[dict[str, float]]:
    """Returns how often the first patches of a seat cover a corner, touch an edge, or a patch."""
    bought: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for number in range(len(games.moves)):
        move = to_move(int(games.moves[number]))
        state = games.states[number]
        key = int(games.games[number]), int(state[TURN])
        if isinstance(move, Buy) and len(bought[key]) < EARLY:
            bought[key].append((move.cells, _covered(bought[key])))
    found = []
    for count in range(EARLY):
        places = [pairs[count] for pairs in bought.values() if len(pairs) > count]
        found.append(
            {
                "patch": count + 1,
                "corner": mean([spaces & _CORNERS != 0 for spaces, _ in places]),
                "edge": mean([spaces & _EDGE != 0 for spaces, _ in places]),
                "joined": mean([_grown(spaces) & quilt != 0 for spaces, quilt in places]),
            }
        )
    return found


def _covered(placed: list[tuple[int, int]]) -> int:
    spaces = 0
    for place, _ in placed:
        spaces |= place
    return spaces


def _grown(spaces: int) -> int:
    """Returns the spaces next to those of a mask."""
    return sum(1 << cell for cell in range(CELLS) if _neighbours(cell) & spaces)


def _neighbours(cell: int) -> int:
    row, column = divmod(cell, SIDE)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return sum(1 << SIDE * r + c for r, c in near if 0 <= r < SIDE and 0 <= c < SIDE)


NEAR = tuple(_neighbours(cell) for cell in range(CELLS))


def advances(games: Games) -> list[dict[str, Any]]:
    """Returns how often seats advanced although they could buy a patch, by buttons in hand."""
    kept = (games.choice == 1) & (games.states[:, PHASE] == IN_TURN)
    states, moves = games.states[kept], games.moves[kept]
    buttons = np.where(states[:, TURN] == 0, states[:, BUTTONS], states[:, SEAT + BUTTONS])
    thirds = third(states)
    found = []
    for low, high in PURSES:
        row: dict[str, Any] = {"buttons": (low, high)}
        for number, name in enumerate(PHASES):
            here = (buttons >= low) & (buttons <= high) & (thirds == number)
            row[name] = mean((moves[here] == PASS).tolist())
            row[f"{name}_decisions"] = int(here.sum())
        found.append(row)
    return found


# The values of moves


class Seen(NamedTuple):
    """What a network expects from buying a patch in a position."""

    third: int
    patch: int
    gain: float
    """The probability of winning, compared with an advance."""
    points: float
    """The same in points."""
    best: bool
    """Whether no other move leads to a better expected margin."""


def looks(network: NetworkEvaluator, games: Games, count: int, seed: int) -> list[Seen]:
    """Returns the patches that can be bought in random positions.

    Each third of the board contributes the same number of positions.
    """
    random = np.random.default_rng(seed)
    turns = (games.choice == 1) & (games.states[:, PHASE] == IN_TURN)
    thirds = third(games.states)
    found = []
    for phase in range(len(PHASES)):
        here = np.flatnonzero(turns & (thirds == phase))
        for number in random.choice(here, min(count // len(PHASES), len(here)), replace=False):
            insight = look(to_position(games, int(number)), network, placements=2, views=1)
            assert insight.advance is not None
            margins = [patch.best.margin for patch in insight.patches] + [insight.advance.margin]
            found += [
                Seen(
                    phase,
                    patch.patch,
                    patch.gain,
                    patch.points,
                    patch.best.margin == max(margins),
                )
                for patch in insight.patches
            ]
        print(f"evaluated the {PHASES[phase]} third", file=sys.stderr)
    return found


def patch_values(seen: list[Seen]) -> list[dict[str, Any]]:
    """Returns what buying each patch gains over an advance, in points, by third of the board."""
    found = []
    for patch in range(len(PATCHES)):
        here = [each for each in seen if each.patch == patch]
        row: dict[str, Any] = {
            "patch": patch,
            "seen": len(here),
            "win": mean([each.gain for each in here]),
            "best": mean([each.best for each in here]),
        }
        for number, name in enumerate(PHASES):
            row[name] = mean([each.points for each in here if each.third == number])
        found.append(row)
    return sorted(found, key=lambda row: (isnan(row["win"]), -row["win"]))


def opening_places(network: NetworkEvaluator, seed: int) -> dict[str, float]:
    """Returns what a first patch loses, in points, at the best corner, edge and inner place.

    This is compared with its best place of all. Edges do not include corners.
    """
    losses: dict[str, list[float]] = {"corner": [], "edge": [], "inside": []}
    for number in range(OPENINGS):
        edition = EDITIONS[number % len(EDITIONS)]
        start = Setup.random(seed + number, edition).start()
        for patch in look(start, network, placements=200).patches:
            kinds: dict[str, float] = {}
            for place in patch.placements:
                assert isinstance(place.move, Buy)
                spaces = place.move.cells
                kind = "corner" if spaces & _CORNERS else "edge" if spaces & _EDGE else "inside"
                kinds[kind] = max(kinds.get(kind, -1e9), place.margin)
            for kind, margin in kinds.items():
                losses[kind].append(max(kinds.values()) - margin)
    return {kind: mean(lost) for kind, lost in losses.items()}


def holes(quilt: int) -> int:
    """Returns the empty spaces without an empty neighbour."""
    return sum(1 << cell for cell in cells(FULL & ~quilt) if not NEAR[cell] & ~quilt)


def with_a_hole(quilt: int, random: np.random.Generator) -> int | None:
    """Returns a quilt with as many filled spaces and one more hole; None if there is none.

    A space that is surrounded by filled ones becomes empty. In return, an empty space is filled:
    one that touches as many filled spaces as possible.
    """
    amid = [cell for cell in cells(quilt) if not NEAR[cell] & ~quilt]
    if not amid:
        return None
    opened = quilt ^ 1 << int(random.choice(amid))
    empty = [cell for cell in cells(FULL & ~quilt) if NEAR[cell] & ~quilt]
    ranked = sorted(empty, key=lambda cell: -(NEAR[cell] & quilt).bit_count())
    for cell in ranked:
        filled = opened | 1 << cell
        if holes(filled).bit_count() == holes(quilt).bit_count() + 1:
            return filled
    return None


def hole_prices(
    network: NetworkEvaluator, games: Games, count: int, seed: int
) -> list[dict[str, Any]]:
    """Returns what the network expects a hole to cost the seat to decide, by third."""
    random = np.random.default_rng(seed)
    thirds = third(games.states)
    found = []
    for phase, name in enumerate(PHASES):
        here = random.permutation(np.flatnonzero((thirds == phase) & (games.choice == 1)))
        points, wins = [], []
        for number in here:
            position = to_position(games, int(number))
            player = position.players[position.turn]
            torn = with_a_hole(player.quilt, random)
            if torn is None or position.phase is not Phase.TURN:
                continue
            before = look(position, network, placements=0)
            after = look(_with_quilt(position, torn), network, placements=0)
            points.append(before.margin - after.margin)
            wins.append(before.win[position.turn] - after.win[position.turn])
            if len(points) == count:
                break
        found.append(
            {
                "third": name,
                "positions": len(points),
                "points": mean(points),
                "interval": half_width(points),
                "win": mean(wins),
            }
        )
    return found


def _with_quilt(position: Position, quilt: int) -> Position:
    players: list[Player] = list(position.players)
    players[position.turn] = replace(players[position.turn], quilt=quilt)
    return replace(position, players=(players[0], players[1]))


# The page


def measured(network: NetworkEvaluator, games: Games, count: int, seed: int) -> dict[str, Any]:
    """Returns all figures."""
    return {
        "network": network.card.get("name", ""),
        "games": len(games.editions),
        "looks": count,
        "first_player": first_player(games),
        "special_tile": special_tile(games),
        "first_places": first_places(games),
        "opening_places": opening_places(network, seed),
        "holes": hole_prices(network, games, max(1, count // 12), seed),
        "advances": advances(games),
        "patches": patch_values(looks(network, games, count, seed)),
    }


def percent(share: float) -> str:
    """Returns a share as a percentage."""
    return NOTHING if isnan(share) else f"{100 * share:.0f} %"


def points(number: float) -> str:
    """Returns points with a sign."""
    return NOTHING if isnan(number) else f"{number:+.1f}"


def written(figures: dict[str, Any], simulations: int) -> dict[str, str]:
    """Returns the blocks of the page as Markdown, by name."""
    tile, opening = figures["special_tile"], figures["opening_places"]
    return {
        "origin": f"{figures['games']:,} games of the network `{figures['network']}` against"
        f" itself, {simulations} simulations per move; {figures['looks']:,} positions evaluated.",
        "first player": table(
            ("edition", "games", "the first player wins", "margin"),
            [
                (
                    row["edition"],
                    f"{row['games']:,}",
                    f"{100 * row['won']:.1f} ± {100 * row['won_interval']:.1f} %",
                    f"{row['margin']:+.1f} ± {row['margin_interval']:.1f} points",
                )
                for row in figures["first_player"]
            ],
        ),
        "patches": table(
            ("patch", "shape", "buttons, time, income", *PHASES, "to win", "best choice"),
            [
                (
                    str(row["patch"]),
                    f"`{'/'.join(PATCHES[row['patch']].rows)}`",
                    "{0.cost}, {0.time}, {0.income}".format(PATCHES[row["patch"]]),
                    *(points(row[name]) for name in PHASES),
                    NOTHING if isnan(row["win"]) else f"{100 * row['win']:+.1f} %",
                    percent(row["best"]),
                )
                for row in figures["patches"]
            ],
        ),
        "tile": table(
            ("the 7 \N{MULTIPLICATION SIGN} 7 tile", "figure"),
            [
                ("games in which a player takes it", percent(tile["taken"])),
                (
                    "space of the owner's token at that moment, median",
                    NOTHING if isnan(tile["space"]) else f"{tile['space']:.0f}",
                ),
                (
                    "games its owner wins",
                    f"{percent(tile['owner_wins'])} ± {percent(tile['owner_wins_interval'])}",
                ),
                (
                    "games its owner would win without its 7 points",
                    percent(tile["wins_without_it"]),
                ),
                ("owner's margin without the 7 points", points(tile["margin_without_it"])),
            ],
        ),
        "places": table(
            ("patch of a seat", "covers a corner", "touches an edge", "touches an earlier patch"),
            [
                (
                    str(row["patch"]),
                    percent(row["corner"]),
                    percent(row["edge"]),
                    percent(row["joined"]) if row["patch"] > 1 else NOTHING,
                )
                for row in figures["first_places"]
            ],
        )
        + "\n\nCompared with its best place of all, the first patch loses"
        + f" {opening['corner']:.1f} points in the best corner, {opening['edge']:.1f} at the best"
        + f" edge without a corner and {opening['inside']:.1f} away from both.",
        "holes": table(
            ("third of the board", "positions", "a hole costs", "to win"),
            [
                (
                    row["third"],
                    f"{row['positions']:,}",
                    f"{row['points']:.1f} ± {row['interval']:.1f} points",
                    f"{-100 * row['win']:+.1f} %",
                )
                for row in figures["holes"]
            ],
        ),
        "advances": table(
            ("buttons", *(f"{name} third" for name in PHASES)),
            [
                (
                    f"{row['buttons'][0]} or more"
                    if row["buttons"] == PURSES[-1]
                    else f"{row['buttons'][0]} to {row['buttons'][1]}",
                    *(f"{percent(row[name])} of {row[f'{name}_decisions']:,}" for name in PHASES),
                )
                for row in figures["advances"]
            ],
        ),
    }


def main() -> None:
    """Plays the games and prints the figures."""
    parser = arguments(__doc__, games=2000)
    parser.add_argument("--looks", type=int, default=6000, help="positions to evaluate")
    options = parser.parse_args()
    network, games = played(options, gumbel_scale=0.0)
    figures = measured(network, games, options.looks, options.seed)
    blocks = written(figures, options.simulations)
    if options.write:
        for name, text in blocks.items():
            write_block(PAGE, name, text)
    print(json.dumps(figures) if options.json else "\n\n".join(blocks.values()))


if __name__ == "__main__":
    main()
