"""An exported network gives the same output, and play and training give it the same input."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import numpy as np
import onnx
import pytest
import torch

import patchwork as pw
from learn.tiny import SIZE, network
from patchwork.engine.evaluators.features import (
    PLANES,
    SCALARS,
    SLOTS,
    new_inputs,
    write_inputs,
)
from patchwork.engine.evaluators.network import CARD, FORMAT, NetworkEvaluator
from patchwork.engine.kernel.state import from_position
from patchwork.learn.checkpoint import Unreadable, write_network
from patchwork.learn.export import (
    ExportedNetwork,
    ExportError,
    _compare,
    amend,
    export,
    export_file,
    read_exported,
)
from patchwork.learn.network import Network, PlaneUnpacker, listed_logits, placement_table
from patchwork.learn.selfplay.features import (
    FeatureEncoder,
    new_features,
    write_all_features,
)
from patchwork.learn.selfplay.games import (
    NETWORK_INPUTS,
    new_game_batch,
    new_inference_buffers,
    new_workspace,
    reset,
    step,
)
from patchwork.learn.selfplay.loop import selfplay_parameters
from patchwork.learn.selfplay.ranking import rank
from patchwork.learn.training.replay_buffer import new_buffer
from patchwork.rules.quilt import CELLS, SIDE
from support.evaluations import evaluated


def positions() -> list[pw.Position]:
    found = []
    for seed in range(6):
        random = Random(seed)
        position = pw.Setup.random(seed, edition=(pw.CLASSIC, pw.REVISED)[seed % 2]).start()
        while position.outcome is None:
            found.append(position)
            position = position.play(random.choice(position.legal_moves()))
    return found


def inputs_at_play(position: pw.Position) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns what the engine gives the network: planes and scalars; also its words and pieces."""
    state, circle = from_position(position)
    inputs = new_inputs(1)
    write_inputs(state[None], circle, inputs)
    return inputs.planes, inputs.scalars, inputs.words, inputs.pieces


@pytest.fixture(
    scope="module",
    params=[SIZE, replace(SIZE, mlp_blocks=2), replace(SIZE, circle_channels=4)],
    ids=["plain", "layers", "ring"],
)
def exported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Network, Path]:
    made = network(5, request.param).half().float()  # as a file stores it
    file = tmp_path_factory.mktemp("networks") / "some.onnx"
    export(made, file, {"name": "some"})
    return made, file


def test_the_engine_gets_the_output_of_the_network(exported: tuple[Network, Path]) -> None:
    made, file = exported
    evaluator, table = NetworkEvaluator(file), placement_table().float()
    for position in positions()[::7]:
        planes, scalars, _, pieces = inputs_at_play(position)
        with torch.inference_mode():
            answer = made(
                torch.from_numpy(planes).view(1, PLANES, SIDE, SIDE), torch.from_numpy(scalars)
            )
        state, circle = from_position(position)
        out = evaluated(evaluator, state, circle)
        win, points = float(answer.win.sigmoid()), 20 * float(answer.points[0, 0])
        expected = (win, points) if position.turn == 0 else (1 - win, -points)
        assert out.values[0] == pytest.approx(expected, abs=1e-4)
        count = int(out.counts[0])
        codes = torch.from_numpy(out.moves[:1, :count])
        slots = [_slot(int(code), pieces[0]) for code in codes[0]]
        logits = listed_logits(answer, table, codes, torch.tensor([slots]))
        shares = torch.softmax(logits[0].detach(), 0).numpy()
        assert out.priors[0, :count] == pytest.approx(shares, abs=1e-4)


def _slot(code: int, pieces: np.ndarray) -> int:
    """Returns the slot of the patch that a move places; any slot for an advance."""
    from patchwork.engine.kernel.pieces import LANES, PLACES

    piece = (code - 1) // (LANES * PLACES)
    return 0 if code == 0 else pieces.tolist().index(piece)


def test_the_feature_encoder_compiles_as_one_graph() -> None:
    buffers = new_inference_buffers(2)
    given = torch.from_numpy(buffers.states), torch.from_numpy(buffers.circles)
    encoder = FeatureEncoder()
    compiled = torch.compile(encoder, fullgraph=True, dynamic=False, backend="eager")
    with torch.inference_mode():
        for mine, theirs in zip(compiled(*given), encoder(*given), strict=True):
            assert torch.equal(mine, theirs)


