"""The search: repeatable, within its limits, sensible; and what it does with bad input."""

import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from drawing import quilt, table
from engine.lockstep import early, late, whim
from patchwork.engine import Analysis, Engine, Limit, kernel
from patchwork.engine.evaluators import Evaluation, Evaluator, Playouts
from patchwork.engine.search import _EXPLORATION, Search
from patchwork.engine.state import (
    MOST_MOVES,
    OVER,
    PHASE,
    Numbers,
    from_move,
    from_position,
    to_move,
    to_position,
)
from patchwork.engine.tables import LANES
from patchwork.engine.tree import MARGIN, UTILITY, WIN, Tree, utility
from positions import HOME, LEATHER, MIDDLE, START, VALID, swapped
from positions import OVER as FINISHED

Move = pw.Advance | pw.Buy | pw.Leather
MEGABYTE = 1 << 20
BENCH = {
    name: VALID[name] for name in ("start", "bought", "middle", "leather", "1 x 2 gone", "revised")
}
bench = pytest.mark.parametrize("text", BENCH.values(), ids=BENCH)


def never() -> bool:
    return False


def parse(text: str) -> pw.Position:
    return pw.Position.parse(text)


def searched(
    position: pw.Position, nodes: int, *, seed: int = 0, lines: int = 1, threads: int = 1
) -> Analysis:
    """Returns what the search alone says, without the exact solution of endings."""
    search = Search(Playouts(seed, threads=threads), 16 * MEGABYTE)
    return search.run(position, Limit(nodes=nodes), lines, never)


def tree_of(search: Search) -> Tree:
    return search._tree


class Uniform:
    """An evaluator of one's own: knows nothing but who is ahead now, and likes all moves alike."""

    def __init__(self, batch: int = 4, most: int = 40) -> None:
        self.batch = batch
        self.calls = 0
        self._most = most

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        self.calls += 1
        assert 1 <= len(states) <= self.batch
        codes = np.empty(MOST_MOVES, np.int64)
        scratch = np.empty((kernel.SCRATCH, LANES), np.int64)
        for number, state in enumerate(states):
            assert state[PHASE] != OVER
            count = min(kernel.legal_moves(state, circle, codes, scratch), self._most)
            out.counts[number] = count
            out.moves[number, :count] = codes[:count]
            out.priors[number, :count] = 1 / count
            margin = kernel.score(state, 0) - kernel.score(state, 1)
            out.values[number] = 0.5 + margin / 1000, margin


class Hooked(Playouts):
    """Does something of the test's choice in the middle of a search."""

    def __init__(self, seed: int, hook: Callable[[], None], at: int = 20) -> None:
        super().__init__(seed)
        self._hook, self._wait = hook, at

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        self._wait -= 1
        if self._wait == 0:
            self._hook()
        super().evaluate(states, circle, first, out)


def forced() -> pw.Position:
    """Seat 0 cannot afford anything; the game goes on for both afterwards."""
    return table(
        pw.Player(quilt("###......"), buttons=0, income=1, time=20),
        pw.Player(quilt("####....."), buttons=9, income=2, time=22),
        circle=(1, 3, 4, 5, 6, 7, 8),
    )


# ---- the same answers every time


@bench
def test_same_seed_and_nodes_give_equal_analyses_with_one_thread_or_two(text: str) -> None:
    one, two, three = (
        Engine(7, seed=5, memory=16, threads=threads).analyse(
            parse(text), Limit(nodes=2_000), lines=5
        )
        for threads in (1, 1, 2)
    )
    assert one == two == three


def test_an_engine_is_not_changed_by_what_it_has_thought_before() -> None:
    engine = Engine(7, seed=5, memory=16)
    first = engine.analyse(parse(MIDDLE), Limit(nodes=500))
    engine.analyse(parse(START), Limit(nodes=300))
    assert engine.analyse(parse(MIDDLE), Limit(nodes=500)) == first


def test_different_seeds_may_think_differently() -> None:
    wins = {searched(parse(MIDDLE), 300, seed=seed).win for seed in range(8)}
    assert len(wins) > 1


