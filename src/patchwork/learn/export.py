"""Writes a network as ONNX, as players use it, with a card that says what is known of it."""

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
from patchwork.learn.checkpoint import RunFolder, Unreadable, read_facts, read_network, write_whole
from patchwork.learn.network import POINTS, Network, Size
from patchwork.rules.quilt import SIDE

_TRIED = 32
"""Positions by which a file is compared with its network."""
_CLOSE = 1e-3
"""How far the answers of the two may differ: rounding, added up in another order."""


class ExportError(Exception):
    """A file that does not answer as its network does."""


_PREFIX = "_network."
"""Before the names of all weights in a file: that of the network in ``Outward``."""
_NARROW, _SEES = 1, "numbers.0.weight"
"""The format of networks that saw fewer numbers, the first ones, and what saw them."""


class Outward(nn.Module):
    """The network with probabilities and points instead of logits and twenties."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._network = network

    def forward(self, planes: Tensor, scalars: Tensor) -> tuple[Tensor, ...]:
        """Returns the outputs, see ``engine.network.OUTPUTS``."""
        answer = self._network(planes, scalars)
        points = answer.points * POINTS
        values = torch.stack((answer.win.sigmoid(), points[:, 0]), 1)
        return answer.planes, answer.biases, values, points[:, 1:], answer.filling.sigmoid()


def export_file(source: Path, target: Path) -> dict[str, Any]:
    """Writes the network of a file as ONNX, and its card beside it as JSON; returns the card.

    Raises:
        OSError: a file cannot be read or written.
        Unreadable: the source is not a network.
        ExportError: what was written answers otherwise than the network.
    """
    network = read_network(source)
    card = card_of(network, source)
    export(network, target, card)
    _write_beside(target, card)
    return card


def amend(path: Path, facts: dict[str, Any]) -> None:
    """Adds to the card of an ONNX file what was found out later, and to that beside it.

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
    """Returns what is known of the network of a file: by itself, and by the folder of its run."""
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
    """Writes a network with its card.

    Raises:
        OSError: the file cannot be written.
        ExportError: what was written answers otherwise than the network.
    """
    outward = Outward(_rounded(network)).eval()
    example = torch.zeros(2, PLANES, SIDE, SIDE), torch.zeros(2, SCALARS)
    batch = torch.export.Dim("batch")
    # PyTorch tells of libraries that are not there and of its own deprecated parts.
    logging.getLogger("torch.onnx._internal.exporter").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            outward,
            example,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_shapes=({0: batch}, {0: batch}),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _halve(model)
    entry = model.metadata_props.add()
    entry.key, entry.value = CARD, json.dumps(card | {"format": FORMAT})
    content = model.SerializeToString()
    onnx.checker.check_model(model)
    _compare(outward, content)
    write_whole(path, content)


def _rounded(network: Network) -> Network:
    """Returns a network with weights of half precision, written as what they are."""
    return copy.deepcopy(network).half().float()


def _halve(model: onnx.ModelProto) -> None:
    """Stores the weights in half the room; who reads them makes full numbers of them again.

    Networks are trained with shorter numbers still. Answers take as long as before: ONNX Runtime
    converts the weights once, when it opens the file.
    """
    graph = model.graph
    wide = {}
    for part in graph.initializer:
        if part.name.startswith(_PREFIX):
            wide[part.name] = f"{part.name}.wide"
            short = onnx.numpy_helper.to_array(part).astype(np.float16)
            part.CopyFrom(onnx.numpy_helper.from_array(short, part.name))
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = wide.get(name, name)
    for at, (name, full) in enumerate(wide.items()):
        cast = onnx.helper.make_node("Cast", [name], [full], to=onnx.TensorProto.FLOAT)
        graph.node.insert(at, cast)


def read_exported(path: Path) -> Network:
    """Returns the network of an ONNX file that was exported, also of one in an earlier format.

    Raises:
        OSError: the file cannot be read.
        Unreadable: there is no network in it, or one of another kind.
    """
    content = path.read_bytes()
    try:
        model = onnx.load_from_string(content)
        card = json.loads({each.key: each.value for each in model.metadata_props}[CARD])
        size = Size(**{each.name: card.get(each.name, each.default) for each in fields(Size)})
        network = Network(size)
        weights = {
            part.name.removeprefix(_PREFIX): torch.tensor(onnx.numpy_helper.to_array(part))
            for part in model.graph.initializer
            if part.name.startswith(_PREFIX)
        }
        if card["format"] == _NARROW:
            missing = SCALARS - weights[_SEES].shape[1]
            weights[_SEES] = functional.pad(weights[_SEES], (0, missing))
        network.load_state_dict(weights)
    except Exception as error:  # whatever is raised for other files
        raise Unreadable(f"{path} is not a network") from error
    return network


def _compare(outward: Outward, content: bytes) -> None:
    import onnxruntime

    random = torch.Generator().manual_seed(1)
    planes = (torch.rand(_TRIED, PLANES, SIDE, SIDE, generator=random) < 0.5).float()
    scalars = torch.randn(_TRIED, SCALARS, generator=random)
    with torch.inference_mode():
        expected = outward(planes, scalars)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    given = dict(zip(INPUTS, (planes.numpy(), scalars.numpy()), strict=True))
    for name, mine, theirs in zip(OUTPUTS, expected, session.run(OUTPUTS, given), strict=True):
        if not np.allclose(mine.numpy(), theirs, rtol=_CLOSE, atol=_CLOSE):
            raise ExportError(f"the {name} of the file are not those of the network")
