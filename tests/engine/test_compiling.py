"""Where compiled code is kept and when it is renewed.

Each test runs small programs in processes of their own, on one small function, with a cache folder
of their own.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import patchwork as pw

SOURCE = Path(pw.__file__).parent
SCORE = """
import patchwork as pw
from patchwork.engine import kernel
from patchwork.engine.state import from_position
state, _ = from_position(pw.Setup.random(0).start())
stats = kernel.score.stats
print(kernel.score(state, 0), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
"""Prints the score of a start, 5 - 2 * 81, and how often compiled code was found and missed."""


def run(code: str, package: Path, cache: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        env={"PYTHONPATH": str(package.parent), "XDG_CACHE_HOME": str(cache), "HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout.strip()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package."""
    copy = tmp_path / "site" / "patchwork"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


PLANT = """
import numpy as np
from patchwork.engine import tree
from patchwork.engine.state import WORDS
planted = tree.new_tree(1 << 20)
tree.plant(planted, tree.new_batch(1), np.ones(WORDS, np.int64))
print(planted.states[0].sum() - WORDS, sum(tree.plant.stats.cache_hits.values()))
"""


def test_compiled_code_that_names_a_type_that_is_gone_is_renewed(
    package: Path, tmp_path: Path
) -> None:
    """As after an update of the package."""
    cache = tmp_path / "cache"
    assert run(PLANT, package, cache) == "0 0"
    assert run(PLANT, package, cache) == "0 1"
    for file in sources(package):
        file.write_text(re.sub(r"\bTree\b", "Wood", file.read_text()))
    assert run(PLANT, package, cache) == "0 0"


def kept(folder: Path) -> dict[Path, tuple[int, bytes]]:
    """Returns the files of compiled code below a folder: when written, and what."""
    files = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def sources(package: Path) -> Iterator[Path]:
    for part in ("rules", "engine"):
        yield from sorted((package / part).glob("*.py"))


def test_compiled_code_is_kept_in_the_users_cache_folder_and_loaded_by_the_next_process(
    package: Path, tmp_path: Path
) -> None:
    """The package itself may be read-only, as where an administrator installed it."""
    cache = tmp_path / "cache"
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    assert run(SCORE, package, cache) == "-157 0 1"
    first = kept(cache)
    assert first
    assert run(SCORE, package, cache) == "-157 1 0"
    assert kept(cache) == first
    assert kept(package) == {}
    for folder in folders:
        folder.chmod(0o755)


def test_after_an_upgrade_of_another_file_nothing_old_is_used(
    package: Path, tmp_path: Path
) -> None:
    """The score counts border bits by a number from ``tables``: one more is two points less."""
    cache = tmp_path / "cache"
    assert run(SCORE, package, cache) == "-157 0 1"
    tables = package / "engine" / "tables.py"
    tables.write_text(tables.read_text(encoding="utf-8") + "\nFRAME += 1\n", encoding="utf-8")
    assert run(SCORE, package, cache) == "-159 0 1"
    assert run(SCORE, package, cache) == "-159 1 0"


def test_a_change_of_any_source_of_rules_or_engine_changes_the_stamp(
    package: Path, tmp_path: Path
) -> None:
    code = """
import sys
from pathlib import Path
from patchwork.engine.compiling import _sources
for name in [None, *sys.stdin.read().split()]:
    if name:
        path = Path(name)
        before = path.read_bytes()
        path.write_bytes(before + b"#")
    _sources.cache_clear()
    print(_sources())
    if name:
        path.write_bytes(before)
_sources.cache_clear()
print(_sources())
"""
    names = "\n".join(map(str, sources(package)))
    assert len(names.split()) >= 20
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        input=names,
        env={"PYTHONPATH": str(package.parent), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    untouched, *changed, again = done.stdout.split()
    assert len(changed) == len(names.split())
    assert untouched == again
    assert len({untouched, *changed}) == 1 + len(changed)


def test_a_file_more_or_renamed_changes_the_stamp(package: Path, tmp_path: Path) -> None:
    code = """
from pathlib import Path
from patchwork.engine import compiling
more = Path(compiling.__file__).parents[1] / "rules" / "more.py"
most = more.with_name("most.py")
for change in (lambda: None, more.touch, lambda: more.rename(most), most.unlink):
    change()
    compiling._sources.cache_clear()
    print(compiling._sources())
"""
    before, more, renamed, after = run(code, package, tmp_path).split()
    assert before == after
    assert len({before, more, renamed}) == 3


def test_two_processes_at_once_on_an_empty_cache_both_succeed(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, SCORE, SOURCE, cache) for _ in range(2)]
    assert {job.result().split()[0] for job in jobs} == {"-157"}
    assert run(SCORE, SOURCE, cache) == "-157 1 0"


def test_a_cache_folder_that_cannot_be_written_means_compiling_in_each_process(
    package: Path, tmp_path: Path
) -> None:
    """Nothing is kept beside the sources instead: Numba would not see changes of other files."""
    cache = tmp_path / "cache"
    cache.write_text("a file, so that no folder can be made here")
    assert run(SCORE, package, cache).split()[0] == "-157"
    assert kept(package) == {}
    tables = package / "engine" / "tables.py"
    tables.write_text(tables.read_text(encoding="utf-8") + "\nFRAME += 1\n", encoding="utf-8")
    assert run(SCORE, package, cache).split()[0] == "-159"


@pytest.mark.parametrize(
    "code",
    [
        "import patchwork",
        "import patchwork; patchwork.Setup.random(0).start().legal_moves()",
        "import patchwork.engine; patchwork.engine.Limit(nodes=1)",
        "from patchwork.engine.greedy import greedy;"
        "import patchwork; greedy(patchwork.Setup.random(0).start())",
    ],
    ids=["patchwork", "rules", "engine", "greedy"],
)
def test_whoever_asks_for_no_search_never_imports_numba(code: str, tmp_path: Path) -> None:
    asked = f"{code}\nimport sys; print({{'numba', 'numpy', 'llvmlite'}} & set(sys.modules))"
    assert run(asked, SOURCE, tmp_path) == "set()"


def test_the_engine_is_there_when_it_is_asked_for_and_nothing_else_is(tmp_path: Path) -> None:
    asked = """
import patchwork.engine
assert patchwork.engine.Engine.__name__ == "Engine"
try:
    patchwork.engine.nonsense
except AttributeError as error:
    print(error)
"""
    answer = "module 'patchwork.engine' has no attribute 'nonsense'"
    assert run(asked, SOURCE, tmp_path) == answer
