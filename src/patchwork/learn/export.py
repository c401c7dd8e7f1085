"""Writes a network as an ONNX file, as the engine reads it, with metadata."""

import copy
import json
import logging
import warnings
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from patchwork.engine.evaluators.features import PLANES, SCALARS
from patchwork.engine.evaluators.network import CARD, FORMAT, INPUTS, OUTPUTS
from patchwork.learn import old_names
from patchwork.learn.checkpoint import RunFolder, Unreadable, read_facts, read_network, write_whole
from patchwork.learn.network import POINTS_SCALE, Network, Size
from patchwork.rules.quilt import SIDE

_TEST_POSITIONS = 32
"""Positions on which a file is compared with its network."""
_TOLERANCE = 1e-3
"""How far the outputs of the two may differ: they round and add up in different orders."""
_SEED = 1
"""Of the random inputs for that comparison."""
_PREFIX = "_network."
"""Starts the names of all weights in a file; it is the attribute of ``ExportedNetwork``."""
_FIRST_FORMAT, _SCALAR_WEIGHTS = 1, "numbers.0.weight"
"""In their first format, networks read fewer scalar features; these weights read them."""
_FULL_PRECISION = ".wide"
"""Ends the names of weights converted back from half precision."""


class ExportError(Exception):
    """A file whose network gives other outputs than the original."""


class ExportedNetwork(nn.Module):
    """A network that gives probabilities and points instead of logits and scaled points."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._network = network

    def forward(self, planes: Tensor, scalars: Tensor) -> tuple[Tensor, ...]:
        """Returns the outputs in the order of ``engine.evaluators.network.OUTPUTS``."""
        output = self._network(planes, scalars)
        points = output.points * POINTS_SCALE
        values = torch.stack((output.win.sigmoid(), points[:, 0]), 1)
        return output.planes, output.biases, values, points[:, 1:], output.filling.sigmoid()


def export_file(source: Path, target: Path) -> dict[str, Any]:
    """Writes the network in a file as ONNX, with its metadata beside it as JSON, and returns it.

    Raises:
        OSError: a file cannot be read or written.
        Unreadable: the source is not a network.
        ExportError: the ONNX network gives other outputs.
    """
    network = read_network(source)
    card = card_of(network, source)
    export(network, target, card)
    _write_beside(target, card)
    return card


def amend(path: Path, facts: dict[str, Any]) -> None:
    """Adds facts to the metadata in an ONNX file and beside it.

    Raises:
        OSError: a file cannot be read or written.
    """
    model = onnx.load(path)
    (entry,) = (each for each in model.metadata_props if each.key == CARD)
    card = json.loads(entry.value) | facts
    entry.value = json.dumps(card)
    write_whole(path, model.SerializeToString())
    _write_beside(path, card)


def _write_beside(path: Path, card: dict[str, Any]) -> None:
    write_whole(path.with_suffix(".json"), (json.dumps(card, indent=2) + "\n").encode())


def card_of(network: Network, source: Path) -> dict[str, Any]:
    """Returns the facts about the network in a file, and its ratings from the folder of its run."""
    card = {
        "name": source.stem,
        "format": FORMAT,
        **asdict(network.size),
        "parameters": sum(each.numel() for each in network.parameters()),
        **read_facts(source),
    }
    ratings = RunFolder(source.parent.parent).ratings
    if ratings.exists():
        every = json.loads(ratings.read_text(encoding="utf-8"))["ratings"]
        mine = [rating for rating in every if rating["player"].split("@")[0] == source.stem]
        card["strength"] = mine
    return card


def export(network: Network, path: Path, card: dict[str, Any]) -> None:
    """Writes a network with its metadata.

    Raises:
        OSError: the file cannot be written.
        ExportError: the ONNX network gives other outputs.
    """
    exported = ExportedNetwork(_rounded(network)).eval()
    example = torch.zeros(2, PLANES, SIDE, SIDE), torch.zeros(2, SCALARS)
    batch = torch.export.Dim("batch")
    # PyTorch warns of missing optional libraries and of its own deprecated parts.
    logging.getLogger("torch.onnx._internal.exporter").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            exported,
            example,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_shapes=({0: batch}, {0: batch}),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _store_in_half_precision(model)
    entry = model.metadata_props.add()
    entry.key, entry.value = CARD, json.dumps(card | {"format": FORMAT})
    content = model.SerializeToString()
    onnx.checker.check_model(model)
    _compare(exported, content)
    write_whole(path, content)


def _rounded(network: Network) -> Network:
    """Returns a network with its weights rounded to half precision, in full precision again."""
    return copy.deepcopy(network).half().float()


def _store_in_half_precision(model: onnx.ModelProto) -> None:
    """Halves the size of the weights; the model itself converts them back.

    Training uses even fewer digits. Evaluating a position takes as long as before, since ONNX
    Runtime converts the weights once, when it opens the file.
    """
    graph = model.graph
    full = {}
    for part in graph.initializer:
        if part.name.startswith(_PREFIX):
            full[part.name] = f"{part.name}{_FULL_PRECISION}"
            short = onnx.numpy_helper.to_array(part).astype(np.float16)
            part.CopyFrom(onnx.numpy_helper.from_array(short, part.name))
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = full.get(name, name)
    for at, (name, converted) in enumerate(full.items()):
        cast = onnx.helper.make_node("Cast", [name], [converted], to=onnx.TensorProto.FLOAT)
        graph.node.insert(at, cast)


def read_exported(path: Path) -> Network:
    """Returns the network in an exported ONNX file, which may be in an earlier format.

    Raises:
        OSError: the file cannot be read.
        Unreadable: there is no network in it, or one of another kind.
    """
    content = path.read_bytes()
    try:
        model = onnx.load_from_string(content)
        card = json.loads({each.key: each.value for each in model.metadata_props}[CARD])
        known = old_names.renamed(card, old_names.CONFIG)
        size = Size(**{each.name: known.get(each.name, each.default) for each in fields(Size)})
        network = Network(size)
        weights = {
            part.name.removeprefix(_PREFIX): torch.tensor(onnx.numpy_helper.to_array(part))
            for part in model.graph.initializer
            if part.name.startswith(_PREFIX)
        }
        if card["format"] == _FIRST_FORMAT:
            missing = SCALARS - weights[_SCALAR_WEIGHTS].shape[1]
            weights[_SCALAR_WEIGHTS] = functional.pad(weights[_SCALAR_WEIGHTS], (0, missing))
        network.load_state_dict(weights)
    except Exception as error:  # ONNX raises many kinds for other files
        raise Unreadable(f"{path} is not a network") from error
    return network


def _compare(exported: ExportedNetwork, content: bytes) -> None:
    import onnxruntime

    random = torch.Generator().manual_seed(_SEED)
    planes = torch.rand(_TEST_POSITIONS, PLANES, SIDE, SIDE, generator=random) < 0.5
    inputs = planes.float(), torch.randn(_TEST_POSITIONS, SCALARS, generator=random)
    with torch.inference_mode():
        expected = exported(*inputs)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    given = {name: value.numpy() for name, value in zip(INPUTS, inputs, strict=True)}
    for name, mine, theirs in zip(OUTPUTS, expected, session.run(OUTPUTS, given), strict=True):
        if not np.allclose(mine.numpy(), theirs, rtol=_TOLERANCE, atol=_TOLERANCE):
            raise ExportError(f"the ONNX file gives other {name} than the network")
