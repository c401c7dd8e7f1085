"""Imports point one way (docs/architecture.md), and the base needs nothing but Python."""

import subprocess
import sys
from pathlib import Path

import pytest

from repository.import_graph import EXCEPTIONS, PAGE, SOURCE, drawn, graph, imports, reachable

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
    "server": {"rules", "notation", "render", "locales", "engine", "programs"},
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

APART = {
    "engine/kernel": {"evaluators", "search", "endgame", "patterns", "engine", "baselines"},
    "engine/evaluators": {"search", "endgame", "patterns", "engine", "baselines"},
    "engine/patterns": {"search", "endgame", "engine", "baselines"},
    "engine/endgame": {"evaluators", "search", "patterns", "engine", "baselines"},
    "engine/search": {"endgame", "patterns", "engine", "baselines"},
    "learn/network": {"config", "selfplay", "training", "distillation", "measure", "run"},
    "learn/training": {"selfplay", "distillation", "measure", "run"},
    "learn/selfplay": {"distillation", "measure", "run"},
    "learn/distillation": {"selfplay", "measure", "run"},
    "server/game": {"wire", "tables", "engines", "http", "players", "store", "services", "app"},
    "server/wire": {"tables", "engines", "http", "players", "store", "services", "app"},
    "server/engines": {"game", "wire", "tables", "http", "players", "store", "services", "app"},
    "server/store": {"wire", "tables", "engines", "http", "players", "services", "app"},
    "server/presenter": {"tables", "http", "players", "services", "app"},
    "server/tables": {"http", "players", "app"},
}
"""What folders inside a part must not know of, directly or by way of others."""

WHOLE = {
    name: {"patchwork"}
    for name in (
        *("cli/__init__.py", "cli/engines.py"),
        *("learn/checkpoint.py", "server/http/api/health.py", "server/app.py"),
    )
}
"""Who may import the package itself: those who tell its version."""


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


@pytest.mark.parametrize("part", ["engine", "learn", "server"])
def test_the_folders_of_a_part_import_one_another_one_way(part: str) -> None:
    edges = graph(SOURCE / part)
    assert [node for node in edges if node in reachable(edges, node)] == []


@pytest.mark.parametrize("name", APART)
def test_a_folder_knows_nothing_of_some_others(name: str) -> None:
    part, folder = name.split("/")
    assert reachable(graph(SOURCE / part), folder) & APART[name] == set()
    assert APART[name] <= set(graph(SOURCE / part)), "a folder has gone"


def test_the_page_draws_the_imports_as_they_are() -> None:
    text = PAGE.read_text("utf-8")
    assert text.count("```mermaid") == 4
    assert drawn(text) == text, "python tests/repository/import_graph.py draws them anew"


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
