"""Vector instructions that Numba cannot express: one orientation of a patch in each lane.

A quilt is two machine words, ``low`` and ``high``, see ``pieces``. A patch has at most eight
orientations and a wide register holds eight words, so every question about a patch is answered for
all orientations and all places on the quilt at once. LLVM splits the vectors where a processor only
has narrower ones.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from patchwork.engine.kernel.pieces import LANES, LOW_BITS, LOW_MASK, MAX_EDGE

_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LANES)
_INDEX = ir.IntType(32)


def _emitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a compiled function from one that emits its instructions."""
    return cast("Callable[..., Any]", intrinsic(function))


class _Pair(NamedTuple):
    """A set of places in each lane: the low words and the high words."""

    low: Any
    high: Any


class _Lanes:
    """Writes the instructions of one intrinsic."""

    def __init__(
        self, context: Any, builder: Any, signature: Any, arguments: Sequence[Any]
    ) -> None:
        self._context = context
        self._builder = builder
        self._types = signature.args
        self._arguments = arguments

    def each(self, operation: Callable[..., Any], *pairs: _Pair) -> _Pair:
        return _Pair(
            operation(*(pair.low for pair in pairs)), operation(*(pair.high for pair in pairs))
        )

    def both(self, *pairs: _Pair) -> _Pair:
        """Returns what all the sets have in common."""
        result = pairs[0]
        for pair in pairs[1:]:
            result = self.each(self._builder.and_, result, pair)
        return result

    def either(self, first: _Pair, second: _Pair) -> _Pair:
        return self.each(self._builder.or_, first, second)

    def differ(self, first: _Pair, second: _Pair) -> _Pair:
        return self.each(self._builder.xor, first, second)

    def spread(self, argument: int) -> Any:
        """Returns a vector with one argument in every lane."""
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = self._builder.insert_element(undefined, self._arguments[argument], _INDEX(0))
        lanes = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
        return self._builder.shuffle_vector(first, undefined, lanes)

    def _row(self, argument: int, row: int) -> Any:
        array = self._context.make_array(self._types[argument])
        data = array(self._context, self._builder, self._arguments[argument]).data
        rows = self._builder.bitcast(data, _VECTOR.as_pointer())
        return self._builder.gep(rows, [_INDEX(row)])

    def load(self, argument: int, row: int) -> Any:
        return self._builder.load(self._row(argument, row), align=8)

    def load_pair(self, argument: int, row: int = 0) -> _Pair:
        return _Pair(self.load(argument, row), self.load(argument, row + 1))

    def store(self, value: Any, argument: int, row: int) -> None:
        self._builder.store(value, self._row(argument, row), align=8)

    def store_pair(self, pair: _Pair, argument: int, row: int = 0) -> None:
        self.store(pair.low, argument, row)
        self.store(pair.high, argument, row + 1)

    def shifted(self, quilt: _Pair, distance: Any) -> _Pair:
        """Returns the quilt moved so that bit 0 shows the space at a distance."""
        build = self._builder
        carried = build.shl(
            quilt.high, build.sub(ir.Constant(_VECTOR, [LOW_BITS] * LANES), distance)
        )
        return _Pair(
            build.or_(build.lshr(quilt.low, distance), carried), build.lshr(quilt.high, distance)
        )

    def free(self, quilt: _Pair, offsets: int, anchors: int) -> _Pair:
        """Returns the places where no cell of the shape meets a filled space."""
        blocked = self.shifted(quilt, self.load(offsets, 0))
        for row in range(1, LANES):
            blocked = self.either(blocked, self.shifted(quilt, self.load(offsets, row)))
        return self.both(self.load_pair(anchors), self.each(self._builder.not_, blocked))

    def covered(self, places: _Pair, offsets: int) -> _Pair:
        """Returns the spaces that the shape covers at some of the places."""
        build = self._builder
        low_mask = ir.Constant(_VECTOR, [LOW_MASK] * LANES)
        result = _Pair(ir.Constant(_VECTOR, [0] * LANES), ir.Constant(_VECTOR, [0] * LANES))
        for row in range(LANES):
            distance = self.load(offsets, row)
            back = build.sub(ir.Constant(_VECTOR, [LOW_BITS] * LANES), distance)
            here = _Pair(
                build.and_(build.shl(places.low, distance), low_mask),
                build.or_(build.shl(places.high, distance), build.lshr(places.low, back)),
            )
            result = self.either(result, here)
        return result

    def joined(self, words: Any) -> Any:
        """Returns the union of all lanes, as one word."""
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            self._builder.module,
            ir.FunctionType(_WORD, [_VECTOR]),
            f"llvm.vector.reduce.or.v{LANES}i64",
        )
        return self._builder.call(function, [words])

    def contacts(self, quilt: _Pair, ring: int, length: int) -> list[_Pair]:
        """Returns for each place how much of the shape's edge would touch, as binary digits.

        Adds up the ring of spaces around the shape in columns, as on paper: three digits of one
        column are replaced by their sum in it and a carry in the next.
        """
        column = [self.shifted(quilt, self.load(ring, row)) for row in range(length)]
        digits = []
        while column:
            carries = []
            while len(column) > 1:
                first, second = column.pop(0), column.pop(0)
                half = self.differ(first, second)
                carry = self.both(first, second)
                if column:
                    third = column.pop(0)
                    carry = self.either(carry, self.both(half, third))
                    half = self.differ(half, third)
                column.append(half)
                carries.append(carry)
            digits.append(column[0])
            column = carries
        return digits

    def narrowed(self, places: _Pair, digit: _Pair) -> tuple[_Pair, Any]:
        """Returns the places that have the digit, or all if none has; and which lanes have one."""
        build = self._builder
        having = self.both(places, digit)
        some = build.icmp_signed(
            "!=", build.or_(having.low, having.high), ir.Constant(_VECTOR, [0] * LANES)
        )
        return self.each(lambda new, old: build.select(some, new, old), having, places), some

    def counted(self, places: _Pair) -> Any:
        """Returns the number of places in each lane."""
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            self._builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.ctpop.v{LANES}i64"
        )
        low, high = (self._builder.call(function, [word]) for word in places)
        return self._builder.add(low, high)

    def doubled(self, numbers: Any, some: Any) -> Any:
        """Appends a binary digit to the number in each lane."""
        build = self._builder
        twice = build.add(numbers, numbers)
        return build.add(twice, build.zext(some, _VECTOR))