def signature() -> str:
    """Returns a fingerprint of some trees: which moves were looked at, and how often."""
    digest = hashlib.sha256()
    for text in BENCH.values():
        search = Search(Playouts(1), 16 * MEGABYTE)
        search.run(parse(text), Limit(nodes=2_000), 1, never)
        tree = tree_of(search)
        edges = int(tree.used[1])
        digest.update(tree.moves[:edges].astype("<i4").tobytes())
        digest.update(tree.visits[:edges].astype("<i4").tobytes())
    return digest.hexdigest()[:16]


# Changes whenever the search, its priors or its playouts do, on purpose or not. After a change on
# purpose, put in what the failing test prints, and say in the commit that the search has changed.
SIGNATURE = "b737b182c28d8e5e"


def test_the_trees_are_those_of_the_last_change_made_on_purpose() -> None:
    assert signature() == SIGNATURE


# ---- what an analysis says


@pytest.mark.parametrize("turned", [str, swapped], ids=["as is", "seats swapped"])
@bench
def test_an_analysis_names_the_seat_and_its_lines_are_legal_sorted_and_different(
    text: str, turned: Callable[[str], str]
) -> None:
    position = parse(turned(text))
    found = searched(position, 1_500, lines=6)
    assert found.seat == position.turn
    assert not found.exact
    assert found.visits == 1_500
    assert 0 <= found.win <= 1
    best = found.lines[0]
    assert (found.best, found.win, found.margin) == (best.moves[0], best.win, best.margin)
    assert 4 <= len(found.lines) <= 6
    assert len({line.moves[0] for line in found.lines}) == len(found.lines)
    visits = [line.visits for line in found.lines]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) <= 1_500 - 1
    for line in found.lines:
        assert 0 <= line.win <= 1
        assert -200 < line.margin < 200
        after = position
        for move in line.moves:
            after = after.play(move)


def test_there_are_no_more_lines_than_moves() -> None:
    found = searched(forced(), 100, lines=10)
    assert [line.moves[0] for line in found.lines] == [pw.Advance()]
    assert found.lines[0].visits == 99


def mirrored(position: pw.Position) -> pw.Position:
    return pw.Position.parse(swapped(str(position)))


@bench
def test_with_the_seats_swapped_the_mover_finds_the_same(text: str) -> None:
    one, other = searched(parse(text), 2_000), searched(mirrored(parse(text)), 2_000)
    assert (one.seat, other.seat) == (parse(text).turn, 1 - parse(text).turn)
    if text != LEATHER:  # there, some spaces are as good as others
        assert other.best == one.best
    assert other.win == pytest.approx(one.win, abs=0.05)
    assert other.margin == pytest.approx(one.margin, abs=2)


@pytest.mark.parametrize("seat", [0, 1])
def test_win_and_margin_are_those_of_the_seat_that_decides(seat: int) -> None:
    rich = pw.Player(quilt("#########\n#########\n#########"), 60, 12, 40)
    poor = pw.Player(quilt("###......"), 3, 0, 41)
    ahead = searched(table(rich, poor, seat=seat), 300)
    assert ahead.seat == seat
    assert ahead.win > 0.95
    assert ahead.margin > 30
    behind = searched(table(replace(poor, time=40), replace(rich, time=41), seat=seat), 300)
    assert behind.seat == seat
    assert behind.win < 0.05
    assert behind.margin < -30


# ---- limits and bad input


@pytest.mark.parametrize("nodes", [1, 2, 3, 17, 256, 257, 1_000])
def test_looks_at_exactly_as_many_positions_as_the_limit_says(nodes: int) -> None:
    engine = Engine(6, memory=8)
    for text in (START, LEATHER):
        found = engine.analyse(parse(text), Limit(nodes=nodes))
        assert found.visits == nodes
        assert found.best in parse(text).legal_moves()


