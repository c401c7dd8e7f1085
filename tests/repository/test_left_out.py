"""Skipped tests are listed at the end of a run, and fail it if CI is set."""

import os
import re
import subprocess
import sys
from pathlib import Path

REASONS = {
    "test_with_a_database": "PostgreSQL is not installed",
    "test_that_needs_a_right": "a small disk cannot be mounted here",
    "test_for_another_system": "needs the signals of Unix",
}
SAMPLE = """
import pytest

@pytest.fixture
def database():
    pytest.skip("PostgreSQL is not installed")

def test_with_a_database(database):
    pass

def test_that_needs_a_right():
    pytest.skip("a small disk cannot be mounted here")

@pytest.mark.skipif(True, reason="needs the signals of Unix")
def test_for_another_system():
    pass

def test_that_runs():
    pass
"""


def run(folder: Path, **environment: str) -> tuple[int, str]:
    """Runs the sample as our tests are run; returns the exit status and the output."""
    (folder / "test_sample.py").write_text(SAMPLE, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "support.left_out", "-p", "no:cacheprovider"]
    variables = {name: value for name, value in os.environ.items() if name != "CI"}
    variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer than the sample
    done = subprocess.run(
        [*command, "-c", os.devnull, "--rootdir", "."],
        cwd=folder,
        env={**variables, "PYTHONPATH": str(Path(__file__).parents[1]), **environment},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


def test_left_out_tests_are_listed_with_their_reason(tmp_path: Path) -> None:
    status, output = run(tmp_path)
    assert status == 0, output
    for name, reason in REASONS.items():
        assert re.search(rf"= NOT RUN: {reason} =+\n+test_sample.py::{name}\n", output), output
    assert "1 passed, 3 skipped" in output


def test_left_out_tests_fail_if_ci_is_set(tmp_path: Path) -> None:
    status, output = run(tmp_path, CI="true")
    assert status == 1, output
    for reason in REASONS.values():
        assert f"left out, although CI is set: {reason}" in output
    assert "skipped" not in output
