"""How the engine's functions are compiled, and when compiled code is renewed.

Numba renews the compiled code of a file when that file changes. That is not enough here, since the
functions call one another across files: compiled code is also renewed when a file of the package
changes that its own file imports, directly or by way of others.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

from patchwork.engine.kernel.numba_internals import KNOWN, keep_code_of, stamp_kept_code

_PACKAGE = Path(__file__).parents[2]
_INIT = "__init__.py"

P = ParamSpec("P")
R = TypeVar("R")

keep_code_of(_PACKAGE)


@cache
def _imports(source: Path) -> frozenset[Path]:
    """Returns the files of the package that a file imports when it is imported itself."""

    def named(tree: ast.Module) -> Iterator[str]:
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)

    modules = (
        _PACKAGE.parent.joinpath(*name.split("."))
        for name in named(ast.parse(source.read_bytes()))
        if name.startswith(f"{_PACKAGE.name}.")
    )
    files = (path for module in modules for path in (module.with_suffix(".py"), module / _INIT))
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
    """Returns a fingerprint of everything that the compiled code of a file is made from."""
    digest = sha256()
    for file in sources(source):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compiles a function when it is first called. It runs without the interpreter's lock."""
    return _compiled(function, inline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compiles a function as a part of those that call it.

    To call another function, Numba counts a reference to every array that is handed over, and
    afterwards one less: for a tree, that takes as long as a step of a simulation.
    """
    return _compiled(function, inline=True)


def _compiled(function: Callable[P, R], *, inline: bool) -> Callable[P, R]:
    try:
        found: Any = njit(nogil=True, cache=KNOWN, forceinline=inline)(function)
    except RuntimeError:  # nowhere to keep it: each process compiles it
        found = njit(nogil=True, forceinline=inline)(function)
    else:
        if KNOWN:
            stamp_kept_code(found, _fingerprint(Path(function.__code__.co_filename)))
    return cast("Callable[P, R]", found)
