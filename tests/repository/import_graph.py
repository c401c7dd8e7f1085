"""Which parts of the package import which; run as a program, draws it in docs/architecture.md.

The nodes of a graph are the folders and modules directly in a folder of the package. A drawing
leaves out an arrow where others already lead from the one to the other.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "patchwork"
PAGE = ROOT / "docs" / "architecture.md"

EXCEPTIONS = {
    "rules/moves.py": {"notation"},
    "rules/position.py": {"notation", "render"},
    "rules/game.py": {"render"},
}
"""Text and notebook drawings of values of the rules, imported inside the method."""

Graph = dict[str, frozenset[str]]


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Returns the modules a file imports, and whether inside a function."""

    def found() -> Iterator[tuple[str, bool]]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inner = {
            node
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, node in inner) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative import"
                yield node.module or "", node in inner
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    # Of the library's surface every name counts, since each belongs to a part.
                    if node.module == SOURCE.name or source(name) is not None:
                        yield name, node in inner

    return tuple(found())


def source(module: str) -> Path | None:
    """Returns the file of a module of the package, if it is one."""
    path = SOURCE.parent.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def graph(folder: Path) -> Graph:
    """Returns what each folder and module directly in a folder imports of the others.

    The folder's own ``__init__`` is no node: it imports whatever the folder offers to others.
    """
    edges: dict[str, set[str]] = {}
    for file in sorted(folder.rglob("*.py")):
        own = file.relative_to(folder).parts[0].removesuffix(".py")
        if own.startswith("__"):
            continue
        targets = edges.setdefault(own, set())
        excepted = EXCEPTIONS.get(file.relative_to(SOURCE).as_posix(), set())
        for module, _ in imports(file):
            target = source(module)
            if target is not None and target.is_relative_to(folder):
                targets.add(target.relative_to(folder).parts[0].removesuffix(".py"))
        targets -= {own, "__init__"} | excepted
    return {node: frozenset(targets) for node, targets in edges.items()}


def reachable(edges: Graph, start: str) -> frozenset[str]:
    """Returns all that a node imports, directly or by way of others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        further = edges[waiting.pop()] - found
        found |= further
        waiting += further
    return frozenset(found)


def drawing(edges: Graph) -> str:
    """Returns a graph without cycles in the language of Mermaid, which GitHub draws."""
    arrows = [
        f"    {node} --> {target}"
        for node in sorted(edges)
        for target in sorted(edges[node])
        if not any(target in reachable(edges, other) for other in edges[node] - {target})
    ]
    return "\n".join(["```mermaid", "flowchart TD", *arrows, "```"])


def drawn(text: str) -> str:
    """Returns the page with the drawings that the code now has."""

    def draw(found: re.Match[str]) -> str:
        edges = graph(SOURCE / found["folder"])
        return f"{found['mark']}\n{drawing(edges)}\n"

    pattern = r"(?P<mark><!-- imports of patchwork/(?P<folder>\w*) -->)\n```mermaid\n.*?```\n"
    return re.sub(pattern, draw, text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text("utf-8")), "utf-8")
