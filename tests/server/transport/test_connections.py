"""Limits on the number of connections, and the descriptors they need."""

import logging
import sys

import pytest

from patchwork.server.settings import Settings
from patchwork.server.transport import connections
from patchwork.server.transport.connections import Connections, capacity

ANN, BOB = "192.0.2.1", "192.0.2.2"
PROXY = "10.0.0.1"


class FakeConnection:
    """A fake connection."""

    def __init__(self, to: Connections, host: str = ANN) -> None:
        self.evicted = False
        self.admitted = to.admit(self, host)

    def evict(self) -> None:
        self.evicted = True


def make_connections(connections: int = 0, per_address: int = 0) -> Connections:
    """Returns the connections of a server behind a proxy."""
    return Connections(
        Settings(
            connections=connections, connections_per_address=per_address, proxies=("10.0.0.0/8",)
        )
    )


def test_connections_from_one_address_are_limited() -> None:
    open_connections = make_connections(per_address=2)
    first, second, third = (FakeConnection(open_connections) for _ in range(3))
    assert [each.admitted for each in (first, second, third)] == [True, True, False]
    assert FakeConnection(open_connections, BOB).admitted
    open_connections.release(third)
    assert not FakeConnection(open_connections).admitted, (
        "releasing a refused connection frees no place"
    )
    open_connections.release(first)
    open_connections.release(first)
    assert FakeConnection(open_connections).admitted
    assert not FakeConnection(open_connections).admitted


def test_an_ipv6_network_counts_as_one_address() -> None:
    open_connections = make_connections(per_address=1)
    assert FakeConnection(open_connections, "2001:db8::1").admitted
    assert not FakeConnection(open_connections, "2001:db8::2").admitted
    assert FakeConnection(open_connections, "2001:db8:0:1::2").admitted


def test_proxies_count_towards_the_total_only() -> None:
    open_connections = make_connections(connections=4, per_address=1)
    assert [FakeConnection(open_connections, PROXY).admitted for _ in range(5)] == [
        True,
        True,
        True,
        True,
        False,
    ]
    assert len(open_connections) == 4


def test_the_connection_idle_longest_is_evicted() -> None:
    open_connections = make_connections(connections=3)
    busy, early, late = (FakeConnection(open_connections) for _ in range(3))
    for each in (busy, early, late):
        open_connections.idle(each)
    open_connections.busy(busy)
    open_connections.busy(early)
    open_connections.idle(early)
    assert FakeConnection(open_connections, BOB).admitted
    assert [each.evicted for each in (busy, early, late)] == [False, False, True]
    assert FakeConnection(open_connections, BOB).admitted
    assert early.evicted
    refused = FakeConnection(open_connections, BOB)
    open_connections.idle(refused)
    assert not refused.admitted
    assert not FakeConnection(open_connections, BOB).admitted
    assert (busy.evicted, refused.evicted, len(open_connections)) == (False, False, 3)


def test_zero_means_no_limits() -> None:
    open_connections = make_connections()
    assert all(FakeConnection(open_connections).admitted for _ in range(5000))


def test_refusals_are_logged_once_a_minute(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_connections = make_connections(per_address=1)
    assert FakeConnection(open_connections).admitted
    for second in (0.0, 1.0, 30.0, 61.0):
        monkeypatch.setattr(connections, "monotonic", lambda second=second: second)
        for _ in range(100):
            FakeConnection(open_connections)
            open_connections.refused("not valid HTTP", BOB)
    assert [
        (record.getMessage(), vars(record)["address"], vars(record)["count"])
        for record in caplog.records
    ] == [
        ("refused: too many connections from this address", ANN, 1),
        ("refused: not valid HTTP", BOB, 1),
        ("refused: too many connections from this address", ANN, 300),
        ("refused: not valid HTTP", BOB, 300),
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of descriptors")
class TestDescriptors:
    @pytest.mark.parametrize(
        ("limits", "connections", "found", "soft"),
        [
            ((1024, 20_000), 4096, 4096, 8260),
            ((1024, -1), 4096, 4096, 8260),
            ((1024, 4096), 4096, 2014, 4096),
            ((256, 256), 4096, 94, 256),
            ((20_000, 20_000), 4096, 4096, 20_000),
            ((-1, -1), 4096, 4096, -1),
            ((1024, 20_000), 100, 100, 1024),
            ((1024, 20_000), 0, 9966, 20_000),
            ((64, 64), 4096, 1, 64),
        ],
    )
    def test_the_limit_of_descriptors_is_raised_as_needed_and_allowed(
        self,
        limits: tuple[int, int],
        connections: int,
        found: int,
        soft: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        now = [limits]
        monkeypatch.setattr("resource.getrlimit", lambda _: now[0])
        monkeypatch.setattr("resource.setrlimit", lambda _, limits: now.__setitem__(0, limits))
        assert capacity(Settings(connections=connections, workers=1)) == found
        assert now[0] == (soft, limits[1])

    def test_a_system_may_refuse_to_raise_the_limit(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(*_: object) -> None:
            raise ValueError("current limit exceeds maximum limit")

        monkeypatch.setattr("resource.getrlimit", lambda _: (256, -1))
        monkeypatch.setattr("resource.setrlimit", refuse)
        caplog.set_level(logging.INFO)
        assert capacity(Settings(workers=1)) == 94
        assert [vars(record)["connections"] for record in caplog.records] == [94]
