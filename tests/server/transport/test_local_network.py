"""Opening a server that serves its own machine to the local network."""

import asyncio
import socket
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import httpx
import pytest

from patchwork.server.app import create_app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.settings import Settings
from patchwork.server.transport import local_network
from patchwork.server.transport.local_network import LocalNetwork, own_addresses
from server.support.fake_time import asynchronous
from server.support.friends import refusal
from server.support.live_server import NO_LIMITS, Visitor, hosting
from support.waiting import PATIENCE

STAND_IN = "127.0.0.2"
"""The address in the network, on a machine that is in none."""
ADDRESS = (own_addresses() or [STAND_IN])[0]
PATH = "/api/local-network"
CLOSED = {"offered": True, "open": False, "qr": None}
NOT_OFFERED = {"offered": False, "open": False, "addresses": [], "qr": None}


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_network, "own_addresses", lambda: [ADDRESS])


@asynccontextmanager
async def openable(database: str) -> AsyncIterator[tuple[Visitor, str]]:
    """Runs a server as ``make play`` does; yields a browser here, and the address for others."""
    settings = Settings.read({}, database=database, **NO_LIMITS)
    app = create_app(settings, EnginePool(0))
    async with hosting(app, settings) as (address, server):
        port = httpx.URL(address).port
        assert port is not None
        app.state.local_network = LocalNetwork(server, port)
        async with Visitor(address, Origin=address) as here:
            yield here, f"http://{ADDRESS}:{port}"


async def reachable(address: str) -> bool:
    async with httpx.AsyncClient(verify=False) as client:
        try:
            return (await client.get(f"{address}/healthz")).is_success
        except httpx.ConnectError:
            return False


@asynchronous
async def test_the_page_opens_the_server_and_closes_it_again(sqlite_database: str) -> None:
    async with openable(sqlite_database) as (here, there):
        assert (await here.http.get(PATH)).json() == CLOSED | {"addresses": [there]}
        assert not await reachable(there)
        opened = (await here.http.post(PATH)).json()
        assert (opened["open"], opened["addresses"]) == (True, [there])
        assert opened["qr"].startswith("<svg")
        assert (await here.http.get(PATH)).json() == opened
        assert await reachable(there)
        async with Visitor(there) as friend:
            game = (await here.open())["table"]["id"]
            await friend.join(game, "Bob")
            async with friend.live(game) as live:
                assert (await here.http.delete(PATH)).json() == CLOSED | {"addresses": [there]}
                await asyncio.wait_for(live.socket.wait_closed(), PATIENCE)
        assert not await reachable(there)
        assert (await here.http.get("/healthz")).is_success


@asynchronous
async def test_links_lead_to_the_address_in_the_network_while_it_is_open(
    sqlite_database: str,
) -> None:
    async with openable(sqlite_database) as (here, there):
        game = (await here.open())["table"]["id"]
        before = (await here.http.get(f"/api/tables/{game}/qr")).text
        await here.http.post(PATH)
        link = (await here.http.post("/api/me/carry-link")).json()["url"]
        assert link.startswith(f"{there}/carry/")
        assert (await here.http.get(f"/api/tables/{game}/qr")).text != before
        await here.http.delete(PATH)
        assert (await here.http.get(f"/api/tables/{game}/qr")).text == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"X-Forwarded-For": "203.0.113.5"},
        {"Forwarded": "for=203.0.113.5"},
        {"Via": "1.1 proxy"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:1"},
    ],
    ids=str,
)
@asynchronous
async def test_a_page_from_elsewhere_cannot_open_it(
    sqlite_database: str, headers: dict[str, str]
) -> None:
    async with openable(sqlite_database) as (here, there):
        for method in ("POST", "DELETE"):
            refusal(await here.http.request(method, PATH, headers=headers), 403, "forbidden")
        assert not await reachable(there)
        if "Origin" not in headers:
            assert (await here.http.get(PATH, headers=headers)).json() == NOT_OFFERED


@asynchronous
async def test_a_program_without_an_origin_cannot_open_it(sqlite_database: str) -> None:
    async with openable(sqlite_database) as (here, _):
        del here.http.headers["Origin"]
        refusal(await here.http.post(PATH), 403, "forbidden")


@pytest.mark.skipif(ADDRESS == STAND_IN, reason="the machine is in no network")
@asynchronous
async def test_somebody_in_the_network_cannot_close_it(sqlite_database: str) -> None:
    async with openable(sqlite_database) as (here, there):
        await here.http.post(PATH)
        async with Visitor(there, Origin=there) as friend:
            assert (await friend.http.get(PATH)).json() == NOT_OFFERED
            refusal(await friend.http.delete(PATH), 403, "forbidden")
            lie = {"Host": here.http.base_url.netloc.decode(), "Origin": str(here.http.base_url)}
            refusal(await friend.http.delete(PATH, headers=lie), 403, "forbidden")
        assert await reachable(there)


@asynchronous
async def test_a_server_for_others_offers_nothing(sqlite_database: str) -> None:
    settings = Settings.read({}, database=sqlite_database, **NO_LIMITS)
    async with (
        hosting(create_app(settings, EnginePool(0)), settings) as (address, _),
        Visitor(address, Origin=address) as here,
    ):
        assert (await here.http.get(PATH)).json() == NOT_OFFERED
        refusal(await here.http.post(PATH), 403, "forbidden")


class FakeServer:
    """A server for which some addresses cannot be used."""

    def __init__(self, *unusable: str) -> None:
        self.unusable = unusable
        self.listening: list[str] = []

    async def listen(self, address: str, port: int) -> None:
        if address in self.unusable:
            raise OSError("in use")
        self.listening.append(address)

    def stop_listening(self, addresses: Collection[str]) -> None:
        self.listening = [each for each in self.listening if each not in addresses]


@asynchronous
async def test_an_address_that_cannot_be_used_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_network, "own_addresses", lambda: ["10.0.0.1", "10.0.0.2"])
    server = FakeServer("10.0.0.1")
    network = LocalNetwork(server, 80)
    await network.open()
    await network.open()
    assert network.urls == ["http://10.0.0.2:80"]
    assert server.listening == ["10.0.0.2"]
    network.close()
    assert (network.urls, server.listening) == ([], [])


def test_the_address_of_the_default_route_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    named = ["127.0.1.1", "10.0.0.1", "192.168.1.5", "8.8.8.8"]

    def found(*_: object) -> list[tuple[object, ...]]:
        return [(None, None, None, "", (address, 0)) for address in named]

    class Probe(socket.socket):
        def connect(self, address: object) -> None:
            pass

        def getsockname(self) -> tuple[str, int]:
            return "192.168.1.5", 1

    monkeypatch.setattr(socket, "getaddrinfo", found)
    monkeypatch.setattr(socket, "socket", Probe)
    assert own_addresses() == ["192.168.1.5", "10.0.0.1"]


def test_a_machine_without_a_network_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("network is unreachable")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    monkeypatch.setattr(socket.socket, "connect", fails)
    assert own_addresses() == []
