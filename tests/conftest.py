"""What holds for the whole run of the tests."""

import signal
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from support.commands import Cli

# An example that takes long on a busy machine is no fault of what it tries out.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell makes what it starts in the background deaf to Ctrl+C, and with it all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["support.left_out"]

COVERING = ("rules", "notation", "golden", "perft")
"""The tests that have to reach every line and branch of the rules and the notation.

Slow ones among them are marked ``no_cover``.
"""
_TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of ``make quick``, and one that finds tests that need others before them."""
    parser.addoption("--alone", action="store_true", help="let no test start a process")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in random order")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Names the seed, with which the same order comes about again."""
    seed = config.getoption("--shuffle")
    return None if seed is None else f"random order: --shuffle {seed}"


@pytest.fixture(scope="session", autouse=True)
def alone(request: pytest.FixtureRequest) -> None:
    """Keeps tests that take long, by what they start, out of runs that are to be quick."""
    starting = {"os.fork", "os.posix_spawn", "os.system", "subprocess.Popen"}

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in starting:
            raise RuntimeError(f"a test of `make quick` starts a process: {arguments}")

    if request.config.getoption("alone"):
        sys.addaudithook(refuse)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Lets long tests begin first, and measures coverage by those that have to reach everything.

    A long one at the end would keep one process busy while the others have nothing left to do.
    Others than those that have to would take longer if they were measured.
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
    """Ends the first of two measurements that pytest-cov 7.1 begins in a process of pytest-xdist.

    It pauses only the second for tests marked ``no_cover``, and keeps only what that one found.
    """
    covering = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and covering is not None and covering.cov_controller:
        covering.cov_controller.cov.stop()


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs commands of the program."""
    return Cli(capsys)