def test_training_and_play_have_the_same_features_bit_for_bit() -> None:
    """Compares all three implementations in whole games of self-play."""
    parameters = selfplay_parameters(2, 2)
    work = new_workspace()
    games, buffers, replay = (
        new_game_batch(6, parameters),
        new_inference_buffers(6),
        new_buffer(1, 500),
    )
    features, encoder = new_features(6), FeatureEncoder()
    reset(games, buffers, parameters, 5, 1)
    numbers, random = np.random.default_rng(0), np.array([1], np.uint64)
    unpacking, compared = PlaneUnpacker(), 0
    while games.counts[:, 0].min() < 1:
        write_all_features(buffers.states, buffers.circles, features)
        on_gpu = encoder(torch.from_numpy(buffers.states), torch.from_numpy(buffers.circles))
        for part, tensor in enumerate(on_gpu):
            assert tensor.numpy().tobytes() == features[part].tobytes()
        for game in range(6):
            state, circle = games.leaves.states[game, 0], games.circles[game]
            inputs = new_inputs(1)
            write_inputs(state[None], circle, inputs)
            assert inputs.words[0].tobytes() == features.words[game].tobytes()
            assert inputs.scalars[0].tobytes() == features.scalars[game].tobytes()
            assert inputs.pieces[0].tobytes() == features.pieces[game].tobytes()
            shown = unpacking(torch.from_numpy(features.words[game : game + 1])).float().numpy()
            assert shown.tobytes() == inputs.planes.tobytes()
            compared += 1
        shapes = numbers.normal(size=(6, 2 * SLOTS, CELLS)).astype(np.float32)
        biases = numbers.normal(size=(6, 4)).astype(np.float32)
        rank(
            features.words,
            features.pieces,
            buffers.gumbel_scales,
            shapes,
            biases,
            *buffers[NETWORK_INPUTS:-1],
            random,
        )
        buffers.values[:, 0] = 0.5
        step(games, buffers, parameters, replay, 0, 0, 6, work)
    assert compared > 500


def test_a_file_with_another_output_is_not_written(exported: tuple[Network, Path]) -> None:
    made, file = exported
    _compare(ExportedNetwork(made), file.read_bytes())
    with pytest.raises(ExportError):
        _compare(ExportedNetwork(network(6)), file.read_bytes())


def test_weights_are_stored_in_half_precision(tmp_path: Path) -> None:
    made, file = (
        network(5, replace(SIZE, hidden=256, mlp_blocks=1, circle_channels=8)),
        tmp_path / "some.onnx",
    )
    export(made, file, asdict(made.size))
    parameters = sum(each.numel() for each in made.parameters())
    assert 2 * parameters < file.stat().st_size < 3 * parameters
    read = read_exported(file)
    for mine, theirs in zip(read.parameters(), made.parameters(), strict=True):
        assert torch.equal(mine, theirs.half().float())


def test_a_network_of_the_first_format_gives_the_same_output(tmp_path: Path) -> None:
    made, file = network(5).half().float(), tmp_path / "some.onnx"
    fewer = SCALARS - 100
    made.state_dict()["numbers.0.weight"][:, fewer:] = 0
    export(made, file, asdict(made.size))
    model = onnx.load(file)
    (sees,) = (each for each in model.graph.initializer if each.name.endswith("numbers.0.weight"))
    cut = onnx.numpy_helper.to_array(sees)[:, :fewer]
    sees.CopyFrom(onnx.numpy_helper.from_array(cut, sees.name))
    onnx.save(model, file)
    with pytest.raises(Unreadable):
        read_exported(file)
    (entry,) = (each for each in model.metadata_props if each.key == CARD)
    entry.value = json.dumps(json.loads(entry.value) | {"format": 1})
    onnx.save(model, file)
    for mine, theirs in zip(read_exported(file).parameters(), made.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_the_card(tmp_path: Path) -> None:
    folder = tmp_path / "networks"
    folder.mkdir()
    source, target = folder / "player-001.5.pt", tmp_path / "my.onnx"
    size = replace(SIZE, mlp_blocks=1)
    write_network(network(5, size), source, {"name": "player-001.5", "games": 12, "minutes": 1.5})
    rating = {"player": "player-001.5@64n", "elo": 12.5, "low": 1.0, "high": 24.0}
    other = {"player": "greedy", "elo": 0.0, "low": 0.0, "high": 0.0}
    (tmp_path / "ratings.json").write_text(json.dumps({"ratings": [rating, other]}), "utf-8")
    card = export_file(source, target)
    assert json.loads((tmp_path / "my.json").read_text("utf-8")) == card
    assert (card["name"], card["format"], card["games"]) == ("player-001.5", FORMAT, 12)
    assert card | asdict(size) == card
    assert card["parameters"] == sum(each.numel() for each in Network(size).parameters())
    assert card["strength"] == [rating]
    assert NetworkEvaluator(target).card == card
    amend(target, {"temperature": 1.5, "games": 13})
    card |= {"temperature": 1.5, "games": 13}
    assert json.loads((tmp_path / "my.json").read_text("utf-8")) == card
    assert NetworkEvaluator(target).card == card
    (tmp_path / "text.pt").write_text("no network", "utf-8")
    with pytest.raises(Unreadable):
        export_file(tmp_path / "text.pt", target)
