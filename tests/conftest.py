"""What holds for the whole run of the tests."""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the tests that need PostgreSQL and did not run because it is missing."""
    missing = [
        report.nodeid
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple)
        and "PostgreSQL is not installed" in report.longrepr[2]
    ]
    if missing:
        terminalreporter.section("NOT RUN, since PostgreSQL is not installed", yellow=True)
        for name in sorted(missing):
            terminalreporter.write_line(name)
