"""The scripts that the Makefile runs exist and find what they import."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(set(re.findall(r"\$\(BIN\)/python (\S+\.py)", (ROOT / "Makefile").read_text())))
LOAD = """
import pathlib, runpy, sys
script = pathlib.Path(sys.argv[1])
sys.path[0] = str(script.parent)  # as if it were run
runpy.run_path(str(script), run_name="loaded")
"""


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_finds_what_it_imports(script: str) -> None:
    command = [sys.executable, "-c", LOAD, str(ROOT / script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 0


def test_scripts_are_found() -> None:
    assert "tests/server/soak.py" in SCRIPTS
