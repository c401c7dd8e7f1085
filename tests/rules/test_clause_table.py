"""Every clause of ``docs/rules.md`` has a test with its number, and every number is a clause."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
RULES = TESTS.parent / "docs" / "rules.md"
CHAPTERS = {"C": 7, "S": 5, "T": 4, "A": 3, "B": 5, "M": 4, "X": 1, "E": 3, "W": 5, "F": 5}
CLAUSES = [f"{letter}{n}" for letter, last in CHAPTERS.items() for n in range(1, last + 1)]
MARK = "(not testable)"


def clauses(rules: str) -> list[tuple[str, bool]]:
    """Returns the number of each clause in order, and whether it can be tested."""
    parts = re.split(r"^- \*\*(\w+)\.\*\*", rules, flags=re.MULTILINE)
    return [(n, MARK not in text) for n, text in zip(parts[1::2], parts[2::2], strict=True)]


def names_in(source: str) -> Iterator[str]:
    """Yields the names of the test functions of a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name


def complaints(rules: str, names: Iterable[str]) -> list[str]:
    """Returns the disagreements between a text of the rules and the names of all tests."""
    written = clauses(rules)
    found = [n for n, _ in written]
    tested = {n: name for name in names for n in re.findall(r"^test_([A-Z]\d+)(?=_|$)", name)}
    return [
        *(f"{n} is missing" for n in CLAUSES if n not in found),
        *(f"{n} is no clause we know" for n in found if n not in CLAUSES),
        *(f"{n} is written twice" for n in sorted({n for n in found if found.count(n) > 1})),
        *(f"{n} has no test" for n, testable in written if testable and n not in tested),
        *(
            f"{n} has a test all the same"
            for n, testable in written
            if not testable and n in tested
        ),
        *(f"{name} names no clause" for n, name in sorted(tested.items()) if n not in found),
    ]


def test_every_clause_is_tested_and_every_test_names_a_clause() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("*.py"))]
    names = [name for source in sources for name in names_in(source)]
    assert complaints(RULES.read_text(encoding="utf-8"), names) == []


def test_the_clauses_come_in_order() -> None:
    assert [n for n, _ in clauses(RULES.read_text(encoding="utf-8"))] == CLAUSES
    assert len(CLAUSES) == 42


ALL = "".join(f"- **{n}.** A rule.\n  Its second line.\n" for n in CLAUSES)
EACH = [f"test_{n}_holds" for n in CLAUSES]


@pytest.mark.parametrize(
    ("rules", "names", "complaint"),
    [
        (ALL, EACH[1:], "C1 has no test"),
        (ALL, [*EACH[:-1], "test_F55_x", "test_f5_x"], "F5 has no test"),
        (ALL, [*EACH, "test_B6_holds"], "test_B6_holds names no clause"),
        (ALL.replace("- **M3.** A rule.\n", ""), EACH, "M3 is missing"),
        (ALL.replace("**M3.**", "M3."), EACH, "M3 is missing"),
        (ALL + "- **B6.** A rule.\n", [*EACH, "test_B6_x"], "B6 is no clause we know"),
        (ALL + "- **B5.** A rule.\n", EACH, "B5 is written twice"),
        (ALL.replace("- **F5.** A rule.", f"- **F5.** A rule.\n  {MARK}"), EACH, "F5 has a test"),
    ],
)
def test_the_table_complains(rules: str, names: list[str], complaint: str) -> None:
    assert complaints(ALL, EACH) == []
    assert any(line.startswith(complaint) for line in complaints(rules, names))


def test_a_marked_clause_needs_no_test() -> None:
    marked = ALL.replace("- **C1.** A rule.", f"- **C1.** A rule. {MARK}: it is paint.")
    assert complaints(marked, EACH[1:]) == []


def test_names_are_found_in_classes_and_past_other_functions() -> None:
    source = "def helper(): ...\nclass TestA:\n    def test_A1_x(self): ...\ndef test_A2_y(): ..."
    assert sorted(names_in(source)) == ["test_A1_x", "test_A2_y"]
