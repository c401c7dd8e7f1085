"""Pattern weights learn from a network, and the engine computes what training does."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from patchwork.engine.evaluators.features import PLANES, SCALARS
from patchwork.engine.evaluators.network import NetworkError, NetworkEvaluator
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rules import SCRATCH, legal_moves, play, score, winner
from patchwork.engine.kernel.state import OVER, PHASE, TURN, to_move, to_position
from patchwork.engine.patterns.evaluator import PatternEvaluator
from patchwork.engine.patterns.file import SUFFIX, write
from patchwork.engine.patterns.weights import POINTS, SIZES, STAGES, Weights
from patchwork.learn.checkpoint import Unreadable
from patchwork.learn.checkpoint import write_network as save_network
from patchwork.learn.distillation import dataset as dataset_module
from patchwork.learn.distillation import distill
from patchwork.learn.distillation.dataset import (
    new_dataset,
    placement_inputs,
    position_inputs,
    window_counts,
)
from patchwork.learn.distillation.distill import PatternNetwork, distil, read_teacher
from patchwork.learn.distillation.positions import LabelledPositions, play_and_label
from patchwork.learn.export import export_file
from patchwork.learn.network import MASKED_LOGIT, Network, Size
from patchwork.rules.moves import MOST_LEGAL_MOVES, Advance, Buy
from patchwork.rules.position import Position
from patchwork.rules.quilt import CELLS
from patchwork.rules.timeboard import EDITIONS
from support.commands import Cli
from support.evaluations import evaluated
from support.little_network import write_network

GAMES = 6


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "my.onnx", name="little")


@pytest.fixture(scope="module")
def labelled(network: Path) -> LabelledPositions:
    reported: list[int] = []
    found = play_and_label(NetworkEvaluator(network), GAMES, 3, 2, reported.append)
    assert reported[-1] == GAMES
    assert reported == sorted(reported)
    return found


def positions(labelled: LabelledPositions) -> list[Position]:
    return [
        to_position(state, labelled.circles[game], EDITIONS[int(game) % len(EDITIONS)])
        for state, game in zip(labelled.states, labelled.games, strict=True)
    ]


def test_labelled_placements_and_choices_are_legal(labelled: LabelledPositions) -> None:
    for number, position in enumerate(positions(labelled)):
        legal = set(position.legal_moves())
        codes = labelled.labels.codes[number]
        listed = [to_move(int(code)) for code in codes[codes >= 0]]
        assert set(listed) <= legal
        assert len(set(listed)) == len(listed)
        choices = labelled.labels.choices[number] > MASKED_LOGIT
        assert choices[0] == (Advance() in legal)
        bought = {move.patch for move in legal if isinstance(move, Buy)}
        expected = [patch in bought for patch in position.offer]
        assert choices[1 : 1 + len(expected)].tolist() == expected


def test_values_are_those_of_the_network(labelled: LabelledPositions, network: Path) -> None:
    learned = NetworkEvaluator(network)
    for number in range(0, len(labelled.states), 40):
        state, circle = labelled.states[number], labelled.circles[labelled.games[number]]
        out = evaluated(learned, state, circle)
        win, margin = out.values[0]
        if state[TURN] == 1:
            win, margin = 1 - win, -margin
        assert labelled.labels.values[number] == pytest.approx(
            (win, margin, out.totals[0]), abs=1e-3
        )


def test_results_are_those_of_the_games(labelled: LabelledPositions) -> None:
    """In the last position of a game, some move must lead to the recorded result."""
    scratch, codes = np.empty((SCRATCH, LANES), np.int64), np.empty(MOST_LEGAL_MOVES, np.int64)
    on_path = ~np.isnan(labelled.results[:, 0])
    checked = 0
    for game in range(GAMES):
        rows = np.flatnonzero(on_path & (labelled.games == game))
        wins = {(int(labelled.states[row, TURN]), float(labelled.results[row, 0])) for row in rows}
        assert len(wins) == len({turn for turn, _ in wins}), "one game, one winner"
        circle, last = labelled.circles[game], labelled.states[rows[-1]]
        ends = set()
        for code in codes[: legal_moves(last, circle, codes, scratch)].copy():
            state = last.copy()
            play(state, circle, code)
            while state[PHASE] != OVER and legal_moves(state, circle, codes, scratch) == 1:
                play(state, circle, codes[0])
            if state[PHASE] == OVER:
                sign = 1 if last[TURN] == 0 else -1
                one, other = score(state, 0), score(state, 1)
                ends.add((float(winner(state) == last[TURN]), sign * (one - other), one + other))
        assert tuple(labelled.results[rows[-1]].tolist()) in ends
        checked += len(ends)
    assert checked >= GAMES
    assert 0.2 < on_path.mean() < 0.9


def test_the_engine_computes_what_training_does(labelled: LabelledPositions, network: Path) -> None:
    random = np.random.default_rng(2)
    weights = Weights(
        *(random.normal(0, 0.1, shape).astype(np.float32) for shape in SIZES.values())
    )
    patterns = PatternNetwork()
    patterns.learned.load_state_dict({name: torch.tensor(getattr(weights, name)) for name in SIZES})
    path = network.with_name(f"random{SUFFIX}")
    write(path, weights, {})
    evaluator = PatternEvaluator(path, NetworkEvaluator(network))
    chosen = np.arange(0, len(labelled.states), 2)
    with torch.no_grad():
        kinds, scalars, stages = map(torch.from_numpy, position_inputs(labelled, chosen))
        outputs = patterns(window_counts(kinds), scalars, stages)
    assert set(stages.tolist()) == set(range(STAGES))
    phases, placed = placement_inputs(labelled, chosen)
    assert set(phases) == {0, 1, 2}
    counts = window_counts(torch.from_numpy(placed)).numpy()
    worth = (counts * weights.places[phases][:, None]).sum(2)
    compared = 0
    every = positions(labelled)
    for row, number in enumerate(chosen):
        state, circle = labelled.states[number], labelled.circles[labelled.games[number]]
        position = every[number]
        out = evaluated(evaluator, state, circle)
        win, margin, total = (
            outputs[row, 0].sigmoid(),
            POINTS * outputs[row, 1],
            POINTS * outputs[row, 2],
        )
        if state[TURN] == 1:
            win, margin = 1 - win, -margin
        assert out.values[0] == pytest.approx((float(win), float(margin)), abs=2e-3)
        assert out.totals[0] == pytest.approx(float(total), abs=2e-3)
        if not position.players[position.turn].quilt:
            continue  # there, one placement stands for all its symmetric copies
        # The logits of two placements of a patch differ by the worth of their windows.
        logits = {
            int(code): np.log(prior)
            for code, prior in zip(out.moves[0], out.priors[0, : out.counts[0]], strict=False)
        }
        both = [at for at, code in enumerate(labelled.labels.codes[number]) if int(code) in logits]
        for one, other in pairwise(both):
            codes = (int(labelled.labels.codes[number, at]) for at in (one, other))
            difference = np.subtract(*(logits[code] for code in codes))
            assert difference == pytest.approx(worth[row, one] - worth[row, other], abs=5e-3)
            compared += 1
    assert compared > 50


def test_the_dataset_has_all_positions(
    labelled: LabelledPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_module, "_CHUNK", 7)  # many chunks, the last one smaller
    every, placed = np.arange(len(labelled.states)), np.arange(0, len(labelled.states), 5)
    dataset = new_dataset(labelled, placed, torch.device("cpu"), threads=2)
    for found, expected in zip(dataset[:3], position_inputs(labelled, every), strict=True):
        assert torch.equal(found, torch.as_tensor(expected))
    for found, expected in zip(dataset[5:7], placement_inputs(labelled, placed), strict=True):
        assert torch.equal(found, torch.as_tensor(expected))
    branches = np.isnan(labelled.results[:, 0])
    values, targets = labelled.labels.values, dataset.values.numpy()
    assert np.array_equal(targets[branches], values[branches])
    mixed = 0.75 * values + 0.25 * labelled.results
    assert targets[~branches] == pytest.approx(mixed[~branches], abs=1e-5)
    there = labelled.labels.codes[placed] >= 0
    assert np.array_equal(dataset.logits.numpy()[there], labelled.labels.logits[placed][there])
    assert (dataset.logits.numpy()[~there] == MASKED_LOGIT).all()


def test_the_loss_falls(network: Path) -> None:
    reported: list[tuple[int, float]] = []
    weights, card = distil(network, 40, 100, 1, lambda _: None, lambda *step: reported.append(step))
    assert [step for step, _ in reported] == [20, 40, 60, 80, 100]
    assert reported[-1][1] < 0.9 * reported[0][1]
    assert card["name"] == "little"
    assert (card["games"], card["steps"], card["seed"]) == (40, 100, 1)
    assert card["positions"] > 40 * 20
    assert {name: each.shape for name, each in weights._asdict().items()} == SIZES


def test_training_ends_in_time(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distill, "_LEAST_SECONDS", 0.5)
    reported: list[int] = []
    _, card = distil(
        network, 4, 10**9, 1, lambda _: None, lambda step, _: reported.append(step), 1e-3
    )
    assert 0 < card["steps"] < 10**6
    assert reported == list(range(20, card["steps"] + 1, 20))


def test_a_network_of_a_run_labels_like_its_exported_file(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = Network(Size(8, 2, 16))
    for each in network.parameters():
        torch.nn.init.normal_(each, std=0.1)
    source, target = tmp_path / "player-1.0.pt", tmp_path / "player-1.0.onnx"
    network = network.half().float()  # as an exported file stores it
    save_network(network, source, {"name": "player"})
    export_file(source, target)
    one, other = (read_teacher(path, torch.device("cpu")) for path in (source, target))
    assert one.card["name"] == other.card["name"] == "player"
    random = np.random.default_rng(1)
    planes = (random.random((600, PLANES, CELLS)) < 0.5).astype(np.float32)  # more than one portion
    scalars = random.normal(size=(600, SCALARS)).astype(np.float32)
    for mine, theirs in zip(one.ask(planes, scalars), other.ask(planes, scalars), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-3)
        assert mine.std() > 0.01


def test_two_games_are_enough_for_any_number_of_threads(network: Path) -> None:
    labelled = play_and_label(NetworkEvaluator(network), 2, 1, 5, lambda _: None)
    assert set(labelled.games) == {0, 1}
    weights, _ = distil(network, 2, 1, 1, lambda _: None, lambda *_: None)
    assert all(np.isfinite(each).all() for each in weights)


def test_the_command(cli: Cli, network: Path) -> None:
    output = cli.output("learn", "distil", str(network), "--games", "20", "--steps", "2")
    path = network.with_suffix(SUFFIX)
    assert output.startswith(f"Wrote {path} (log loss: ")
    assert PatternEvaluator(path, NetworkEvaluator(network)).card["steps"] == 2


@pytest.mark.parametrize(("name", "error"), [("my.onnx", NetworkError), ("my.pt", Unreadable)])
def test_a_file_without_a_network_is_refused(
    cli: Cli, tmp_path: Path, name: str, error: type[Exception]
) -> None:
    path = tmp_path / name
    path.write_text("hello")
    with pytest.raises(error):
        distil(path, 1, 1, 0, lambda _: None, lambda *_: None)
    assert f"cannot use {path}" in cli.refused("learn", "distil", str(path))


def test_one_game_is_not_enough(cli: Cli, network: Path) -> None:
    message = cli.stopped(2, "learn", "distil", str(network), "--games", "1")
    assert "--games" in message
    assert "2" in message
