"""How the engine's functions are compiled, and where the compiled code is kept.

Numba keeps compiled code beside each source file and renews it when that file changes. That is not
enough here: the functions call one another across files, and an installed package may be read-only.
So ours lies in the user's cache folder, and is renewed when its file changes or any file of the
package that this one imports, directly or by way of others.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core.caching import CacheImpl, UserWideCacheLocator

_PACKAGE = Path(__file__).parents[2]

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _imports(source: Path) -> frozenset[Path]:
    """Returns the files of the package that a file imports when it is imported itself."""

    def named(tree: ast.Module) -> Iterator[str]:
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    files = (
        _PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
        for name in named(ast.parse(source.read_bytes()))
        if name.startswith(f"{_PACKAGE.name}.")
    )
    return frozenset(file for file in files if file.is_file())


@cache
def sources(source: Path) -> tuple[Path, ...]:
    """Returns a file and all that it imports, directly or by way of others."""
    found, waiting = {source}, [source]
    while waiting:
        further = _imports(waiting.pop()) - found
        found |= further
        waiting += further
    return tuple(sorted(found))


@cache
def _fingerprint(source: Path) -> str:
    """Returns a fingerprint of all that the compiled code of a file is made from."""
    digest = sha256()
    for file in sources(source):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class _Locator(UserWideCacheLocator):
    """Tells Numba where compiled code of this package lies."""

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> Any:
        if not Path(py_file).is_relative_to(_PACKAGE):
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
        found._cache._cache_file._version += _fingerprint(Path(function.__code__.co_filename))
    except RuntimeError:  # nowhere to keep it: compile in each process
        found = njit(nogil=True, forceinline=inline)(function)
    return cast("Callable[P, R]", found)
