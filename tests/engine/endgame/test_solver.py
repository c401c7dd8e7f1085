"""The solver, checked against a search through every line of play."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest
from numba import njit

import patchwork as pw
from engine.kernel.lockstep import Style, early, late, miser, saver, tailor, whim
from patchwork.engine import Engine, Limit
from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.endgame.solver import Proof, Solution, Solver
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import OVER, PHASE, TURN, WORDS, from_position
from patchwork.rules.moves import MOST_LEGAL_MOVES
from support.positions import HOME, VALID, swapped
from support.quilts import quilt, table

NODES = 10_000_000
Move = pw.Advance | pw.Buy | pw.Leather


@njit
def brute_force(states: Any, circle: Any, depth: int, codes: Any, scratch: Any, left: Any) -> int:
    """Returns twice the points seat 0 ends ahead, or 1 or -1 for who wins a tie; prunes nothing."""
    state = states[depth]
    if state[PHASE] == OVER:
        points = rules.score(state, 0) - rules.score(state, 1)
        if points == 0:
            return 1 if rules.winner(state) == 0 else -1
        return 2 * points
    left[0] -= 1
    if left[0] < 0:
        return 0
    best = -100_000 if state[TURN] == 0 else 100_000
    for number in range(rules.legal_moves(state, circle, codes[depth], scratch)):
        states[depth + 1] = state
        rules.play(states[depth + 1], circle, codes[depth, number])
        value = brute_force(states, circle, depth + 1, codes, scratch, left)
        best = max(best, value) if state[TURN] == 0 else min(best, value)
    return best


class BruteForce:
    def __init__(self) -> None:
        self._states = np.empty((128, WORDS), np.int64)
        self._codes = np.empty((128, MOST_LEGAL_MOVES), np.int64)
        self._scratch = np.empty((rules.SCRATCH, LANES), np.int64)
        self.visits = 0

    def solve(self, position: pw.Position, most: int) -> tuple[int, int] | None:
        """Returns how far seat 0 ends ahead and who wins; None if there is more to look at."""
        self._states[0], circle = from_position(position)
        left = np.array([most])
        value = int(brute_force(self._states, circle, 0, self._codes, self._scratch, left))
        self.visits = most - int(left[0])
        if left[0] < 0:
            return None
        return (0 if abs(value) == 1 else value // 2), 0 if value > 0 else 1


def thrifty(random: Random, position: pw.Position, moves: list[Move]) -> Move:
    """Plays like the baseline ``greedy``."""
    return greedy(position)


def never() -> bool:
    return False


def game(random: Random, start: pw.Position, styles: tuple[Style, Style]) -> list[pw.Position]:
    positions = [start]
    while moves := positions[-1].legal_moves():
        position = positions[-1]
        positions.append(position.play(styles[position.turn](random, position, moves)))
    return positions


def endings(
    brute: BruteForce, kind: str, edition: pw.Edition, seed: int, most: int
) -> Iterator[tuple[pw.Position, tuple[int, int]]]:
    """Yields ends of games with their results, as early in the game as brute force can solve."""
    begin, styles = KINDS[kind]
    random = Random(seed)
    while True:
        start = begin(random)
        if start.edition != edition:
            continue
        for position in reversed(game(random, start, styles)[:-1]):
            result = brute.solve(position, most)
            if result is None:
                break
            if len(position.legal_moves()) > 1:
                yield position, result


KINDS = {
    "random games": (early, (whim, miser)),
    "greedy games": (early, (thrifty, thrifty)),
    "tight games": (early, (tailor, thrifty)),
    "nearly full quilts": (late, (tailor, miser)),
    "few purchases": (late, (saver, whim)),
}


def check(position: pw.Position, solution: Solution | None, result: tuple[int, int]) -> None:
    """Checks a result, and that its line leads to exactly that."""
    assert solution is not None, str(position)
    assert (solution.points, solution.winner) == result, str(position)
    for move in solution.moves:
        position = position.play(move)
    assert position.outcome is not None
    first, second = position.outcome.scores
    assert (first - second, position.outcome.winner) == result


@pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda edition: edition.name)
@pytest.mark.parametrize("kind", KINDS)
def test_solves_small_endings_as_brute_force_does(kind: str, edition: pw.Edition) -> None:
    brute, solver = BruteForce(), Solver(1 << 12)
    found = endings(brute, kind, edition, seed=7, most=6_000)
    seen: Counter[str] = Counter()
    for _ in range(120):
        position, result = next(found)
        check(position, solver.solve(position, NODES, never), result)
        seen["leather to place"] += position.phase is pw.Phase.LEATHER
        seen["leather to come"] += bool(position.leather)
        seen["special tile open"] += position.tile is None
        seen["won by seat 0"] += result[1] == 0
        seen["won by seat 1"] += result[1] == 1
    assert all(seen.values()), seen


@pytest.mark.parametrize("seed", range(4))
def test_solves_larger_endings_where_both_can_still_buy(seed: int) -> None:
    brute, solver = BruteForce(), Solver(1 << 12)
    kind = ("nearly full quilts", "few purchases")[seed % 2]
    found = endings(brute, kind, (pw.CLASSIC, pw.REVISED)[seed // 2], seed, most=100_000)
    large = 0
    while large < 60:
        position, result = next(found)
        if brute.visits > 1_000:
            large += 1
            check(position, solver.solve(position, NODES, never), result)


FEW = 40
"""Nodes, enough to prove who wins some of the small endings, but not by how much."""


@pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda edition: edition.name)
@pytest.mark.parametrize("kind", KINDS)
def test_proves_who_wins_before_it_knows_by_how_much(kind: str, edition: pw.Edition) -> None:
    brute, solver = BruteForce(), Solver(1 << 12)
    found = endings(brute, kind, edition, seed=9, most=6_000)
    seen: Counter[str] = Counter()
    while min(seen["win"], seen["loss"], seen["solution"]) < 5:
        position, result = next(found)
        solution = solver.prove(position, NODES, never)
        assert isinstance(solution, Solution)
        check(position, solution, result)
        proven = solver.prove(position, FEW, never)
        assert solver.visits <= FEW + 2  # each of the two looks ends with the node after the last
        if isinstance(proven, Solution):
            check(position, proven, result)
            seen["solution"] += 1
        elif isinstance(proven, Proof):
            assert proven.winner == result[1]
            if proven.move is None:
                assert proven.winner != position.turn
                seen["loss"] += 1
            else:
                assert proven.winner == position.turn
                after = brute.solve(position.play(proven.move), most=6_000)
                assert after is not None
                assert after[1] == proven.winner
                seen["win"] += 1


@pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda edition: edition.name)
@pytest.mark.parametrize("kind", KINDS)
def test_tests_moves_until_one_does_not_lose(kind: str, edition: pw.Edition) -> None:
    brute, solver = BruteForce(), Solver(1 << 12)
    found = endings(brute, kind, edition, seed=11, most=6_000)
    seen: Counter[str] = Counter()
    while min(seen["win after losses"], seen["all lose"], seen["unknown"]) < 3:
        position, (_, winner) = next(found)
        moves = position.legal_moves()
        won, lost = solver.test(position, moves, NODES, never)
        assert lost == moves[: len(lost)]
        for move in lost:
            after = brute.solve(position.play(move), most=6_000)
            assert after is not None
            assert after[1] != position.turn
        if winner == position.turn:
            assert won == moves[len(lost)]
            after = brute.solve(position.play(won), most=6_000)
            assert after is not None
            assert after[1] == position.turn
            seen["win after losses"] += bool(lost)
        else:
            assert (won, lost) == (None, moves)
            seen["all lose"] += 1
        sooner, fewer = solver.test(position, moves, 3, never)
        assert sooner in (None, won)
        assert fewer == lost[: len(fewer)]
        seen["unknown"] += sooner is None and fewer != moves


def plain(position: pw.Position) -> tuple[int, int]:
    """Returns the result of perfect play on the rules alone: points of seat 0, and who wins."""
    outcome = position.outcome
    if outcome is not None:
        first, second = outcome.scores
        return first - second, outcome.winner
    best = max if position.turn == 0 else min
    results = [plain(position.play(move)) for move in position.legal_moves()]
    return best(results, key=lambda result: (result[0], -result[1]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_on_the_rules_alone_agrees(kind: str) -> None:
    brute, solver = BruteForce(), Solver(1 << 12)
    found = endings(brute, kind, pw.CLASSIC, seed=11, most=200)
    for _ in range(40):
        position, _ = next(found)
        check(position, solver.solve(position, NODES, never), plain(position))


# Every 7 x 7 square of the board lacks the two spaces marked o.
ALMOST = """
    ########.
    #########
    #########
    #########
    #########
    ######o##
    ######o##
    .########
    .########
