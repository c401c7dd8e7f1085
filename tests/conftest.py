"""Options, hooks and fixtures for all tests."""

import signal
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from support.commands import Cli

# An example that takes long on a busy machine does not mean that the code is at fault.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell makes background processes ignore Ctrl+C, and processes that tests start inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["support.left_out"]

COVERING = ("rules", "notation", "golden", "perft")
"""The tests that have to cover every line and branch of the rules and the notation.

The slow ones are marked ``no_cover``.
"""
_TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of ``make quick``, and one that finds tests that depend on earlier ones."""
    parser.addoption("--alone", action="store_true", help="let no test start a process")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in random order")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Prints the seed that repeats the order."""
    seed = config.getoption("--shuffle")
    return None if seed is None else f"random order: --shuffle {seed}"


@pytest.fixture(scope="session", autouse=True)
def alone(request: pytest.FixtureRequest) -> None:
    """Keeps ``make quick`` quick: no test may start a process."""
    starting = {"os.fork", "os.posix_spawn", "os.system", "subprocess.Popen"}

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in starting:
            raise RuntimeError(f"a test of `make quick` starts a process: {arguments}")

    if request.config.getoption("alone"):
        sys.addaudithook(refuse)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Starts long tests first, and measures coverage only in the tests of ``COVERING``.

    A long test at the end would keep one process busy while the others have nothing left to do.
    Measuring coverage would slow the other tests down.
    """
    if (seed := config.getoption("--shuffle")) is None:
        items.sort(key=lambda item: item.get_closest_marker("long") is None)
    else:
        Random(seed).shuffle(items)
    for item in items:
        if item.path.relative_to(_TESTS).parts[0] not in COVERING:
            item.add_marker("no_cover")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stops the first of two measurements that pytest-cov 7.1 starts in a pytest-xdist worker.

    For tests marked ``no_cover``, it pauses only the second one, and keeps only that one's results.
    """
    covering = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and covering is not None and covering.cov_controller:
        covering.cov_controller.cov.stop()


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs commands of the program."""
    return Cli(capsys)
