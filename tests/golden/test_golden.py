"""The golden playthroughs match the rules, and show the event that they are named after."""

from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path

import pytest

import patchwork as pw
from golden.playthrough import FOLDER, playthrough, record_in

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_matches_the_rules(path: Path) -> None:
    assert playthrough(record_in(path)) == path.read_text(encoding="utf-8")


def takes_leather(game: pw.Game) -> bool:
    return any(position.phase is pw.Phase.LEATHER for position in game.positions())


def square_by_leather(game: pw.Game) -> bool:
    return any(
        before.phase is pw.Phase.LEATHER and before.tile is None and after.tile == before.turn
        for before, after in pairwise(game.positions())
    )


def five_turns_in_a_row(game: pw.Game) -> bool:
    """One seat takes five turns in a row, with its token on the other's space at some point."""
    turns = [position for position in game.positions() if position.phase is pw.Phase.TURN]
    chains = [list(chain) for _, chain in groupby(turns, key=lambda position: position.turn)]
    return any(
        len(chain) == 5 and any(p.players[0].time == p.players[1].time for p in chain[1:])
        for chain in chains
    )


def tie_broken(game: pw.Game) -> bool:
    outcome = game.position.outcome
    return outcome is not None and outcome.tie_break


def both_scores_negative(game: pw.Game) -> bool:
    return max(game.position.scores) < 0


def last_income_paid_to_both(game: pw.Game) -> bool:
    arrivals = [
        (before.turn, after.players[before.turn].income)
        for before, after in pairwise(game.positions())
        if before.players[before.turn].time < 53 == after.players[before.turn].time
    ]
    return sorted(seat for seat, income in arrivals if income) == [0, 1]


def only_advances(game: pw.Game) -> bool:
    return game.position.scores == (-104, -94) and len(game.position.circle) == 33


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        ("leather-taken", takes_leather),
        ("square-by-leather", square_by_leather),
        ("chain-of-turns", five_turns_in_a_row),
        ("tie-broken", tie_broken),
        ("negative-scores", both_scores_negative),
        ("last-income-line", last_income_paid_to_both),
        ("only-advances", only_advances),
    ],
)
def test_a_playthrough_shows_the_event_it_is_named_after(
    name: str, shows: Callable[[pw.Game], bool]
) -> None:
    game = record_in(FOLDER / f"{name}.txt").game
    assert game.position.outcome is not None
    assert shows(game)


def test_there_are_seven_playthroughs_in_both_editions() -> None:
    assert len(FILES) == 7
    assert {record_in(path).setup.edition for path in FILES} == {pw.CLASSIC, pw.REVISED}
