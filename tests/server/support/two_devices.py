"""Two devices with games of their own, and what they do to become one player."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from patchwork.server.engines.pool import EnginePool
from patchwork.server.players.identity import COOKIE
from server.support.live_server import Json, Visitor, serving


@dataclass(frozen=True)
class Devices:
    """Two devices, each of a player with games of their own, and an opponent of both."""

    address: str
    laptop: Visitor
    phone: Visitor
    friend: Visitor
    laptop_game: str
    phone_game: str
    """Both are running, against the friend; who carries on has seat 0."""


async def game_between(host: Visitor, guest: Visitor) -> str:
    """Opens a game that both play; returns its id."""
    game: str = (await host.open(name="Host", seed=3))["table"]["id"]
    await guest.join(game, "Guest")
    return game


@asynccontextmanager
async def devices(database: str, **settings: str) -> AsyncIterator[Devices]:
    """Runs a server without engines, and lets both devices begin a game with the friend."""
    async with (
        serving(database, EnginePool(0), **settings) as address,
        Visitor(address) as laptop,
        Visitor(address) as phone,
        Visitor(address) as friend,
    ):
        games = [await game_between(device, friend) for device in (laptop, phone)]
        yield Devices(address, laptop, phone, friend, *games)


async def link_of(maker: Visitor) -> str:
    """Returns a link with which other devices carry on as this player."""
    link: str = (await maker.http.post("/api/me/carry-link")).json()["url"]
    return link


async def carry_on(device: Visitor, maker: Visitor) -> None:
    """Lets a device carry on as the player of another one."""
    answer = await device.http.post(await link_of(maker))
    assert answer.status_code == 303, answer.text


async def prospect(device: Visitor, maker: Visitor) -> Json:
    """Returns what the server says before a device carries on as the player of another one."""
    path = httpx.URL(await link_of(maker)).path
    answer = await device.http.get(f"/api{path}")
    assert answer.is_success, answer.text
    body: Json = answer.json()
    return body


async def me(visitor: Visitor) -> str:
    """Returns the id of a player, who becomes one if need be."""
    player: str = (await visitor.http.post("/api/me")).json()["player"]
    return player


async def games(visitor: Visitor, **query: str) -> list[str]:
    """Returns the ids of a player's games, in order."""
    answer = await visitor.http.get("/api/me/games", params=query)
    return sorted(game["id"] for game in answer.json()["games"])


async def merged(visitor: Visitor) -> Json:
    """Returns how many players a player stands for, and whether that can be undone."""
    body: Json = (await visitor.http.get("/api/me/merge")).json()
    return body


async def undo(visitor: Visitor) -> httpx.Response:
    """Makes a device the player again that it was before it carried on."""
    number = (await merged(visitor))["undo"]
    return await visitor.http.delete(f"/api/me/merge/{number}")


def cookie_of(visitor: Visitor) -> str:
    """Returns the cookie of a device."""
    cookie = visitor.http.cookies[COOKIE]
    assert isinstance(cookie, str)
    return cookie
