"""The paths through the code in docs/architecture.md name functions that exist."""

import ast
import re
from pathlib import Path

import pytest

from repository.import_graph import PAGE, ROOT, SOURCE

_SECTION = PAGE.read_text("utf-8").split("\n## Four paths through the code\n")[1].split("\n## ")[0]
_PATHS = {
    steps.splitlines()[0]: re.findall(r"^\d+\. `([^`]+):([\w.]+)`", steps, re.MULTILINE)
    for steps in _SECTION.split("\n### ")[1:]
}
_MOST_STEPS = 12


def has(file: Path, name: str) -> bool:
    """Tells whether a file defines a function, a class or a method of that name."""
    text = file.read_text("utf-8")
    if file.suffix != ".py":
        return re.search(rf"(?m)^\s*(?:\w+ )*{name}(?:\(| = )", text) is not None
    body: list[ast.stmt] = ast.parse(text).body
    for part in name.split("."):
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = [node for node in body if isinstance(node, definitions) and node.name == part]
        if not found:
            return False
        body = found[0].body
    return True


@pytest.mark.parametrize("path", _PATHS)
def test_every_step_of_a_path_exists(path: str) -> None:
    steps = _PATHS[path]
    assert 1 < len(steps) <= _MOST_STEPS
    for module, name in steps:
        file = (ROOT if module.startswith("web/") else SOURCE) / module
        assert has(file, name), f"{module} has no {name}"


def test_there_are_four_paths() -> None:
    assert len(_PATHS) == 4


def test_a_step_that_does_not_exist_would_be_noticed() -> None:
    assert has(SOURCE / "rules/position.py", "Position.play")
    assert not has(SOURCE / "rules/position.py", "Position.undo")
    assert has(ROOT / "web/src/net/tableSocket.ts", "connect")
    assert not has(ROOT / "web/src/net/tableSocket.ts", "disconnect")
