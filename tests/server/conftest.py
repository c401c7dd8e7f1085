"""Databases and a fake clock for the tests of the server."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from patchwork.server import app
from patchwork.server.guard.guard import Guard
from patchwork.server.http import limits, pages
from patchwork.server.http.api import carrying
from server.support.fake_time import Time
from server.support.postgres import NOT_FOUND, Cluster, programs

_INDEX = Path(__file__).parents[2] / "web" / "index.html"


@pytest.fixture(autouse=True)
def no_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Runs the server without the built page, whether or not there is one."""
    monkeypatch.setattr(pages, "STATIC", tmp_path / "not built")


@pytest.fixture
def shell(no_page: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Runs the server with the page as it is before it is built, which has the same head."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "index.html").write_bytes(_INDEX.read_bytes())
    monkeypatch.setattr(pages, "STATIC", folder)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The clock of all servers that a test runs."""
    time = Time()
    monkeypatch.setattr(app, "Timekeeper", time.keeper)
    monkeypatch.setattr(app, "Guard", partial(Guard, clock=time.seconds))
    for module in (carrying, limits):
        monkeypatch.setattr(module, "monotonic", time.seconds)
    return time


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A running PostgreSQL; tests may ``stop()`` and ``start()`` it.

    If PostgreSQL is not installed, the test is skipped, and named at the end of the run.
    """
    folder = programs()
    if folder is None:
        pytest.skip(NOT_FOUND)
    cluster = Cluster(folder)
    yield cluster
    cluster.remove()


@pytest.fixture
def sqlite_database(tmp_path: Path) -> str:
    """The path of an SQLite database that does not exist yet."""
    return str(tmp_path / "server.db")


@pytest.fixture
def postgres_database(postgres: Cluster) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    postgres.start()
    name = postgres.make_database()
    yield postgres.url(name)
    postgres.start()
    postgres.drop_database(name)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database for ``Store.open``; the test runs once on each kind.

    A test that needs only one kind takes ``sqlite_database`` or ``postgres_database``; one that
    needs an outage takes ``postgres`` besides, and may leave it stopped.
    """
    url = request.getfixturevalue(f"{request.param}_database")
    assert isinstance(url, str)
    return url