@pytest.mark.parametrize("limit", [Limit(nodes=0), Limit(time=0), Limit(time=0, nodes=0)])
def test_a_limit_of_nothing_still_finds_a_legal_move(limit: Limit) -> None:
    engine = Engine(8, memory=8)
    for text in (START, MIDDLE, LEATHER, HOME):
        found = engine.analyse(parse(text), limit, lines=3)
        assert found.best in parse(text).legal_moves()
        assert 0 <= found.win <= 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "a limit needs time or nodes"),
        ({"time": -0.1}, "time is a number of seconds from 0 on"),
        ({"time": float("nan")}, "time is a number of seconds from 0 on"),
        ({"nodes": -1}, "nodes is a number from 0 on"),
        ({"time": 1, "nodes": -1}, "nodes is a number from 0 on"),
    ],
)
def test_a_limit_that_is_none_is_refused(arguments: dict[str, float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Limit(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"level": 0}, "the levels are 1 to 8, not 0"),
        ({"level": 9}, "the levels are 1 to 8, not 9"),
        ({"level": 3, "evaluator": Uniform()}, "a level or an evaluator, not both"),
        ({"threads": 0}, "threads is a number from 1 on, not 0"),
        ({"memory": 7}, "memory is at least 8 megabytes, not 7"),
        ({"memory": -1}, "memory is at least 8 megabytes, not -1"),
    ],
)
def test_an_engine_out_of_range_is_refused(arguments: dict[str, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Engine(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 2**53 - 1, 2**63 - 1])
def test_any_usual_seed_will_do(seed: int) -> None:
    assert searched(parse(START), 10, seed=seed).visits == 10


def test_a_finished_game_has_no_move_to_find() -> None:
    engine = Engine(1, memory=8)
    with pytest.raises(ValueError, match="the game is over"):
        engine.analyse(parse(FINISHED))
    assert engine.analyse(parse(HOME)).best in parse(HOME).legal_moves()


def test_no_lines_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="lines is a number from 1 on, not 0"):
        Engine(1, memory=8).analyse(parse(START), lines=0)


@pytest.mark.parametrize("limit", [Limit(nodes=10**12), Limit(time=10.0**6)])
def test_a_single_legal_move_is_found_without_using_up_the_limit(limit: Limit) -> None:
    assert forced().legal_moves() == [pw.Advance()]
    found = Engine(8, memory=8).analyse(forced(), limit)
    assert found.best == pw.Advance()
    assert found.visits < 1_000


@pytest.mark.parametrize("nodes", [0, 1, 10])
def test_a_single_legal_move_takes_no_more_nodes_than_the_limit_says(nodes: int) -> None:
    assert Engine(8, memory=8).analyse(forced(), Limit(nodes=nodes)).visits <= max(1, nodes)


# ---- memory


def used_bytes(search: Search) -> int:
    return sum(array.nbytes for array in tree_of(search))


@pytest.mark.parametrize("memory", [1, 8, 100])
def test_a_tree_takes_no_more_memory_than_it_may(memory: int) -> None:
    search = Search(Playouts(0), memory * MEGABYTE)
    assert 0.99 * memory * MEGABYTE < used_bytes(search) <= memory * MEGABYTE


@pytest.mark.parametrize(
    ("evaluator", "full"), [(Playouts(0), 0), (Uniform(16, most=48), 1)], ids=["nodes", "edges"]
)
def test_a_full_tree_goes_on_with_what_it_has(evaluator: Evaluator, full: int) -> None:
    search = Search(evaluator, 2 * MEGABYTE)
    room = (len(tree_of(search).states), len(tree_of(search).moves))
    found = search.run(parse(START), Limit(nodes=10_000), 3, never)
    nodes, edges = tree_of(search).used.tolist()
    assert nodes <= room[0]
    assert edges <= room[1]
    assert (nodes == room[0], edges > room[1] - 48)[full]
    assert found.visits == 10_000
    assert used_bytes(search) <= 2 * MEGABYTE
    check_tree(search, parse(START), full=True)
    assert found.best in parse(START).legal_moves()


# ---- the tree itself


