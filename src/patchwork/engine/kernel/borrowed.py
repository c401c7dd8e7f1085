"""Arrays whose uses are not counted.

Numba counts how often an array is in use, to know when its memory may go. It does so with locked
instructions wherever one is handed on or a part of it is taken, hundreds of times for each position
of a search. Where a caller keeps the arrays alive anyway, there is nothing to count.
"""

from typing import Any, Protocol, TypeVar, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

T = TypeVar("T")


class _Borrowing(Protocol):
    def __call__(self, thing: T, /) -> T:
        """Returns the same arrays, or tuples of them, for as long as somebody else owns them."""


def _typed(_typing: Any, thing: Any) -> Any:
    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _borrowed(context, builder, thing, arguments[0])

    return thing(thing), write


def _borrowed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.UniTuple | types.Tuple | types.NamedTuple | types.NamedUniTuple):
        parts = cgutils.unpack_tuple(builder, value)  # type: ignore[no-untyped-call]
        mine = [
            _borrowed(context, builder, each, part)
            for each, part in zip(kind.types, parts, strict=True)
        ]
        return context.make_tuple(builder, kind, mine)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)  # type: ignore[no-untyped-call]
        array.parent = cgutils.get_null_value(array.parent.type)  # type: ignore[no-untyped-call]
        return array._getvalue()
    return value


borrowed = cast(_Borrowing, intrinsic(_typed))
