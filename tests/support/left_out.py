"""Lists the tests that were skipped because they lack something; in CI, they fail."""

import os
from collections import defaultdict
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fails skipped tests if ``CI`` is set, since no one reads the list there."""
    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"left out, although CI is set: {_reason(report)}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the tests that did not run, with the reason."""
    left_out = defaultdict(list)
    for report in terminalreporter.getreports("skipped"):
        left_out[_reason(report)].append(report.nodeid)
    for reason, names in left_out.items():
        terminalreporter.section(f"NOT RUN: {reason}", yellow=True)
        for name in sorted(names):
            terminalreporter.write_line(name)


def _reason(report: pytest.TestReport) -> str:
    """Returns why a test was skipped."""
    assert isinstance(report.longrepr, tuple)
    return report.longrepr[2].removeprefix("Skipped: ")
