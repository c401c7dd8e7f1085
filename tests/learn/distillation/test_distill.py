"""Tables learn what a network says, and say to the engine what they said while they learned."""

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
from patchwork.learn.distillation import dataset as lessons_module
from patchwork.learn.distillation import distill
from patchwork.learn.distillation.dataset import counted, lessons_of, see, see_places
from patchwork.learn.distillation.distill import Pupil, distil, teacher_of
from patchwork.learn.distillation.positions import Teachings, teach
from patchwork.learn.export import export_file
from patchwork.learn.network import NEVER, Network, Size
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
def taught(network: Path) -> Teachings:
    told: list[int] = []
    found = teach(NetworkEvaluator(network), GAMES, 3, 2, told.append)
    assert told[-1] == GAMES
    assert told == sorted(told)
    return found


def positions(taught: Teachings) -> list[Position]:
    return [
        to_position(state, taught.circles[game], EDITIONS[int(game) % len(EDITIONS)])
        for state, game in zip(taught.states, taught.games, strict=True)
    ]


def test_places_and_choices_are_those_of_the_rules(taught: Teachings) -> None:
    for number, position in enumerate(positions(taught)):
        legal = set(position.legal_moves())
        codes = taught.said.codes[number]
        listed = [to_move(int(code)) for code in codes[codes >= 0]]
        assert set(listed) <= legal
        assert len(set(listed)) == len(listed)
        choices = taught.said.choices[number] > NEVER
        assert choices[0] == (Advance() in legal)
        bought = {move.patch for move in legal if isinstance(move, Buy)}
        expected = [patch in bought for patch in position.offer]
        assert choices[1 : 1 + len(expected)].tolist() == expected


def test_values_are_what_the_network_says(taught: Teachings, network: Path) -> None:
    learned = NetworkEvaluator(network)
    for number in range(0, len(taught.states), 40):
        state, circle = taught.states[number], taught.circles[taught.games[number]]
        out = evaluated(learned, state, circle)
        win, margin = out.values[0]
        if state[TURN] == 1:
            win, margin = 1 - win, -margin
        assert taught.said.values[number] == pytest.approx((win, margin, out.totals[0]), abs=1e-3)


def test_results_are_those_of_the_games(taught: Teachings) -> None:
    """Whatever is played in the last position of a game, if there is only that left to do."""
    scratch, codes = np.empty((SCRATCH, LANES), np.int64), np.empty(MOST_LEGAL_MOVES, np.int64)
    inside = ~np.isnan(taught.results[:, 0])
    checked = 0
    for game in range(GAMES):
        rows = np.flatnonzero(inside & (taught.games == game))
        wins = {(int(taught.states[row, TURN]), float(taught.results[row, 0])) for row in rows}
        assert len(wins) == len({turn for turn, _ in wins}), "one game, one winner"
        circle, last = taught.circles[game], taught.states[rows[-1]]
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
        assert tuple(taught.results[rows[-1]].tolist()) in ends
        checked += len(ends)
    assert checked >= GAMES
    assert 0.2 < inside.mean() < 0.9


def test_the_engine_says_what_the_pupil_says(taught: Teachings, network: Path) -> None:
    random = np.random.default_rng(2)
    weights = Weights(
        *(random.normal(0, 0.1, shape).astype(np.float32) for shape in SIZES.values())
    )
    pupil = Pupil()
    pupil.learned.load_state_dict({name: torch.tensor(getattr(weights, name)) for name in SIZES})
    path = network.with_name(f"random{SUFFIX}")
    write(path, weights, {})
    patterns = PatternEvaluator(path, NetworkEvaluator(network))
    chosen = np.arange(0, len(taught.states), 2)
    with torch.no_grad():
        kinds, scalars, stages = map(torch.from_numpy, see(taught, chosen))
        said = pupil(counted(kinds), scalars, stages)
    assert set(stages.tolist()) == set(range(STAGES))
    phases, placed = see_places(taught, chosen)
    assert set(phases) == {0, 1, 2}
    counts = counted(torch.from_numpy(placed)).numpy()
    worth = (counts * weights.places[phases][:, None]).sum(2)
    compared = 0
    every = positions(taught)
    for row, number in enumerate(chosen):
        state, circle = taught.states[number], taught.circles[taught.games[number]]
        position = every[number]
        out = evaluated(patterns, state, circle)
        win, margin, total = said[row, 0].sigmoid(), POINTS * said[row, 1], POINTS * said[row, 2]
        if state[TURN] == 1:
            win, margin = 1 - win, -margin
        assert out.values[0] == pytest.approx((float(win), float(margin)), abs=2e-3)
        assert out.totals[0] == pytest.approx(float(total), abs=2e-3)
        if not position.players[position.turn].quilt:
            continue  # there, one place stands for all that look alike
        # Two places of one patch differ by what the tables say of them.
        logits = {
            int(code): np.log(prior)
            for code, prior in zip(out.moves[0], out.priors[0, : out.counts[0]], strict=False)
        }
        both = [at for at, code in enumerate(taught.said.codes[number]) if int(code) in logits]
        for one, other in pairwise(both):
            codes = (int(taught.said.codes[number, at]) for at in (one, other))
            difference = np.subtract(*(logits[code] for code in codes))
            assert difference == pytest.approx(worth[row, one] - worth[row, other], abs=5e-3)
            compared += 1
    assert compared > 50


