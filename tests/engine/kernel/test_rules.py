"""The kernel does exactly what the rules do."""

from collections import Counter

import numpy as np
import pytest

import patchwork as pw
from engine.kernel.lockstep import compare
from patchwork.engine.kernel import rng, rules
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import (
    CODES,
    PASS,
    from_move,
    from_position,
    to_move,
    to_position,
)
from patchwork.rules.moves import MOST_LEGAL_MOVES
from support.positions import START, VALID, swapped
from support.quilts import LONGEST

PARTS = 10
RARE = (
    "classic",
    "revised",
    "quilts filled",
    "leather placed",
    "leather discarded",
    "ties",
    "tiles",
    "tile races",
    "two incomes at once",
    "incomes at the last line",
)
TEXTS = {**VALID, **{f"{name}, seats swapped": swapped(text) for name, text in VALID.items()}}


def scratch() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.empty((rules.SCRATCH, LANES), np.int64)


@pytest.mark.parametrize("part", range(PARTS))
def test_rules_and_kernel_agree_in_5000_positions_and_all_rare_events(part: int) -> None:
    seen = compare(50_000 // PARTS, seed=1_000_000 + part)
    assert seen["positions"] >= 50_000 // PARTS
    assert [event for event in RARE if seen[event] == 0] == []


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_position_becomes_a_state_and_the_same_position_again(text: str) -> None:
    position = pw.Position.parse(text)
    state, circle = from_position(position)
    assert to_position(state, circle, position.edition) == position


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_moves_scores_and_the_positions_after_moves_are_those_of_the_rules(text: str) -> None:
    position = pw.Position.parse(text)
    state, circle = from_position(position)
    codes = np.empty(MOST_LEGAL_MOVES, np.int64)
    count = rules.legal_moves(state, circle, codes, scratch())
    moves = position.legal_moves()
    assert [to_move(code) for code in codes[:count].tolist()] == moves
    assert (rules.score(state, 0), rules.score(state, 1)) == position.scores
    for move in moves:
        after = state.copy()
        rules.play(after, circle, from_move(move))
        assert to_position(after, circle, position.edition) == position.play(move)


@pytest.mark.parametrize("name", ["over", "discarded", "all discarded", "overshot", "richest"])
def test_the_winner_of_a_finished_game_is_the_one_of_the_rules(name: str) -> None:
    for text in (VALID[name], swapped(VALID[name])):
        position = pw.Position.parse(text)
        assert position.outcome is not None
        assert rules.winner(from_position(position)[0]) == position.outcome.winner


def test_a_tie_goes_to_the_seat_that_was_first_home() -> None:
    player = pw.Player(quilt=0b111, buttons=7, income=1, time=53)
    for first in range(2):
        position = pw.Position(
            pw.CLASSIC, 0, pw.Phase.OVER, (player, player), (1, 2, 3), (), None, first
        )
        assert rules.winner(from_position(position)[0]) == first


def test_codes_and_moves_correspond_one_to_one_in_the_order_of_the_rules() -> None:
    moves: list[pw.Advance | pw.Buy | pw.Leather] = [pw.Advance()]
    moves += [pw.Buy(patch.id, cells) for patch in pw.PATCHES for cells in patch.placements]
    moves += [pw.Leather(cell) for cell in range(81)]
    codes = [from_move(move) for move in moves]
    assert codes[0] == PASS
    assert codes == sorted(set(codes))
    assert 0 <= codes[0] <= codes[-1] < CODES
    assert [to_move(code) for code in codes] == moves


def test_codes_of_two_placements_computed_by_hand() -> None:
    # Patch 0 is the 1 x 2. Eight orientations a piece and 90 places each, ten in a row.
    assert to_move(1) == pw.Buy(0, 0b11)
    assert to_move(1 + 10 + 2) == pw.Buy(0, 0b11 << (9 + 2))
    assert to_move(1 + 90) == pw.Buy(0, 1 | 1 << 9)
    assert to_move(1 + 33 * 8 * 90 + 87) == pw.Leather(9 * 8 + 7)


@pytest.mark.parametrize(
    "move", [pw.Buy(0, 0b101), pw.Buy(0, 0b11 << 80), pw.Buy(33, 1), pw.Leather(81), pw.Buy(0, 0)]
)
def test_a_move_that_no_position_allows_has_no_code(move: pw.Buy | pw.Leather) -> None:
    with pytest.raises(KeyError):
        from_move(move)


@pytest.mark.parametrize("code", [-1, 10, CODES])
def test_a_code_of_no_move_is_refused(code: int) -> None:
    # Code 10 would be a 1 x 2 across the right border.
    with pytest.raises(KeyError):
        to_move(code)


@pytest.mark.parametrize("name", ["start", "bought", "middle", "leather", "home"])
def test_random_play_chooses_every_legal_move_about_equally_often(name: str) -> None:
    position = pw.Position.parse(VALID[name])
    start, circle = from_position(position)
    ends = {}
    for move in position.legal_moves():
        state = start.copy()
        rules.play(state, circle, from_move(move))
        ends[state.tobytes()] = move
    assert len(ends) == len(position.legal_moves())
    random, memory = np.array([2024], np.uint64), scratch()
    chosen: Counter[object] = Counter()
    draws = 40 * len(ends)
    for _ in range(draws):
        state = start.copy()
        rules.play_at_random(state, circle, random, memory)
        chosen[ends[state.tobytes()]] += 1
    # Chi-square: its mean is the degrees of freedom, its variance twice that.
    expected = draws / len(ends)
    chi_square = sum((chosen[move] - expected) ** 2 / expected for move in ends.values())
    freedom = len(ends) - 1
    assert abs(chi_square - freedom) <= 4 * (2 * freedom) ** 0.5


def test_draws_are_even_and_stay_below_their_bound() -> None:
    random = np.array([1], np.uint64)
    counts = Counter(rng.draw(random, 7) for _ in range(70_000))
    assert sorted(counts) == list(range(7))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 22.5  # p = 0.001
    assert {rng.draw(random, 1) for _ in range(100)} == {0}
    assert all(0 <= rng.draw(random, 2**31 - 1) < 2**31 - 1 for _ in range(1000))


@pytest.mark.parametrize("name", ["start", "middle", "leather", "full", "home", "over"])
def test_random_playouts_end_and_do_not_change_the_start(name: str) -> None:
    position = pw.Position.parse(VALID[name])
    state, circle = from_position(position)
    before = state.copy()
    moves = rules.random_playouts(state, circle, 100, np.array([3], np.uint64))
    if position.phase is pw.Phase.OVER:
        assert moves == 0
    else:
        assert 100 <= moves <= 100 * LONGEST
    assert (state == before).all()


def test_random_playouts_depend_only_on_the_state_of_the_generator() -> None:
    state, circle = from_position(pw.Position.parse(START))

    def play(seed: int) -> tuple[int, int]:
        random = np.array([seed], np.uint64)
        moves = rules.random_playouts(state, circle, 50, random)
        return moves, int(random[0])

    assert play(5) == play(5)
    assert play(5) != play(6)
