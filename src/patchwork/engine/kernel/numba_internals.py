"""The only module that depends on internals of Numba: where it keeps compiled code, and references.

Numba may change its internals in any version. With one that has not been tested, the engine does
without them: each process then compiles what it needs, and runs a little slower.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import numba
from numba import types
from numba.core import cgutils
from numba.core.caching import CacheImpl, UserWideCacheLocator
from numba.extending import intrinsic, register_jitable

TESTED = (0, 61), (0, 70)
"""The first version that was tested, and the first one that was not; also in ``pyproject.toml``."""

T = TypeVar("T")

_log = logging.getLogger("patchwork.engine")


def is_tested(version: str) -> bool:
    """Tells whether the internals of a version of Numba are known."""
    numbers = version.split(".")[:2]
    first, unknown = TESTED
    return all(map(str.isdigit, numbers)) and first <= tuple(map(int, numbers)) < unknown


KNOWN = is_tested(numba.__version__)
if not KNOWN:
    _log.warning(
        "The engine was not tested with Numba %s: it starts more slowly, since it compiles"
        " everything again each time.",
        numba.__version__,
    )


def keep_code_of(package: Path) -> None:
    """Has Numba keep compiled code of a package in the user's cache folder and nowhere else.

    By default it lies beside the sources, which may be read-only. Where the cache folder cannot be
    written either, ``numba.njit`` raises a RuntimeError.
    """

    class Locator(UserWideCacheLocator):
        """Tells Numba where to keep the compiled code of a file."""

        @classmethod
        def from_function(cls, py_func: Callable[..., object], py_file: str) -> Any:
            if not Path(py_file).is_relative_to(package):
                return None
            found = super().from_function(py_func, py_file)  # type: ignore[no-untyped-call]
            if found is None:  # Numba would try other folders, and not renew what it keeps there
                raise RuntimeError("no folder for compiled code can be written")
            return found

    if KNOWN:
        CacheImpl._locator_classes.insert(0, Locator)


def stamp_kept_code(function: Any, stamp: str) -> None:
    """Makes Numba discard the kept code of a compiled function unless it has the same stamp.

    The stamp becomes part of Numba's version, which is compared before anything else is read: what
    follows may name types that no longer exist.
    """
    function._cache._cache_file._version += stamp


class _Uncounted(Protocol):
    def __call__(self, thing: T, /) -> T:
        """Returns the same arrays, or tuples of them, without counting references to them."""


def _typed(_typing: Any, thing: Any) -> Any:
    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, thing, arguments[0])

    return thing(thing), write


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.UniTuple | types.Tuple | types.NamedTuple | types.NamedUniTuple):
        parts = cgutils.unpack_tuple(builder, value)  # type: ignore[no-untyped-call]
        bare = [
            _without_owner(context, builder, each, part)
            for each, part in zip(kind.types, parts, strict=True)
        ]
        return context.make_tuple(builder, kind, bare)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)  # type: ignore[no-untyped-call]
        array.parent = cgutils.get_null_value(array.parent.type)  # type: ignore[no-untyped-call]
        return array._getvalue()
    return value


def _unchanged(thing: T, /) -> T:
    return thing


uncounted = cast(
    _Uncounted,
    intrinsic(_typed) if KNOWN else register_jitable(_unchanged),
)
"""Returns the same arrays, or tuples of them, without counting references to them.

Numba counts references to an array wherever compiled code hands it on or takes a part of it, with
locked instructions, hundreds of times for each position of a search. Where the caller keeps the
arrays alive anyway, that can be spared.
"""