def check_tree(search: Search, root: pw.Position, *, full: bool = False) -> None:
    """Checks that visits add up and that each state is what its move leads to."""
    tree = tree_of(search)
    nodes, edges = tree.used.tolist()
    circle = from_position(root)[1]
    assert to_position(tree.states[0], circle, root.edition) == root
    assert (tree.pending[:edges] == 0).all()
    assert (tree.sums[:edges, WIN] >= 0).all()
    assert (tree.sums[:edges, WIN] <= tree.visits[:edges]).all()
    assert (tree.sums[:edges, UTILITY] >= 0).all()
    assert (tree.sums[:edges, UTILITY] <= tree.visits[:edges]).all()
    assert (tree.sums[:edges, MARGIN][tree.visits[:edges] == 0] == 0).all()
    children = tree.children[:edges]
    assert sorted(children[children >= 0].tolist()) == list(range(1, nodes))
    for node in range(nodes):
        first, count = int(tree.first_edge[node]), int(tree.edge_count[node])
        for edge in range(first, first + max(0, count)):
            child = int(tree.children[edge])
            if child < 0:
                assert full or tree.visits[edge] == 0
                continue
            state = tree.states[node].copy()
            kernel.play(state, circle, int(tree.moves[edge]))
            assert (state == tree.states[child]).all()
            start, fan = int(tree.first_edge[child]), int(tree.edge_count[child])
            if fan > 0:
                assert tree.priors[start : start + fan].sum() == pytest.approx(1, abs=1e-5)
                assert tree.visits[edge] == 1 + tree.visits[start : start + fan].sum()


@pytest.mark.parametrize(
    "text",
    [START, MIDDLE, swapped(LEATHER), HOME],
    ids=["start", "middle", "leather, seats swapped", "home"],
)
def test_visits_add_up_and_every_state_is_what_its_move_leads_to(text: str) -> None:
    search = Search(Playouts(0), 16 * MEGABYTE)
    search.run(parse(text), Limit(nodes=1_000), 1, never)
    check_tree(search, parse(text))


class Moody:
    """An evaluator whose opinions are random but always the same about the same position."""

    batch = 1

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        codes = np.empty(MOST_MOVES, np.int64)
        scratch = np.empty((kernel.SCRATCH, LANES), np.int64)
        for number, state in enumerate(states):
            count = kernel.legal_moves(state, circle, codes, scratch)
            position = to_position(state, circle, pw.CLASSIC)
            win, margin, priors = mood(position, [to_move(code) for code in codes[:count].tolist()])
            out.values[number] = win, margin
            out.counts[number] = len(priors)
            for edge, (move, prior) in enumerate(priors.items()):
                out.moves[number, edge] = from_move(move)
                out.priors[number, edge] = prior


def mood(position: pw.Position, moves: list[Move]) -> tuple[float, float, dict[Move, float]]:
    random = Random(str(position))
    some = random.sample(moves, min(5, len(moves)))
    weights = [random.randint(1, 50) for _ in some]
    # Sixteen binary digits are exact in the tree's single precision.
    priors = [round(65536 * weight / sum(weights)) / 65536 for weight in weights]
    return random.random(), random.uniform(-30, 30), dict(zip(some, priors, strict=True))


class Branch:
    """A move of the search told again below, in plain Python on the rules."""

    def __init__(self, prior: float) -> None:
        self.prior, self.visits, self.total = prior, 0, 0.0
        self.child: dict[Move, Branch] | None = None