@_emitted
def popcount(_typing: Any, word: Any) -> Any:
    """Returns the number of bits set."""

    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), write


@_emitted
def lowest_bit(_typing: Any, word: Any) -> Any:
    """Returns the index of the lowest bit set; the word must not be 0."""

    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), write


@_emitted
def free_places(_typing: Any, low: Any, high: Any, offsets: Any, anchors: Any, free: Any) -> Any:
    """Writes the places where a shape fits: rows 0 and 1 of ``free`` the places, row 2 how many."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature, arguments)
        places = lanes.free(_Pair(lanes.spread(0), lanes.spread(1)), 2, 3)
        lanes.store_pair(places, 4)
        lanes.store(lanes.counted(places), 4, 2)
        return context.get_dummy_value()

    return types.void(low, high, offsets, anchors, free), write


DIGITS = 5
"""Binary digits of a contact, which is at most 16."""


@_emitted
def contact_digits(_typing: Any, low: Any, high: Any, ring: Any, digits: Any) -> Any:
    """Writes how much of a shape's edge would touch at each place, two rows for a binary digit."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature, arguments)
        quilt = _Pair(lanes.spread(0), lanes.spread(1))
        for row, digit in enumerate(lanes.contacts(quilt, 2, MAX_EDGE)):
            lanes.store_pair(digit, 3, 2 * row)
        return context.get_dummy_value()

    return types.void(low, high, ring, digits), write


@_emitted
def tightest_places(
    _typing: Any, low: Any, high: Any, offsets: Any, anchors: Any, ring: Any, found: Any
) -> Any:
    """Writes for each lane the places that touch most.

    Rows 0 and 1 of ``found`` are the places, none where the shape does not fit; row 2 how much of
    the edge touches.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature, arguments)
        quilt = _Pair(lanes.spread(0), lanes.spread(1))
        places = lanes.free(quilt, 2, 3)
        number = ir.Constant(_VECTOR, [0] * LANES)
        for digit in reversed(lanes.contacts(quilt, 4, MAX_EDGE)):
            places, some = lanes.narrowed(places, digit)
            number = lanes.doubled(number, some)
        lanes.store_pair(places, 5)
        lanes.store(number, 5, 2)
        return context.get_dummy_value()

    return types.void(low, high, offsets, anchors, ring, found), write


@_emitted
def spaces_in_reach(_typing: Any, low: Any, high: Any, offsets: Any, anchors: Any) -> Any:
    """Returns the spaces that some placement of a piece covers: the low and the high word."""
    pair = types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature, arguments)
        places = lanes.free(_Pair(lanes.spread(0), lanes.spread(1)), 2, 3)
        words = [lanes.joined(word) for word in lanes.covered(places, 2)]
        return context.make_tuple(builder, pair, words)

    return pair(low, high, offsets, anchors), write
