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
from patchwork.engine.kernel import jit, rules

SOURCE = Path(pw.__file__).parent
SCORE = """
import patchwork as pw
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.state import from_position
state, _ = from_position(pw.Setup.random(0).start())
stats = rules.score.stats
print(rules.score(state, 0), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
"""Prints the score at the start, 5 - 2 * 81, and how often kept code was found and was missing."""


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
from patchwork.engine.search import tree
from patchwork.engine.kernel.state import WORDS
planted = tree.new_tree(1 << 20)
tree.reset(planted, tree.new_batch(1), np.ones(WORDS, np.int64))
print(planted.states[0].sum() - WORDS, sum(tree.reset.stats.cache_hits.values()))
"""


def test_code_that_names_a_type_that_no_longer_exists_is_renewed(
    package: Path, tmp_path: Path
) -> None:
    """This happens after an update of the package."""
    cache = tmp_path / "cache"
    assert run(PLANT, package, cache) == "0 0"
    assert run(PLANT, package, cache) == "0 1"
    for file in engine_files(package):
        file.write_text(re.sub(r"\bTree\b", "Wood", file.read_text()))
    assert run(PLANT, package, cache) == "0 0"


def kept(folder: Path) -> dict[Path, tuple[int, bytes]]:
    """Returns the time and the content of each file of compiled code below a folder."""
    files = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def engine_files(package: Path) -> Iterator[Path]:
    for part in ("rules", "engine"):
        yield from sorted((package / part).rglob("*.py"))


def test_code_is_kept_in_the_users_cache_folder_and_loaded_by_the_next_process(
    package: Path, tmp_path: Path
) -> None:
    """The package itself may be read-only, for example if an administrator installed it."""
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


def test_a_change_of_an_imported_file_renews_the_code(package: Path, tmp_path: Path) -> None:
    """The score counts border bits by a number from ``pieces``: one more is two points less."""
    cache = tmp_path / "cache"
    assert run(SCORE, package, cache) == "-157 0 1"
    pieces = package / "engine" / "kernel" / "pieces.py"
    pieces.write_text(pieces.read_text(encoding="utf-8") + "\nBORDER_BITS += 1\n", encoding="utf-8")
    assert run(SCORE, package, cache) == "-159 0 1"
    assert run(SCORE, package, cache) == "-159 1 0"


@pytest.mark.parametrize(
    "name", ["learn/measure/plots.py", "engine/search/tree.py", "engine/kernel/symmetry.py"]
)
def test_a_change_of_a_file_that_is_not_imported_renews_nothing(
    name: str, package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert run(SCORE, package, cache) == "-157 0 1"
    with (package / name).open("a", encoding="utf-8") as source:
        source.write("\n# changed\n")
    assert run(SCORE, package, cache) == "-157 1 0"


def test_the_sources_of_a_file_are_what_it_imports_directly_or_indirectly() -> None:
    found = {path.relative_to(SOURCE).as_posix() for path in jit.sources(Path(rules.__file__))}
    assert {"engine/kernel/rules.py", "engine/kernel/pieces.py", "rules/patches.py"} <= found
    assert {path.split("/")[0] for path in found} == {"engine", "rules"}
    assert {path.split("/")[1] for path in found if path.startswith("engine/")} == {"kernel"}


def test_the_sources_of_every_file_include_its_imports() -> None:
    """Imports are found by a second method here, a search in the text."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"^from (patchwork[\w.]*) import", text, re.MULTILINE):
            module = SOURCE.parent.joinpath(*line.split("."))
            for imported in (module.with_suffix(".py"), module / "__init__.py"):
                assert not imported.exists() or imported in jit.sources(path)


def test_two_processes_at_once_on_an_empty_cache_both_succeed(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, SCORE, SOURCE, cache) for _ in range(2)]
    assert {job.result().split()[0] for job in jobs} == {"-157"}
    assert run(SCORE, SOURCE, cache) == "-157 1 0"


def test_without_a_writable_cache_folder_each_process_compiles(
    package: Path, tmp_path: Path
) -> None:
    """Nothing is kept beside the sources instead: Numba would not notice changes of other files."""
    cache = tmp_path / "cache"
    cache.write_text("a file, so that no folder can be made here")
    assert run(SCORE, package, cache).split()[0] == "-157"
    assert kept(package) == {}
    pieces = package / "engine" / "kernel" / "pieces.py"
    pieces.write_text(pieces.read_text(encoding="utf-8") + "\nBORDER_BITS += 1\n", encoding="utf-8")
    assert run(SCORE, package, cache).split()[0] == "-159"


def test_with_an_unknown_version_of_numba_each_process_compiles(tmp_path: Path) -> None:
    code = f"import numba; numba.__version__ = '99.0'{SCORE}"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        env={"PYTHONPATH": str(SOURCE.parent), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stdout.split()[0] == "-157"
    assert "not tested with Numba 99.0" in done.stderr
    assert kept(tmp_path) == {}


@pytest.mark.parametrize(
    "code",
    [
        "import patchwork",
        "import patchwork; patchwork.Setup.random(0).start().legal_moves()",
        "import patchwork.engine; patchwork.engine.Limit(nodes=1)",
        "from patchwork.engine.baselines.greedy import greedy;"
        "import patchwork; greedy(patchwork.Setup.random(0).start())",
    ],
    ids=["patchwork", "rules", "engine", "greedy"],
)
def test_without_a_search_numba_is_not_imported(code: str, tmp_path: Path) -> None:
    asked = f"{code}\nimport sys; print({{'numba', 'numpy', 'llvmlite'}} & set(sys.modules))"
    assert run(asked, SOURCE, tmp_path) == "set()"


def test_the_package_imports_the_engine_on_demand(tmp_path: Path) -> None:
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
