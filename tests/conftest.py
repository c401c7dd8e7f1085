"""What holds for the whole run of the tests."""

import pytest

from commands import Cli

PROGRAMS = ("PostgreSQL", "Chromium")
"""What tests need besides Python, and are skipped without."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the tests that did not run because a program is missing."""
    for program in PROGRAMS:
        missing = [
            report.nodeid
            for report in terminalreporter.getreports("skipped")
            if isinstance(report.longrepr, tuple)
            and f"{program} is not installed" in report.longrepr[2]
        ]
        if missing:
            terminalreporter.section(f"NOT RUN, since {program} is not installed", yellow=True)
            for name in sorted(missing):
                terminalreporter.write_line(name)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs commands of the program."""
    return Cli(capsys)
