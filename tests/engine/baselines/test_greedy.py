"""The baseline ``greedy``, whose play must never change."""

import random
from dataclasses import replace

import pytest

import patchwork as pw
from patchwork.engine.baselines.greedy import exposed_edge, greedy, value
from support.quilts import quilt


def start(*offer: int, buttons: int = 5, time: int = 0, covered: int = 0) -> pw.Position:
    """A position with the given patches first in the circle, seat 0 to move."""
    rest = [patch.id for patch in pw.PATCHES if patch.id not in (*offer, 0)]
    position = pw.Setup((*offer, *rest, 0)).start()
    player = pw.Player(covered, buttons, 0, time)
    return replace(position, players=(player, replace(position.players[1], time=time)))


@pytest.mark.parametrize(
    ("patch", "time", "expected"),
    [
        (23, 0, (12 + 0 - 2) / 1),  # 6 spaces, no income
        (10, 0, (8 + 3 * 9 - 7) / 6),  # nine income lines ahead
        (10, 5, (8 + 3 * 8 - 7) / 6),  # the line at 5 is behind a token on space 5
        (10, 4, (8 + 3 * 9 - 7) / 6),
        (10, 52, (8 + 3 * 1 - 7) / 6),
        (10, 53, (8 + 0 - 7) / 6),
    ],
)
def test_value_is_gain_per_time(patch: int, time: int, expected: float) -> None:
    assert value(patch, pw.Player(time=time)) == expected


@pytest.mark.parametrize(
    ("drawn", "edge"),
    [
        ("", 0),
        ("#........", 2),
        (".#.......", 3),
        (".........\n.#.......", 4),
        ("##.......\n##.......", 4),
        ("#########", 9),
        ("........#\n#........", 3 + 2),  # columns do not wrap around
        ("\n".join(["#########"] * 9), 0),
        ("###......\n#.#......\n###......", 4 + 6),
    ],
)
def test_exposed_edge_counts_pairs_of_filled_and_empty_neighbours(drawn: str, edge: int) -> None:
    assert exposed_edge(quilt(drawn)) == edge


def test_buys_the_patch_of_best_value_where_the_edge_is_shortest() -> None:
    # Values with nine lines ahead: 23 is worth 10 a step, 21 (12 - 1) / 2, 26 not affordable.
    move = greedy(start(21, 23, 26))
    assert isinstance(move, pw.Buy)
    assert move.patch == 23
    assert move == pw.Buy(23, min(best_places(23, 0)))


def best_places(patch: int, covered: int) -> list[int]:
    places = [cells for cells in pw.PATCHES[patch].placements if not cells & covered]
    least = min(exposed_edge(covered | cells) for cells in places)
    return [cells for cells in places if exposed_edge(covered | cells) == least]


def test_equal_values_go_to_the_patch_earlier_on_offer() -> None:
    equal = [
        (a.id, b.id)
        for a in pw.PATCHES
        for b in pw.PATCHES
        if a.id != b.id
        and 0 not in (a.id, b.id)
        and max(a.cost, b.cost) <= 20
        and value(a.id, pw.Player()) == value(b.id, pw.Player()) > 1
    ]
    assert equal
    for first, second in equal:
        third = 1 if 1 not in (first, second) else 22
        move = greedy(start(first, second, third, buttons=20))
        assert isinstance(move, pw.Buy)
        assert move.patch == first


def test_advances_when_nothing_is_worth_more_than_one() -> None:
    assert [round(value(patch, pw.Player(time=52)), 2) for patch in (10, 8, 9)] == [0.67, 1.0, 0.8]
    assert greedy(start(10, 8, 9, buttons=20, time=52)) == pw.Advance()


def test_advances_when_nothing_can_be_bought() -> None:
    assert greedy(start(18, 19, 29)) == pw.Advance()


def test_a_patch_that_fits_nowhere_is_not_considered() -> None:
    covered = quilt("\n".join(["#.#.#.#.#", ".#.#.#.#."] * 4 + ["#.#.#.#.#"]))
    assert greedy(start(23, 21, 26, covered=covered)) == pw.Advance()


def test_leather_goes_where_the_edge_is_shortest() -> None:
    covered = quilt("###......\n#.#......\n###......")
    position = replace(start(1, 2, 3, covered=covered), phase=pw.Phase.LEATHER)
    assert greedy(position) == pw.Leather(10)


def test_a_finished_game_has_no_move() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        greedy(replace(start(1, 2, 3), phase=pw.Phase.OVER))


def test_plays_legal_moves_and_beats_random_play() -> None:
    wins = 0
    for game in range(40):
        generator, position = random.Random(game), pw.Setup.random(game // 2).start()
        while position.outcome is None:
            moves = position.legal_moves()
            move = greedy(position) if position.turn == game % 2 else generator.choice(moves)
            assert move in moves
            position = position.play(move)
        wins += position.outcome.winner == game % 2
    assert wins >= 35