def told_again(root: pw.Position, visits: int) -> dict[Move, Branch]:
    """Returns the branches of the root; what is tuned is taken from the engine."""

    def opened(position: pw.Position) -> tuple[float, dict[Move, Branch]]:
        if position.outcome is not None:
            first, second = position.scores
            return utility(float(position.outcome.winner == 0), float(first - second)), {}
        win, margin, priors = mood(position, position.legal_moves())
        return utility(win, margin), {move: Branch(prior) for move, prior in priors.items()}

    def chosen(turn: int, branches: dict[Move, Branch]) -> Move:
        tried = [branch for branch in branches.values() if branch.visits]
        count = sum(branch.visits for branch in tried)
        mean = sum(branch.total for branch in tried) / count if count else 0.5
        hope = (1 - mean if turn else mean) - 0.2 * sqrt(sum(b.prior for b in tried))

        def promise(move: Move) -> float:
            branch = branches[move]
            worth = hope
            if branch.visits:
                mean = branch.total / branch.visits
                worth = 1 - mean if turn else mean
            return worth + _EXPLORATION * sqrt(count + 1) * branch.prior / (1 + branch.visits)

        return max(branches, key=promise)

    branches = opened(root)[1]
    for _ in range(visits - 1):
        position, here, path = root, branches, []
        while True:
            move = chosen(position.turn, here)
            position, branch = position.play(move), here[move]
            path.append(branch)
            if branch.child is None:
                worth, branch.child = opened(position)
                break
            if not branch.child:
                worth = opened(position)[0]
                break
            here = branch.child
        for branch in path:
            branch.visits += 1
            branch.total += worth
    return branches


@pytest.mark.parametrize(
    "text",
    [START, MIDDLE, LEATHER, swapped(MIDDLE), HOME],
    ids=["start", "middle", "leather", "middle, seats swapped", "home"],
)
def test_the_tree_is_the_one_that_a_plain_search_on_the_rules_grows(text: str) -> None:
    search = Search(Moody(), MEGABYTE)
    search.run(parse(text), Limit(nodes=400), 1, never)
    tree = tree_of(search)

    def compare(node: int, branches: dict[Move, Branch]) -> int:
        first, count = int(tree.first_edge[node]), int(tree.edge_count[node])
        edges = range(first, first + max(0, count))
        moves = {to_move(int(tree.moves[edge])): edge for edge in edges}
        assert list(moves) == list(branches)
        for move, edge in moves.items():
            branch = branches[move]
            assert tree.visits[edge] == branch.visits
            assert tree.sums[edge, UTILITY] == pytest.approx(branch.total)
            assert (tree.children[edge] >= 0) == (branch.child is not None)
        return 1 + sum(
            compare(int(tree.children[edge]), branches[move].child or {})
            for move, edge in moves.items()
            if tree.children[edge] >= 0
        )

    assert compare(0, told_again(parse(text), 400)) == tree.used[0]


@given(st.integers(-150, 150), st.integers(-150, 150))
@settings(deadline=None)
def test_a_win_is_wanted_first_and_points_second(one: int, two: int) -> None:
    assert utility(1.0, abs(one)) > utility(0.0, -abs(two))
    for win in (0.0, 1.0):
        assert 0 <= utility(win, one) <= 1
        assert (utility(win, one) > utility(win, two)) == (one > two)
        assert utility(win, one) + utility(1 - win, -one) == pytest.approx(1)


# ---- one engine, several callers


def test_a_second_search_on_one_engine_is_refused_and_the_first_unharmed() -> None:
    refusals: list[RuntimeError] = []

    def intrude() -> None:
        with pytest.raises(RuntimeError, match="busy with another position") as caught:
            engine.analyse(parse(START), Limit(nodes=10))
        refusals.append(caught.value)

    engine = Engine(evaluator=Hooked(3, intrude), memory=8)
    found = engine.analyse(parse(MIDDLE), Limit(nodes=1_000), lines=3)
    undisturbed = Engine(evaluator=Playouts(3), memory=8)
    assert len(refusals) == 1
    assert found == undisturbed.analyse(parse(MIDDLE), Limit(nodes=1_000), lines=3)
    assert engine.analyse(parse(START), Limit(nodes=10)).visits == 10


def in_a_thread(engine: Engine, position: pw.Position, limit: Limit) -> Callable[[], Analysis]:
    """Starts a search in another thread; the function returned waits for its result."""
    results: list[Analysis] = []
    thread = threading.Thread(
        target=lambda: results.append(engine.analyse(position, limit)), daemon=True
    )
    thread.start()

    def wait() -> Analysis:
        thread.join(60)
        assert not thread.is_alive(), "the search does not end"
        return results[0]

    return wait