"""


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("phase", [pw.Phase.TURN, pw.Phase.LEATHER])
@pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda edition: edition.name)
def test_a_race_for_the_special_tile_is_played_out(
    edition: pw.Edition, phase: pw.Phase, seat: int
) -> None:
    """Both lack two spaces, one above the other, which the 1 x 2 or two leather patches fill."""
    me = pw.Player(quilt(ALMOST), buttons=4, income=3, time=45)
    other = replace(me, buttons=6, time=46)
    if phase is pw.Phase.LEATHER:
        me, other = replace(me, time=46), replace(other, time=45)
    position = table(me, other, seat=seat, circle=(0, 6, 14), edition=edition, phase=phase)
    assert position.leather == (50,)
    result = BruteForce().solve(position, 1_000_000)
    assert result is not None
    solution = Solver(1 << 18).solve(position, NODES, never)
    check(position, solution, result)
    assert solution is not None
    tiles = []
    for move in solution.moves:
        position = position.play(move)
        tiles.append(position.tile)
    assert tiles[-1] is not None


@pytest.mark.parametrize("text", [HOME, swapped(HOME)], ids=["home", "home, seats swapped"])
def test_the_last_decision_is_the_best_of_all_moves(text: str) -> None:
    position = pw.Position.parse(text)
    solution = Solver(1 << 10).solve(position, NODES, never)
    check(position, solution, plain(position))


def test_a_tied_game_goes_to_the_seat_that_was_first_home() -> None:
    """Seat 0 can only advance by one, and ties with seat 1, which is home."""
    me = pw.Player(quilt("###......"), buttons=0, time=52)
    other = pw.Player(quilt("###......"), buttons=1, time=53)
    for seat in range(2):
        position = table(me, other, seat=seat, circle=(1, 3, 4))
        assert position.legal_moves() == [pw.Advance()]
        solution = Solver(1 << 10).solve(position, NODES, never)
        assert solution is not None
        assert (solution.points, solution.winner) == (0, 1 - seat)


@pytest.mark.parametrize("nodes", [0, 1, 2, 50])
def test_gives_up_when_it_takes_more_nodes(nodes: int) -> None:
    solver = Solver(1 << 10)
    assert solver.solve(pw.Position.parse(VALID["start"]), nodes, never) is None
    solution = solver.solve(pw.Position.parse(HOME), NODES, never)
    check(pw.Position.parse(HOME), solution, plain(pw.Position.parse(HOME)))


def test_counting_moves_as_states_changes_no_result() -> None:
    plain_solver, weighing = Solver(1 << 12), Solver(1 << 12, moves_per_state=8)
    found = endings(BruteForce(), "tight games", pw.CLASSIC, seed=3, most=3_000)
    heavier = 0
    for _ in range(20):
        position, result = next(found)
        check(position, plain_solver.solve(position, NODES, never), result)
        check(position, weighing.solve(position, NODES, never), result)
        assert weighing.visits >= plain_solver.visits
        heavier += weighing.visits > plain_solver.visits
    assert heavier > 0


def test_gives_up_when_it_is_stopped() -> None:
    solver, stop = Solver(1 << 10), Event()
    start = pw.Position.parse(VALID["start"])

    def end() -> None:
        stop.set()
        solver.stop()

    Timer(0.1, end).start()
    assert solver.solve(start, 10**12, stop.is_set) is None
    assert solver.solve(start, 10**12, stop.is_set) is None  # stopped before it has begun


def test_what_a_solver_remembers_changes_no_result() -> None:
    """Games with different circles, on one solver for all and on a new one for each."""
    brute, used = BruteForce(), Solver(1 << 8)
    games = [
        endings(brute, kind, edition, seed=5, most=1_000)
        for kind in KINDS
        for edition in (pw.CLASSIC, pw.REVISED)
    ]
    for _ in range(10):
        for found in games:
            position, result = next(found)
            check(position, used.solve(position, NODES, never), result)
            check(position, Solver(1 << 8).solve(position, NODES, never), result)


@pytest.mark.parametrize("level", [6, 8])
def test_an_engine_says_that_a_solved_ending_is_exact(level: int) -> None:
    brute, engine = BruteForce(), Engine(level, memory=8)
    found = endings(brute, "tight games", pw.CLASSIC, seed=3, most=3_000)
    for _ in range(30):
        position, (points, winner) = next(found)
        analysis = engine.analyse(position, Limit(nodes=1_000_000))
        assert analysis.exact
        assert analysis.seat == position.turn
        assert analysis.win == float(winner == position.turn)
        assert analysis.margin == (points if position.turn == 0 else -points)
        assert analysis.best == analysis.lines[0].moves[0]
        after = position
        for move in analysis.lines[0].moves:
            after = after.play(move)
        assert after.outcome is not None
        assert after.outcome.winner == winner


@pytest.mark.parametrize("lines", [1, 3])
def test_an_engine_plays_the_move_that_is_proven_to_win(lines: int) -> None:
    solver, engine = Solver(1 << 18), Engine(8, memory=8)
    found = endings(BruteForce(), "tight games", pw.REVISED, seed=4, most=6_000)
    seen: Counter[bool] = Counter()
    while min(seen[True], seen[False]) < 5:
        position, _ = next(found)
        proven = solver.prove(position, FEW, never)
        if not isinstance(proven, Proof):
            continue
        won = proven.move is not None
        seen[won] += 1
        analysis = engine.analyse(position, Limit(nodes=round(FEW / 0.4)), lines=lines)
        assert not analysis.exact
        assert analysis.win == analysis.lines[0].win == float(won)
        assert analysis.best == analysis.lines[0].moves[0]
        if won:
            assert analysis.best == proven.move
        assert len({line.moves[0] for line in analysis.lines}) == len(analysis.lines) <= lines
        margin = analysis.margin
        assert margin >= 0 if won else margin <= 0
        assert analysis.scores is not None
        mine, other = analysis.scores[analysis.seat], analysis.scores[1 - analysis.seat]
        assert mine - other == pytest.approx(margin)


LIKED = (
    "classic 0:turn 1x2xxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxx1xx/xxxxxxxxx/3xxxxxx/3xxxx2/4xxx2/3xxx3 "
    "b6,i11,t39 8x/2xxx1xxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxx1/xxxxxxxxx/xxxxxxxxx/xxxxxxx1x/xxxxx2xx "
    "b4,i10,t40 leather=44,50 tile=- home=- circle=28,29,24,19,9,2,1,4,8,18",
    "revised 0:turn 1xxxxxxxx/2xxxxxxx/2xxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/3x5/3x5 "
    "b7,i10,t40 xxxx1xxx1/xxxx2x2/xxxx2xx1/xxx3xx1/xxxxxxxxx/x1xxxxxx1/xxxxxxxxx/xxxxxxxxx/6x1x "
    "b23,i12,t41 leather=44,50 tile=0 home=- circle=3,0,4,9,17,29,19,25,18,10,27",
)
"""Positions in which the two best moves of a short search lose, and another one wins."""


@pytest.mark.parametrize("position", [pw.Position.parse(text) for text in LIKED])
def test_the_best_moves_of_a_search_are_tested_early(
    position: pw.Position,
) -> None:
    engine = Engine(6, memory=8)
    analysis = engine.analyse(position, lines=8)
    won, _ = Solver(1 << 16).test(position, [analysis.best], NODES, never)
    assert (analysis.win, won) == (1, analysis.best)
    assert not analysis.exact
    assert analysis.lines[0].visits < max(line.visits for line in analysis.lines)
    lost = [line.moves[0] for line in analysis.lines if line.win == 0]
    assert lost == [line.moves[0] for line in analysis.lines[-len(lost) :]]
    assert Solver(1 << 16).test(position, lost, NODES, never) == (None, lost)
    assert len(engine.analyse(position).lines) == 1


def test_an_engine_that_cannot_solve_in_time_says_so() -> None:
    found = Engine(8, memory=8).analyse(pw.Position.parse(VALID["middle"]), Limit(nodes=200))
    assert not found.exact


def test_a_low_level_estimates_where_a_high_one_proves() -> None:
    position = pw.Position.parse(HOME)
    assert Engine(8, memory=8).analyse(position).exact
    assert not Engine(1, memory=8).analyse(position).exact


def test_with_one_node_a_network_proves_nothing() -> None:
    """One node is the policy alone; with more, the solver takes none of them."""
    engine = Engine(7, memory=8)
    found = endings(BruteForce(), "tight games", pw.CLASSIC, seed=6, most=1_000)
    position = next(position for position, _ in found if len(position.legal_moves()) > 1)
    assert not engine.analyse(position, Limit(nodes=1)).exact
    analysis = engine.analyse(position, Limit(nodes=64), lines=2)
    assert analysis.exact
    assert analysis.visits > 64
