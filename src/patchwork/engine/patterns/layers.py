"""Layers of a small network, written as vector instructions that Numba cannot express.

Left to itself, the compiler reads and writes the sums again for every input. Here they stay in
registers until everything is added up, which takes about half the time.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.state import Floats, Numbers

_FLOAT, _WORD, _INDEX = ir.FloatType(), ir.IntType(64), ir.IntType(32)


def _adding(width: int) -> Callable[..., Any]:
    """Returns a compiled function that adds up rows, ``width`` of their numbers at a time."""
    vector = ir.VectorType(_FLOAT, width)
    everywhere = ir.Constant(ir.VectorType(_INDEX, width), [0] * width)

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, there, weights, out = (
            context.make_array(kind)(context, builder, argument).data
            for kind, argument in zip(signature.args[:4], arguments[:4], strict=True)
        )
        count, column, stride = arguments[4:]

        def at(data: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())

        multiply = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module,
            ir.FunctionType(vector, [vector] * 3),
            f"llvm.fmuladd.v{width}f32",
        )
        total = cgutils.alloca_once_value(  # type: ignore[no-untyped-call]
            builder, builder.load(at(out, column), align=4)
        )
        with cgutils.for_range(builder, count) as loop:
            row = builder.load(builder.gep(there, [loop.index]))
            undefined = ir.Constant(vector, ir.Undefined)
            number = builder.load(builder.gep(given, [row]))
            number = builder.insert_element(undefined, number, _INDEX(0))
            number = builder.shuffle_vector(number, undefined, everywhere)
            weight = builder.load(
                at(weights, builder.add(builder.mul(row, stride), column)), align=4
            )
            builder.store(builder.call(multiply, [number, weight, builder.load(total)]), total)
        builder.store(builder.load(total), at(out, column), align=4)
        return context.get_dummy_value()

    def typed(
        _typing: Any,
        given: Any,
        there: Any,
        weights: Any,
        out: Any,
        count: Any,
        column: Any,
        stride: Any,
    ) -> Any:
        words = types.int64, types.int64, types.int64
        return types.void(given, there, weights, out, *words), write

    return cast("Callable[..., Any]", intrinsic(typed))


WIDTH_STEP = 8
"""The width of a layer is a multiple of this: the fewest numbers that are added at a time."""
_CACHE_LINE = 64
"""Bytes that a processor reads at a time."""


def aligned(array: Floats) -> Floats:
    """Returns a copy that starts with a cache line; otherwise, its rows would span more lines."""
    room = np.empty(array.nbytes + _CACHE_LINE, np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[:] = array
    return copy


_add_64, _add_32, _add_8 = (_adding(width) for width in (64, 32, 8))


@compiled
def add_layer(
    inputs: Floats, which: Numbers, weights: Floats, out: Floats, nonzero: Numbers
) -> None:
    """Adds to ``out`` what some of the inputs contribute: ``which`` lists them.

    ``nonzero`` is room to list those that are not 0, and one more.
    """
    count = 0
    for each in which:
        nonzero[count] = each
        count += inputs[each] != 0
    add_rows(inputs, nonzero, count, weights, out)


@compiled
def add_rows(inputs: Floats, rows: Numbers, count: int, weights: Floats, out: Floats) -> None:
    """Adds to ``out`` some rows of the weights, each times its input.

    ``rows`` lists ``count`` of them. The width of a row is a multiple of WIDTH_STEP.
    """
    size = len(out)
    column = 0
    while column + 64 <= size:
        _add_64(inputs, rows, weights, out, count, column, size)
        column += 64
    while column + 32 <= size:
        _add_32(inputs, rows, weights, out, count, column, size)
        column += 32
    while column + 8 <= size:
        _add_8(inputs, rows, weights, out, count, column, size)
        column += 8


@compiled
def relu(numbers: Floats) -> None:
    """Replaces negative numbers by 0."""
    for each in range(len(numbers)):
        numbers[each] = max(numbers[each], np.float32(0))
