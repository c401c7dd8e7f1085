"""The documentation is true: its sessions run, and its links and names lead somewhere."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
OUTSIDE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "web/README.md")
PAGES = [*(ROOT / name for name in OUTSIDE), *sorted((ROOT / "docs").glob("*.md"))]
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if ">>>" in path.read_text("utf-8")
)
LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)\n]*\)")


def sessions(page: Path) -> doctest.DocTest:
    """The sessions of a page as one test, without the lines that fence them."""
    text = re.sub(r"^```.*$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    return doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)


def run(tests: list[doctest.DocTest]) -> tuple[int, str]:
    """Returns the number of examples and the report on those that failed."""
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        runner.run(test, out=report.append)
    return runner.tries, "".join(report)


def anchor(heading: str) -> str:
    """Returns the anchor of a heading, as code hosting sites form it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", prose, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_sessions_run(page: Path) -> None:
    test = sessions(page)
    tries, report = run([test])
    assert report == ""
    assert (
        tries
        == len(test.examples)
        == len(re.findall(r"^\s*>>> ", page.read_text("utf-8"), re.MULTILINE))
    )


def test_the_notation_has_sessions() -> None:
    assert len(sessions(ROOT / "docs" / "notation.md").examples) >= 20


@pytest.mark.parametrize("name", MODULES)
def test_sessions_in_docstrings_run(name: str) -> None:
    module: ModuleType = import_module(name)
    tests = doctest.DocTestFinder(exclude_empty=True).find(module, name)
    tries, report = run(tests)
    assert report == ""
    assert tries > 0


def test_a_wrong_session_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n2\n>>> 1 + 1\n3\n```\n", "utf-8")
    tries, report = run([sessions(page)])
    assert tries == 2
    assert "Expected:\n    3\nGot:\n    2\n" in report
    assert "line 4" in report


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for target in LINK.findall(text):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):  # elsewhere
            continue
        path, _, fragment = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (
            fragment and file.suffix == ".md" and fragment not in anchors(file)
        ):
            broken.append(target)
    assert broken == []


def test_links_are_found() -> None:
    assert LINK.findall("[a](b.md) and ![c](<d e.png>), [f](g.md#h 'title')") == [
        "b.md",
        "d",
        "g.md#h",
    ]
    assert len(LINK.findall((ROOT / "docs" / "notation.md").read_text("utf-8"))) >= 9
