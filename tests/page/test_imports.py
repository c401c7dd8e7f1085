"""The folders of the page import each other in one direction, as ``web/README.md`` says."""

import re
from itertools import takewhile
from pathlib import Path, PurePosixPath

import pytest

WEB = Path(__file__).parents[2] / "web"
SOURCE = WEB / "src"
MAX_FILES = 14
"""More source files in one folder are hard to take in."""


def rows() -> dict[str, tuple[list[str], str]]:
    """Returns for each folder in the table of the README what it may import, and its first file."""
    lines = (WEB / "README.md").read_text("utf-8").splitlines()
    start = lines.index("| folder | what it contains | may import | read first |")
    found = {}
    for line in takewhile(lambda line: line.startswith("|"), lines[start + 2 :]):
        folder, _, imports, first = (cell.strip() for cell in line.strip("|").split("|"))
        found[folder.strip("`")] = (re.findall(r"`(.+?)`", imports), first.strip("`"))
    return found


ROWS = rows()
FILES = sorted(path for path in SOURCE.rglob("*") if path.suffix in (".ts", ".svelte"))


def folder(path: Path) -> str:
    """Returns the folder of a source file, as the README names it."""
    return path.parent.relative_to(SOURCE).as_posix()


def test_every_folder_has_its_row() -> None:
    assert {folder(path) for path in FILES} - {"."} == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_folder_may_import_only_folders_above_it(name: str) -> None:
    imports, first = ROWS[name]
    above = list(ROWS)[: list(ROWS).index(name)]
    assert set(imports) <= set(above)
    assert (SOURCE / name / first).is_file()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_file_imports_only_what_its_folder_may(path: Path) -> None:
    own = folder(path)
    if own == ".":
        return  # App.svelte may import any folder
    allowed = {own, *ROWS[own][0]}
    if ".test." in path.name:
        allowed |= set(ROWS)
    for name in re.findall(r'(?:from|import) "(\.[^"]+)"', path.read_text("utf-8")):
        target = PurePosixPath((path.parent / name).resolve().relative_to(SOURCE).parent)
        assert str(target) in allowed, f"{own} may not import {target}"


@pytest.mark.parametrize("name", ROWS)
def test_no_folder_has_too_many_files(name: str) -> None:
    files = [path for path in (SOURCE / name).iterdir() if path.is_file()]
    assert len(files) <= MAX_FILES