def test_lessons_are_about_all_positions(
    taught: Teachings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons_module, "_AT_ONCE", 7)  # many parts, the last of them smaller
    every, placed = np.arange(len(taught.states)), np.arange(0, len(taught.states), 5)
    lessons = lessons_of(taught, placed, torch.device("cpu"), threads=2)
    for found, seen in zip(lessons[:3], see(taught, every), strict=True):
        assert torch.equal(found, torch.as_tensor(seen))
    for found, seen in zip(lessons[5:7], see_places(taught, placed), strict=True):
        assert torch.equal(found, torch.as_tensor(seen))
    beside = np.isnan(taught.results[:, 0])
    values, aims = taught.said.values, lessons.aims.numpy()
    assert np.array_equal(aims[beside], values[beside])
    mixed = 0.75 * values + 0.25 * taught.results
    assert aims[~beside] == pytest.approx(mixed[~beside], abs=1e-5)
    there = taught.said.codes[placed] >= 0
    assert np.array_equal(lessons.logits.numpy()[there], taught.said.logits[placed][there])
    assert (lessons.logits.numpy()[~there] == NEVER).all()


def test_tables_learn(network: Path) -> None:
    told: list[tuple[int, float]] = []
    weights, card = distil(network, 40, 100, 1, lambda _: None, lambda *step: told.append(step))
    assert [step for step, _ in told] == [20, 40, 60, 80, 100]
    assert told[-1][1] < 0.9 * told[0][1]
    assert card["name"] == "little"
    assert (card["games"], card["steps"], card["seed"]) == (40, 100, 1)
    assert card["positions"] > 40 * 20
    assert {name: each.shape for name, each in weights._asdict().items()} == SIZES


def test_learning_ends_in_time(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distill, "_LEAST", 0.5)
    told: list[int] = []
    _, card = distil(network, 4, 10**9, 1, lambda _: None, lambda step, _: told.append(step), 1e-3)
    assert 0 < card["steps"] < 10**6
    assert told == list(range(20, card["steps"] + 1, 20))


def test_a_network_of_a_run_teaches_as_its_file_for_players_does(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = Network(Size(8, 2, 16))
    for each in network.parameters():
        torch.nn.init.normal_(each, std=0.1)
    source, target = tmp_path / "player-1.0.pt", tmp_path / "player-1.0.onnx"
    network = network.half().float()  # as a file for players keeps it
    save_network(network, source, {"name": "player"})
    export_file(source, target)
    one, other = (teacher_of(path, torch.device("cpu")) for path in (source, target))
    assert one.card["name"] == other.card["name"] == "player"
    random = np.random.default_rng(1)
    planes = (random.random((600, PLANES, CELLS)) < 0.5).astype(np.float32)  # more than a portion
    scalars = random.normal(size=(600, SCALARS)).astype(np.float32)
    for mine, theirs in zip(one.ask(planes, scalars), other.ask(planes, scalars), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-3)
        assert mine.std() > 0.01


def test_two_games_are_enough_for_any_number_of_threads(network: Path) -> None:
    taught = teach(NetworkEvaluator(network), 2, 1, 5, lambda _: None)
    assert set(taught.games) == {0, 1}
    weights, _ = distil(network, 2, 1, 1, lambda _: None, lambda *_: None)
    assert all(np.isfinite(each).all() for each in weights)


def test_the_command(cli: Cli, network: Path) -> None:
    output = cli.output("learn", "distil", str(network), "--games", "20", "--steps", "2")
    path = network.with_suffix(SUFFIX)
    assert output.startswith(f"Wrote {path} (log loss: ")
    assert PatternEvaluator(path, NetworkEvaluator(network)).card["steps"] == 2


@pytest.mark.parametrize(("name", "error"), [("my.onnx", NetworkError), ("my.pt", Unreadable)])
def test_a_file_that_is_no_network(
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
