"""The paths, names and commands that the documentation mentions exist."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from patchwork.cli import main

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "patchwork"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

CODE = re.compile(r"`([^`]+)`")
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
DOTTED = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(.*\))?")
COMMAND = re.compile(r"(?:\$ )?(?:\.venv/bin/)?(?P<program>patchwork|make|python3?)(?: .*)?")

PLACES = {
    **dict.fromkeys(("patchwork", *(path.name for path in SOURCE.iterdir())), SOURCE),
    **dict.fromkeys(("src", "docs", "tests", "web", "studies", "benchmarks", "examples"), ROOT),
    "patchwork": SOURCE.parent,
}
"""For the first part of a path, the folder that the path starts from."""
NOT_TRACKED = {"server/static", "src/patchwork/locales/xx.ftl"}
"""Paths that a build makes, or that stand for a file still to be written."""


def spans(page: Path) -> list[str]:
    """Returns everything in backticks on a page, outside of blocks of code."""
    prose = FENCE.sub("", page.read_text("utf-8"))
    return [" ".join(code.split()) for code in CODE.findall(prose)]


def lines_of_shell(page: Path) -> list[str]:
    """Returns the lines of a page's blocks of shell commands."""
    return [
        line
        for language, block in FENCE.findall(page.read_text("utf-8"))
        if language in ("", "sh", "console")
        for line in block.splitlines()
    ]


def missing_path(text: str) -> bool:
    """Returns whether a text is a path of the repository that does not exist."""
    if not PATH.fullmatch(text) or text.rstrip("/") in NOT_TRACKED:
        return False
    if "/" not in text:
        return text.endswith(".py") and not any(ROOT.glob(f"[!.]*/**/{text}"))
    first = text.partition("/")[0]
    return first in PLACES and not any(PLACES[first].glob(text.rstrip("/")))


@cache
def classes() -> dict[str, set[str]]:
    """Returns the names that each class of the package defines."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(_defined(node))
    return found


def _defined(node: ast.ClassDef) -> set[str]:
    names = set()
    for inner in ast.walk(node):
        match inner:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
    return names


def missing_name(text: str) -> bool:
    """Returns whether a text names something of the package that does not exist."""
    found = DOTTED.fullmatch(text)
    if found is None:
        return False
    first, *rest = found["name"].split(".")
    if first in ("patchwork", "pw"):
        return not _resolves("patchwork", rest)
    return first in classes() and rest[0] not in classes()[first]


def _resolves(module: str, parts: list[str]) -> bool:
    holder: object = import_module(module)
    for part in parts:
        module = f"{module}.{part}"
        if hasattr(holder, part):
            holder = getattr(holder, part)
            continue
        try:
            holder = import_module(module)
        except ModuleNotFoundError:
            return False
    return True


@cache
def help_of(*words: str) -> str:
    """Returns the help of a command, or nothing if there is no such command."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        try:
            main([*words, "--help"])
        except SystemExit as end:
            return "" if end.code else output.getvalue()
    return output.getvalue()


def missing_command(text: str) -> bool:
    """Returns whether a text is a command that does not exist, or has an unknown option."""
    found = COMMAND.fullmatch(text.partition("  #")[0].strip())
    if found is None:
        return False
    _, *words = shlex.split(text.removeprefix("$ "), comments=True)
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    match found["program"]:
        case "make":
            targets = re.findall(
                r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
            )
            return bool(words) and words[0] not in targets
        case "patchwork":
            command = [word for word in words[:2] if re.fullmatch("[a-z]+", word)]
            text = help_of(*command)
            return not text or any(option not in text for option in options)
    if not words or words[0].startswith("-"):
        return False
    script = ROOT / words[0]
    files = [script] if script.is_file() else sorted(script.glob("*.py"))
    source = "".join(file.read_text("utf-8") for file in (*files, *_helpers(script)))
    return not files or any(option not in source for option in options)


def _helpers(script: Path) -> list[Path]:
    """Returns the modules beside a script, which may add options to its own."""
    return sorted(script.parent.glob("*.py")) if script.is_file() else []


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_paths_exist(page: Path) -> None:
    assert [text for text in spans(page) if missing_path(text)] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_names_exist(page: Path) -> None:
    assert [text for text in spans(page) if missing_name(text)] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_exist(page: Path) -> None:
    texts = [*spans(page), *lines_of_shell(page)]
    assert [text for text in texts if missing_command(text)] == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("src/patchwork/rules", False),
        ("rules/moves.py", False),
        ("rules/no_such_file.py", True),
        ("web/src/*.svelte", False),
        ("test_docs_names.py", False),
        ("no_such_file.py", True),
        ("plots/", False),  # not of the repository
    ],
)
def test_paths_are_recognised(text: str, missing: bool) -> None:
    assert missing_path(text) == missing


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("patchwork.rules.setup", False),
        ("patchwork.rules.setup.Setup", False),
        ("patchwork.rules.nothing", True),
        ("pw.Setup.random(seed=1)", False),
        ("pw.Nothing", True),
        ("Game.pop", False),
        ("Game.nothing", True),
        ("os.environ", False),  # not of the package
    ],
)
def test_names_are_recognised(text: str, missing: bool) -> None:
    assert missing_name(text) == missing


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("make test", False),
        ("make nothing", True),
        ("patchwork", False),
        ("patchwork match A B --pairs 2", False),
        ("patchwork match A B --nothing", True),
        ("patchwork nothing", True),
        ("$ patchwork learn run --config smoke    # a comment", False),
        ("patchwork learn nothing", True),
        (".venv/bin/python examples/first_game.py 7", False),
        ("python examples/nothing.py", True),
        ("python studies/strategy.py --write", False),
        ("python studies/strategy.py --nothing", True),
    ],
)
def test_commands_are_recognised(text: str, missing: bool) -> None:
    assert missing_command(text) == missing
