"""A tiny network for tests: one layer with random weights and no symmetry."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from patchwork.engine.evaluators.features import PLANES, SCALARS, SLOTS
from patchwork.engine.evaluators.network import CARD, FORMAT, INPUTS, OUTPUTS
from patchwork.engine.evaluators.policy import BIASES
from patchwork.rules.quilt import CELLS, SIDE

SIZES = {
    "shapes": (2 * SLOTS, CELLS),
    "biases": (BIASES,),
    "values": (2,),
    "scores": (2,),
    "filling": (2, CELLS),
}


def write_network(path: Path, *, seed: int = 0, **card: Any) -> Path:
    """Writes a network whose outputs depend on all of its inputs; returns its path."""
    random = np.random.default_rng(seed)
    inputs = PLANES * CELLS + SCALARS
    nodes = [
        helper.make_node("Flatten", ["planes"], ["flat"]),
        helper.make_node("Concat", ["flat", "scalars"], ["all"], axis=1),
        helper.make_node("Sigmoid", ["filling_raw"], ["filling"]),
        helper.make_node("Sigmoid", ["values_raw"], ["squeezed"]),
        helper.make_node("Mul", ["squeezed", "scale"], ["values"]),
    ]
    constants = [numpy_helper.from_array(np.array([1, 40], np.float32), "scale")]
    for name, shape in SIZES.items():
        weights = random.normal(0, 0.15, (inputs, int(np.prod(shape)))).astype(np.float32)
        result = f"{name}_raw" if name in ("filling", "values") else name
        constants += [
            numpy_helper.from_array(weights, f"{name}_weights"),
            numpy_helper.from_array(np.array([-1, *shape], np.int64), f"{name}_shape"),
        ]
        nodes += [
            helper.make_node("MatMul", ["all", f"{name}_weights"], [f"{name}_flat"]),
            helper.make_node("Reshape", [f"{name}_flat", f"{name}_shape"], [result]),
        ]
    given: dict[str, list[str | int | None]] = {
        "planes": ["b", PLANES, SIDE, SIDE],
        "scalars": ["b", SCALARS],
    }
    graph = helper.make_graph(
        nodes[:2] + nodes[5:] + nodes[2:5],
        "little",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, given[name]) for name in INPUTS],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["b", *SIZES[name]])
            for name in OUTPUTS
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    helper.set_model_props(model, {CARD: json.dumps(card | {"format": FORMAT})})
    onnx.save(model, path)
    return path
