"""The search grows the same tree as a reference written in plain Python on the rules."""

import random
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest

import patchwork as pw
from engine.search.search_support import MEGABYTE, Move, never, parse, tree_of
from patchwork.engine import Limit
from patchwork.engine.evaluators.evaluator import Evaluation, Evaluator, Positions
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import from_move, to_move, to_position
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.search.mcts import Search
from patchwork.engine.search.tree import UTILITY, utility
from patchwork.rules.moves import MOST_LEGAL_MOVES
from support.positions import HOME, LEATHER, MIDDLE, START, swapped


class RandomEvaluator(Evaluator):
    """Gives each position a random evaluation, always the same one."""

    batch_size = 1

    def __init__(self, search: SearchParameters) -> None:
        self.search = search

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        codes = np.empty(MOST_LEGAL_MOVES, np.int64)
        scratch = np.empty((rules.SCRATCH, LANES), np.int64)
        for number, state in enumerate(positions.states):
            count = rules.legal_moves(state, positions.circle, codes, scratch)
            position = to_position(state, positions.circle, pw.CLASSIC)
            win, margin, priors = answers(
                position, [to_move(code) for code in codes[:count].tolist()]
            )
            out.values[number] = win, margin
            out.counts[number] = len(priors)
            for edge, (move, prior) in enumerate(priors.items()):
                out.moves[number, edge] = from_move(move)
                out.priors[number, edge] = prior


def answers(position: pw.Position, moves: list[Move]) -> tuple[float, float, dict[Move, float]]:
    chance = random.Random(str(position))
    some = chance.sample(moves, min(5, len(moves)))
    weights = [chance.randint(1, 50) for _ in some]
    # Sixteen binary digits are exact in the tree's single precision.
    priors = [round(65536 * weight / sum(weights)) / 65536 for weight in weights]
    return chance.random(), chance.uniform(-30, 30), dict(zip(some, priors, strict=True))


def patch_of(move: Move) -> int | None:
    """Returns the patch that a move places: None for an advance, -1 for leather."""
    if isinstance(move, pw.Buy):
        return move.patch
    return -1 if isinstance(move, pw.Leather) else None


class Branch:
    """A move in the tree of the reference search."""

    def __init__(self, prior: float) -> None:
        self.prior, self.visits, self.total = prior, 0, 0.0
        self.child: dict[Move, Branch] | None = None


def reference(root: pw.Position, visits: int, search: SearchParameters) -> dict[Move, Branch]:
    """Returns the branches of the root of the tree that a plain search grows."""

    def opened(position: pw.Position) -> tuple[float, dict[Move, Branch]]:
        if position.outcome is not None:
            first, second = position.scores
            return utility(float(position.outcome.winner == 0), float(first - second)), {}
        win, margin, priors = answers(position, position.legal_moves())
        return utility(win, margin), {move: Branch(prior) for move, prior in priors.items()}

    def waits(branches: dict[Move, Branch], before: Move, move: Move) -> bool:
        """Tells whether a move is another placement of a patch that needs more visits first."""
        return (
            branches[move].visits == 0
            and branches[before].visits < search.sibling_delay
            and patch_of(before) == patch_of(move)
        )

    def chosen(position: pw.Position, branches: dict[Move, Branch]) -> Move:
        turn = position.turn
        tried = [branch for branch in branches.values() if branch.visits]
        count = sum(branch.visits for branch in tried)
        mean = sum(branch.total for branch in tried) / count if count else 0.5
        tried_share = sum(branch.prior for branch in tried)
        untried = (1 - mean if turn else mean) - search.first_play_urgency * sqrt(tried_share)

        def promise(move: Move) -> float:
            branch = branches[move]
            worth = untried
            if branch.visits:
                mean = branch.total / branch.visits
                worth = 1 - mean if turn else mean
            scale = search.exploration * sqrt(count + 1)
            return worth + scale * branch.prior / (1 + branch.visits)

        moves = list(branches)
        if position != root:
            moves[1:] = [
                after for before, after in pairwise(moves) if not waits(branches, before, after)
            ]
        return max(moves, key=promise)

    branches = opened(root)[1]
    for _ in range(visits - 1):
        position, here, path = root, branches, []
        while True:
            move = chosen(position, here)
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
@pytest.mark.parametrize(
    "parameters",
    [
        SearchParameters(),
        SearchParameters(exploration=0.7, first_play_urgency=0.4, sibling_delay=3),
    ],
    ids=["defaults", "others"],
)
def test_the_tree_is_that_of_the_reference_search(text: str, parameters: SearchParameters) -> None:
    search = Search(RandomEvaluator(parameters), MEGABYTE)
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

    assert compare(0, reference(parse(text), 400, parameters)) == tree.used[0]
