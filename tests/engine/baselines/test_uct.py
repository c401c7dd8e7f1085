"""The baseline ``uct1000``: its list of moves, its choices, and that it never changes."""

from random import Random

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine.baselines import uct as baseline
from patchwork.engine.baselines.greedy import exposed_edge, greedy
from patchwork.engine.baselines.uct import uct
from patchwork.engine.kernel.pieces import framed
from patchwork.engine.kernel.state import from_position, to_move
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.position import Phase


def listed(position: pw.Position) -> list[pw.Advance | pw.Buy | pw.Leather]:
    state, circle = from_position(position)
    found, moves = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(32, np.int64)
    count = baseline._list_moves(state, circle, found, moves)
    return [to_move(int(code)) for code in moves[:count]]


def slowly_listed(position: pw.Position) -> list[pw.Advance | pw.Buy | pw.Leather]:
    """The same from the rules alone: of each patch the 4 places of least edge, then lowest mask."""
    quilt = position.players[position.turn].quilt

    def rank(move: pw.Buy | pw.Leather) -> tuple[int, int]:
        cells = move.cells if isinstance(move, pw.Buy) else 1 << move.cell
        return exposed_edge(quilt | cells), cells

    legal = position.legal_moves()
    leather = [move for move in legal if isinstance(move, pw.Leather)]
    if leather:
        return list(sorted(leather, key=rank)[:4])
    moves: list[pw.Advance | pw.Buy | pw.Leather] = [pw.Advance()]
    for patch in position.offer:
        purchases = [move for move in legal if isinstance(move, pw.Buy) and move.patch == patch]
        moves += sorted(purchases, key=rank)[:4]
    return moves


def positions(seed: int) -> list[pw.Position]:
    """The positions of a game between a greedy and a random player."""
    random = Random(seed)
    edition = (pw.CLASSIC, pw.REVISED)[seed % 2]
    game = pw.Game(pw.Setup.random(seed, edition=edition))
    while game.position.outcome is None:
        moves = game.position.legal_moves()
        game.push(random.choice(moves) if random.random() < 0.5 else greedy(game.position))
    return list(game.positions())


@pytest.mark.parametrize("seed", range(12))
def test_the_moves_considered_are_those_of_the_specification(seed: int) -> None:
    for position in positions(seed):
        if position.phase is not Phase.OVER:
            assert listed(position) == slowly_listed(position)
        else:
            assert listed(position) == []


def test_the_edge_is_that_of_greedy() -> None:
    random = Random(3)
    for _ in range(300):
        quilt = random.getrandbits(81) & random.getrandbits(81)
        assert baseline.exposed_edge(*framed(quilt)) == exposed_edge(quilt)


def test_the_same_seed_gives_the_same_move() -> None:
    seen = set()
    for position in positions(1)[:30:3]:
        moves = [uct(position, seed) for seed in (7, 7, 8)]
        assert moves[0] == moves[1]
        assert moves[0] in slowly_listed(position)
        seen.add(moves[0] == moves[2])
    assert seen == {True, False}, "another seed is another search"


def test_its_play_never_changes() -> None:
    game = pw.Game(pw.Setup.random(7))
    while len(game.moves) < 8:
        game.push(uct(game.position, 1))
    assert " ".join(map(str, game.moves)) == "20Af1 A A 10Eg1 30Bd1 15Ab3 32Ac1 A"


def test_a_win_in_one_is_found() -> None:
    """Near the end every line is played out many times, so that the choice is the best one."""
    for seed in range(6):
        last = [p for p in positions(seed) if p.phase is Phase.TURN][-1]
        outcomes = {move: last.play(move).outcome for move in slowly_listed(last)}
        winning = {
            move
            for move, outcome in outcomes.items()
            if outcome is not None and outcome.winner == last.turn
        }
        if winning:
            assert uct(last, 0) in winning


def test_a_finished_game_has_no_move() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        uct(positions(0)[-1], 0)