@pytest.mark.parametrize("limit", [Limit(nodes=10**9), Limit(time=10_000)])
def test_stop_from_another_thread_ends_a_long_search(limit: Limit) -> None:
    running = threading.Event()
    engine = Engine(evaluator=Hooked(0, running.set), memory=8)
    wait = in_a_thread(engine, parse(START), limit)
    assert running.wait(60)
    engine.stop()
    found = wait()
    assert found.best in parse(START).legal_moves()
    assert found.visits < 10**9


def unsolvable() -> pw.Position:
    """A late position with so much to choose from that solving it takes for ever."""
    rich = pw.Player(0, buttons=60, income=5, time=42)
    return table(rich, rich)


def test_stop_ends_a_search_that_tries_to_solve_the_end_of_the_game() -> None:
    engine = Engine(8, memory=8)
    wait = in_a_thread(engine, unsolvable(), Limit(time=10_000))
    waiting = threading.Event()
    while not engine._busy.locked():
        waiting.wait(0.001)
    waiting.wait(0.1)
    engine.stop()
    assert wait().best in unsolvable().legal_moves()


def test_a_stop_before_a_search_does_not_harm_it() -> None:
    engine = Engine(6, memory=8)
    engine.stop()
    assert engine.analyse(parse(START), Limit(nodes=100)).visits == 100


def test_progress_is_told_what_is_found_so_far() -> None:
    told: list[Analysis] = []

    def listen(analysis: Analysis) -> None:
        told.append(analysis)
        if len(told) == 2:
            engine.stop()

    engine = Engine(8, memory=8)
    found = engine.analyse(parse(START), Limit(nodes=10**9), lines=2, progress=listen)
    assert len(told) == 2
    assert 0 < told[0].visits < told[1].visits <= found.visits < 10**9
    for analysis in told:
        assert len(analysis.lines) == 2
        assert analysis.best in parse(START).legal_moves()


