"""Imports point one way (docs/architecture.md), and the base needs nothing but Python."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "patchwork"

ALLOWED = {
    "rules": set[str](),
    "notation": {"rules"},
    "render": {"rules"},
    "locales": set[str](),
    "engine": {"rules", "notation"},
    "programs": {"rules", "notation", "engine"},
    "protocol": {"rules", "notation", "engine", "programs"},
    "arena": {"rules", "notation", "engine", "programs", "protocol"},
    "learn": {"rules", "notation", "engine", "programs", "protocol", "arena"},
    "terminal": {"rules", "notation", "render", "engine", "locales"},
    "server": {"rules", "notation", "render", "engine", "programs"},
}
ALLOWED["cli"] = set(ALLOWED)
"""What each part may import besides itself; the package itself may import any part."""

THIRD_PARTY = {
    "engine": {"numba", "numpy", "llvmlite", "onnxruntime"},
    "arena": {"numpy"},
    "learn": {
        "llvmlite",
        "matplotlib",
        "numba",
        "numpy",
        "onnx",
        "onnxruntime",
        "torch",
        "triton",
    },
    "server": {
        "alembic",
        "fastapi",
        "httptools",
        "prometheus_client",
        "pydantic",
        "segno",
        "sqlalchemy",
        "starlette",
        "uvicorn",
        "websockets",
    },
}
"""What parts may import that the base package does not bring: the extras `play` and `learn`."""

EXCEPTIONS = {
    "rules/moves.py": {"notation"},
    "rules/position.py": {"notation", "render"},
    "rules/game.py": {"render"},
}
"""Text and notebook drawings of values of the rules, imported inside the method."""

WHOLE = {
    name: {"patchwork"}
    for name in (
        *("cli/__init__.py", "cli/engines.py"),
        *("learn/checkpoint.py", "server/http/health.py", "server/app.py"),
    )
}
"""Who may import the package itself: those who tell its version."""


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yields the modules a file imports, and whether inside a function."""
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
            if node.module == "patchwork":
                yield from ((f"patchwork.{alias.name}", node in inner) for alias in node.names)


def part(module: str) -> str | None:
    names = module.split(".")
    return names[1] if names[0] == "patchwork" and len(names) > 1 else None


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_part_imports_only_what_it_may(path: Path) -> None:
    name = path.relative_to(SOURCE).as_posix()
    own = name.split("/")[0]
    for module, inside in imports(path):
        if module.split(".")[0] != "patchwork":
            known = sys.stdlib_module_names | THIRD_PARTY.get(own, set())
            assert module.split(".")[0] in known, f"{name} imports {module}"
            continue
        target = part(module)
        if module in WHOLE.get(name, set()):
            continue
        assert target is not None, f"{name} imports the whole package"
        allowed = ALLOWED[own] | {own} | (EXCEPTIONS.get(name, set()) if inside else set())
        assert target in allowed, f"{name} may not import {module}"


def test_every_part_has_its_line_in_the_table() -> None:
    assert {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()} == set(
        ALLOWED
    )


def test_importing_patchwork_needs_only_the_standard_library() -> None:
    code = (
        f"import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p];"
        f"sys.path.insert(0, {str(SOURCE.parent)!r});"
        "before = set(sys.modules); import patchwork;"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) - set(sys.stdlib_module_names) == {"patchwork"}
