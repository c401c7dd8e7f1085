"""How the engine's functions are compiled, and where the compiled code is kept.

Numba keeps compiled code beside each source file and renews it when that file changes. That is not
enough here: the functions call one another across files, and an installed package may be read-only.
So ours lies in the user's cache folder and is renewed when any source it could depend on changes.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core.caching import CacheImpl, UserWideCacheLocator

_HOME = Path(__file__).parents[1]

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _sources() -> str:
    """Returns a fingerprint of all that compiled code is made from."""
    digest = sha256()
    for part in ("rules", "engine", "arena", "learn"):
        for source in sorted((_HOME / part).glob("*.py")):
            digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()


class _Locator(UserWideCacheLocator):
    """Tells Numba where compiled code of this package lies."""

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> Any:
        if Path(py_file).parent.parent != _HOME:
            return None
        found = super().from_function(py_func, py_file)  # type: ignore[no-untyped-call]
        if found is None:  # Numba would go on to places that know nothing of our other files
            raise RuntimeError("no folder for compiled code can be written")
        return found


CacheImpl._locator_classes.insert(0, _Locator)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compiles a function when it is first called; threads run it side by side."""
    return _compiled(function, inline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compiles a function as a part of those that call it.

    To call another one, Numba counts a use of every array that is handed over, and then one less:
    for a tree, that takes as long as a step through it.
    """
    return _compiled(function, inline=True)


def _compiled(function: Callable[P, R], *, inline: bool) -> Callable[P, R]:
    try:
        found: Any = njit(nogil=True, cache=True, forceinline=inline)(function)
        # By its version Numba sees that kept code is out of date before it reads on: what follows
        # names types of ours that may be gone.
        found._cache._cache_file._version += _sources()
    except RuntimeError:  # nowhere to keep it: compile in each process
        found = njit(nogil=True, forceinline=inline)(function)
    return cast("Callable[P, R]", found)