def test_an_engine_goes_on_after_its_evaluator_failed() -> None:
    def fail() -> None:
        raise ConnectionError("the network is away")

    engine = Engine(evaluator=Hooked(3, fail), memory=8)
    with pytest.raises(ConnectionError):
        engine.analyse(parse(MIDDLE), Limit(nodes=1_000))
    undisturbed = Engine(evaluator=Playouts(3), memory=8)
    limit = Limit(nodes=500)
    assert engine.analyse(parse(MIDDLE), limit) == undisturbed.analyse(parse(MIDDLE), limit)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_process_may_end_in_the_middle_of_a_search(threads: int) -> None:
    code = f"""
import threading
import patchwork as pw
from patchwork.engine import Engine, Limit
engine = Engine(8, memory=8, threads={threads})
running = threading.Event()
def search():
    engine.analyse(pw.Setup.random(0).start(), Limit(time=1e6), progress=lambda _: running.set())
threading.Thread(target=search, daemon=True).start()
assert running.wait(60)
"""
    source = Path(pw.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(source), "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# ---- an evaluator of one's own


@pytest.mark.parametrize("batch", [1, 4, 32])
def test_an_evaluator_of_ones_own_plugs_in(batch: int) -> None:
    evaluator = Uniform(batch)
    found = Engine(evaluator=evaluator, memory=8).analyse(parse(MIDDLE), Limit(nodes=600), lines=4)
    assert 600 / batch <= evaluator.calls <= 600
    assert found.visits == 600
    assert found.best in parse(MIDDLE).legal_moves()
    assert 0 <= found.win <= 1
    assert not found.exact


# ---- good moves


def last_decision(me: pw.Player, other: pw.Player, seat: int) -> pw.Position:
    """Whatever seat does now ends the game."""
    return table(replace(me, time=52), replace(other, time=53), seat=seat, circle=(23, 8, 2, 5))


GAPS = """
    #########
    #########
    #########
    #########
    #########
    #########
    ........#
    ........#
    ........#
"""


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("lead", [-60, -9, -3, 0, 3, 60])
def test_the_last_move_of_a_game_is_the_one_that_gains_most(seat: int, lead: int) -> None:
    """Also in a game that is won or lost anyway: it is played for points."""
    me = pw.Player(quilt(GAPS), buttons=12, income=1)
    base = last_decision(me, pw.Player(quilt(GAPS), buttons=0), seat)
    behind = base.scores[seat] - base.scores[1 - seat]
    other = pw.Player(quilt(GAPS), buttons=max(0, behind - lead))
    position = last_decision(replace(me, buttons=max(12, 12 + lead - behind)), other, seat)

    def margin(move: Move) -> int:
        scores = position.play(move).scores
        return scores[seat] - scores[1 - seat]

    best = max(map(margin, position.legal_moves()))
    assert best > margin(pw.Advance())
    assert margin(searched(position, 2_000).best) == best
    solved = Engine(8, memory=8).analyse(position)
    assert (solved.exact, solved.margin, margin(solved.best)) == (True, best, best)


@pytest.mark.parametrize("seat", [0, 1])
def test_leather_completes_the_square_that_wins_the_special_tile(seat: int) -> None:
    board = """
        #######..
        #######..
        #######..
        ###.###..
        #######..
        #######..
        #######..
        .........
        .........
    """
    me = pw.Player(quilt(board), buttons=10, income=5, time=33)
    other = pw.Player(quilt(board), buttons=10, income=5, time=31)
    position = replace(table(me, other, seat=seat), phase=pw.Phase.LEATHER)
    for found in (
        searched(position, 1_000),
        Engine(6, memory=8).analyse(position),
        Engine(evaluator=Uniform(), memory=8).analyse(position, Limit(nodes=3_000)),
    ):
        assert found.best == pw.Leather(9 * 3 + 3)


def test_a_patch_worth_much_for_nothing_is_bought() -> None:
    # Patch 23 covers 6 spaces for 2 buttons and 1 of time; the others cannot be paid.
    me = pw.Player(0, buttons=3, income=0, time=30)
    position = table(me, replace(me, time=31), circle=(23, 18, 19, 4, 5, 6, 7))
    found = searched(position, 1_000)
    assert isinstance(found.best, pw.Buy)
    assert found.best.patch == 23


@pytest.mark.parametrize("level", [1, 5, 8])
def test_a_level_beats_careless_play(level: int) -> None:
    engine, wins = Engine(level, seed=1, memory=8), 0
    for number in range(6):
        random = Random(number)
        position = early(random)
        while position.outcome is None:
            if position.turn == number % 2:
                move = engine.analyse(position, Limit(nodes=8)).best
            else:
                move = whim(random, position, position.legal_moves())
            position = position.play(move)
        wins += position.outcome.winner == number % 2
    assert wins >= 5


def test_every_answer_is_legal_in_positions_of_all_kinds() -> None:
    engine, random = Engine(6, memory=8), Random(3)
    for number in range(60):
        position = (early, late)[number % 2](random)
        for _ in range(random.randrange(40)):
            after = position.play(random.choice(position.legal_moves()))
            if after.outcome is not None:
                break
            position = after
        found = engine.analyse(position, Limit(nodes=200), lines=3)
        for line in found.lines:
            after = position
            for move in line.moves:
                after = after.play(move)
        assert found.seat == position.turn


def test_a_proven_result_comes_with_the_other_lines_asked_for() -> None:
    position = pw.Position.parse(HOME)
    count = min(3, len(position.legal_moves()))
    analysis = Engine(level=8, memory=8).analyse(position, Limit(nodes=5_000), lines=3)
    assert analysis.exact
    assert len(analysis.lines) == len({line.moves[0] for line in analysis.lines}) == count


@pytest.mark.parametrize("sight", [0, 16])
def test_an_evaluator_refuses_a_sight_there_is_no_room_for(sight: int) -> None:
    with pytest.raises(ValueError, match="sight is 1 to 15"):
        Playouts(seed=0, sight=sight)


@pytest.mark.parametrize("seed", [-1, 2**53])
def test_an_engine_refuses_a_seed_out_of_range(seed: int) -> None:
    with pytest.raises(ValueError, match="seed is a number from 0 to"):
        Engine(seed=seed)
