"""Samples agree with the games they come from, under every symmetry of their quilts."""

from collections.abc import Iterator

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import SLOTS
from patchwork.engine.evaluators.policy import BIASES
from patchwork.engine.kernel.pieces import framed, unframed
from patchwork.engine.kernel.state import from_move, from_position, to_move
from patchwork.engine.kernel.symmetry import SYMMETRIES, SYMMETRY_CELLS
from patchwork.learn.selfplay.features import new_features, write_all_features
from patchwork.learn.selfplay.games import (
    FINISHED,
    NETWORK_INPUTS,
    GameBatch,
    new_game_batch,
    new_inference_buffers,
    new_workspace,
    record_sample,
    reset,
    step,
    tree_of,
)
from patchwork.learn.selfplay.loop import selfplay_parameters
from patchwork.learn.selfplay.ranking import rank
from patchwork.learn.training.replay_buffer import (
    MARGIN_TARGET,
    TURNED_CODES,
    WIN_TARGET,
    ReplayBuffer,
    new_buffer,
    new_training_batch,
    sample_batch,
    turned_quilt,
)
from patchwork.rules.moves import Buy
from patchwork.rules.quilt import CELLS

BATCH = 200


def turned(mask: int, symmetry: int) -> int:
    cells = SYMMETRY_CELLS[symmetry].tolist()
    return sum(1 << cells[cell] for cell in range(CELLS) if mask >> cell & 1)


@pytest.fixture(scope="module")
def replay() -> ReplayBuffer:
    """Samples of some random games."""
    found = new_buffer(2, 500)
    for _ in played(found, spread=0):
        if found.written.min() >= 60:
            break
    return found


def played(found: ReplayBuffer, spread: int) -> Iterator[GameBatch]:
    """Plays eight games with random evaluations; yields after each step of all of them."""
    parameters = selfplay_parameters(4, 4, td_lambda=0.9)
    games, buffers = new_game_batch(8, parameters), new_inference_buffers(8)
    work, features = new_workspace(), new_features(8)
    reset(games, buffers, parameters, 5, 1, spread)
    numbers, random = np.random.default_rng(0), np.array([1], np.uint64)
    while True:
        planes = numbers.normal(size=(8, 2 * SLOTS, CELLS)).astype(np.float32)
        biases = numbers.normal(size=(8, BIASES)).astype(np.float32)
        write_all_features(buffers.states, buffers.circles, features)
        rank(
            features.words,
            features.pieces,
            buffers.gumbel_scales,
            planes,
            biases,
            *buffers[NETWORK_INPUTS:-1],
            random,
        )
        buffers.values[:, 0] = 0.5
        for shard in range(2):
            step(games, buffers, parameters, found, shard, 4 * shard, 4 * shard + 4, work)
        yield games


def test_games_with_unsearched_moves_do_not_all_end_at_once() -> None:
    turns, reported = [], []
    for spread in (0, 40):
        found = new_buffer(2, 500)
        ends: list[int] = []
        for turn, games in enumerate(played(found, spread)):
            over = int((games.counts[:, FINISHED] > 0).sum())
            if over > 0 and not ends:
                reported.append(int(found.written.sum()))
            ends += [turn] * (over - len(ends))
            if over == 8:
                break
        turns.append(ends)
    together, spread_out = turns
    assert spread_out[0] < together[0] / 2
    assert np.ptp(spread_out) > np.ptp(together)
    assert reported[1] < reported[0], "moves without a search leave samples"


def test_there_are_eight_different_symmetries() -> None:
    assert len({tuple(row) for row in SYMMETRY_CELLS.tolist()}) == SYMMETRIES
    assert all(sorted(row) == list(range(CELLS)) for row in SYMMETRY_CELLS.tolist())


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_legal_moves_of_a_turned_quilt_are_the_turned_legal_moves(symmetry: int) -> None:
    position = pw.Setup.random(7).start()
    for _ in range(9):
        moves = position.legal_moves()
        position = position.play(moves[len(moves) // 2])
    player = position.players[position.turn]
    low, high = turned_quilt(*framed(player.quilt), symmetry, SYMMETRY_CELLS)
    assert unframed(low, high) == turned(player.quilt, symmetry)
    for move in position.legal_moves():
        code = int(TURNED_CODES[symmetry, from_move(move)])
        if isinstance(move, Buy):
            assert to_move(code) == Buy(move.patch, turned(move.cells, symmetry))
        else:
            assert to_move(code) == move


def test_a_batch_lists_legal_moves_that_stand_for_all_of_them(replay: ReplayBuffer) -> None:
    batch = new_training_batch(BATCH)
    sample_batch(replay, batch, 0, SYMMETRY_CELLS, TURNED_CODES, np.array([3], np.uint64))
    for number in range(BATCH):
        weights, codes = batch.weights[number], batch.codes[number]
        listed = codes[weights > 0].tolist()
        assert len(set(listed)) == len(listed)
        assert (weights[:CANDIDATES] <= 1).all()
        shares = batch.policies[number]
        assert (shares[weights[:CANDIDATES] == 0] == 0).all()
        assert 0 < shares.sum() <= 1 + 1e-5


def test_targets_are_those_of_the_player_to_decide(replay: ReplayBuffer) -> None:
    count = int(replay.written[0])
    results = replay.targets[0, :count]
    assert ((results[:, 0] >= 0) & (results[:, 0] <= 1)).all()
    # The target of the last sample of a game is the result alone.
    last = results[0]
    assert last[0] in (0, 1)
    assert last[1] == last[2] - last[3]


def test_the_value_of_a_search_is_that_of_its_improved_policy() -> None:
    """Of three moves with shares of 0.2, 0.6 and 0.2, the last one was not tried."""
    games, work = new_game_batch(1, selfplay_parameters(2, 2)), new_workspace()
    tree = tree_of(games, 0)
    tree.first_edge[0], tree.edge_count[0] = 0, 3
    tree.visits[:3] = 1, 4, 0
    tree.sums[:2] = (0, 0.2, -10), (0, 4 * 0.8, 4 * 5)
    games.root_logits[0, :3] = np.log((0.5, 0.25, 0.25))
    work.scores[:3] = np.log((1, 6, 2))
    record_sample(games, tree, 0, 0.0, work)
    assert games.trajectories.policies[0, 0, :4] == pytest.approx((0.2, 0.6, 0.2, 0))
    found = games.trajectories.targets[0, 0]
    assert found[WIN_TARGET] == pytest.approx((0.2 * 0.2 + 0.6 * 0.8) / 0.8)
    assert found[MARGIN_TARGET] == pytest.approx((0.2 * -10 + 0.6 * 5) / 0.8)


def test_samples_are_the_positions_that_were_searched(replay: ReplayBuffer) -> None:
    states, circles = replay.states[0], replay.circles[0]
    from patchwork.engine.kernel.state import to_position

    for number in range(40):
        leather = int(states[number, 12])
        edition = pw.REVISED if leather >> 38 & 1 else pw.CLASSIC
        position = to_position(states[number], circles[number].astype(np.int64), edition)
        legal = {from_move(move) for move in position.legal_moves()}
        count = int(replay.counts[0, number])
        assert set(replay.codes[0, number, :count].tolist()) <= legal
        assert (from_position(position)[0][:10] == states[number, :10]).all()
