"""How many may be connected, and how many descriptors that takes."""

import logging
import sys

import pytest

from patchwork.server.settings import Settings
from patchwork.server.transport import connections
from patchwork.server.transport.connections import Connections, capacity

ANN, BOB = "192.0.2.1", "192.0.2.2"
PROXY = "10.0.0.1"


class Someone:
    """A connection."""

    def __init__(self, to: Connections, host: str = ANN) -> None:
        self.evicted = False
        self.admitted = to.admit(self, host)

    def evict(self) -> None:
        self.evicted = True


def some(connections: int = 0, per_address: int = 0) -> Connections:
    """Connections to a server behind a proxy."""
    return Connections(
        Settings(
            connections=connections, connections_per_address=per_address, proxies=("10.0.0.0/8",)
        )
    )


def test_so_many_from_an_address() -> None:
    here = some(per_address=2)
    first, second, third = (Someone(here) for _ in range(3))
    assert [each.admitted for each in (first, second, third)] == [True, True, False]
    assert Someone(here, BOB).admitted
    here.release(third)
    assert not Someone(here).admitted, "it had no place to leave"
    here.release(first)
    here.release(first)
    assert Someone(here).admitted
    assert not Someone(here).admitted


def test_a_network_of_ipv6_is_one_address() -> None:
    here = some(per_address=1)
    assert Someone(here, "2001:db8::1").admitted
    assert not Someone(here, "2001:db8::2").admitted
    assert Someone(here, "2001:db8:0:1::2").admitted


def test_proxies_are_counted_in_all_only() -> None:
    here = some(connections=4, per_address=1)
    assert [Someone(here, PROXY).admitted for _ in range(5)] == [True, True, True, True, False]
    assert len(here) == 4


def test_who_waits_longest_makes_room() -> None:
    here = some(connections=3)
    busy, early, late = (Someone(here) for _ in range(3))
    for each in (busy, early, late):
        here.idle(each)
    here.busy(busy)
    here.busy(early)
    here.idle(early)
    assert Someone(here, BOB).admitted
    assert [each.evicted for each in (busy, early, late)] == [False, False, True]
    assert Someone(here, BOB).admitted
    assert early.evicted
    refused = Someone(here, BOB)
    here.idle(refused)
    assert not refused.admitted
    assert not Someone(here, BOB).admitted
    assert (busy.evicted, refused.evicted, len(here)) == (False, False, 3)


def test_no_limits() -> None:
    here = some()
    assert all(Someone(here).admitted for _ in range(5000))


def test_a_flood_is_one_entry_a_minute(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = some(per_address=1)
    assert Someone(here).admitted
    for second in (0.0, 1.0, 30.0, 61.0):
        monkeypatch.setattr(connections, "monotonic", lambda second=second: second)
        for _ in range(100):
            Someone(here)
            here.refused("not valid HTTP", BOB)
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
    def test_they_are_raised_as_far_as_needed_and_allowed(
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

    def test_a_system_may_allow_less_than_it_says(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(*_: object) -> None:
            raise ValueError("current limit exceeds maximum limit")

        monkeypatch.setattr("resource.getrlimit", lambda _: (256, -1))
        monkeypatch.setattr("resource.setrlimit", refuse)
        caplog.set_level(logging.INFO)
        assert capacity(Settings(workers=1)) == 94
        assert [vars(record)["connections"] for record in caplog.records] == [94]
