"""For a day, two players who became one can part again."""

from patchwork.server.game.terms import DAY
from patchwork.server.players.identity import COOKIE
from server.support.fake_time import Time, asynchronous
from server.support.friends import at, refusal
from server.support.live_server import Visitor
from server.support.two_devices import (
    carry_on,
    cookie_of,
    devices,
    game_between,
    games,
    merged,
    undo,
)


@asynchronous
async def test_within_a_day_the_browser_returns_to_its_own_games(database: str, time: Time) -> None:
    async with devices(database) as met, at(met.phone, met.address) as tablet:
        await carry_on(met.phone, met.laptop)
        state = await merged(met.phone)
        assert state["until"] == time.keeper().now() + DAY
        assert (await merged(met.laptop)).items() >= {"players": 2, "undo": None}.items()
        later = (await met.phone.open("screen"))["table"]["id"]
        assert (await met.laptop.act(met.phone_game, "move", move="A")).is_success
        time.passed += 23 * 60 * 60
        async with (
            met.laptop.live(met.phone_game) as laptop,
            met.phone.live(met.laptop_game) as phone,
        ):
            for _ in range(2):  # repeated after a lost answer
                answer = await met.phone.http.delete(f"/api/me/merge/{state['undo']}")
                assert answer.json() == {"players": 1, "undo": None, "until": None}
            await laptop.socket.wait_closed()
            await phone.socket.wait_closed()
        for device in (met.phone, tablet):
            assert await games(device) == [met.phone_game]
            assert (await device.look(met.laptop_game))["you"] == []
        assert await games(met.laptop) == sorted([met.laptop_game, later])
        assert (await met.laptop.look(met.phone_game))["you"] == []
        refusal(await met.laptop.act(met.phone_game, "resign"), 403, "not-seated")
        assert (await met.friend.act(met.phone_game, "move", move="A")).is_success
        assert (await met.phone.act(met.phone_game, "resign")).is_success
        await carry_on(met.phone, met.laptop)
        assert len(await games(met.phone)) == 3


@asynchronous
async def test_after_a_day_it_stays(sqlite_database: str, time: Time) -> None:
    async with devices(sqlite_database) as met:
        await carry_on(met.phone, met.laptop)
        number = (await merged(met.phone))["undo"]
        time.passed += DAY / 1000
        assert await merged(met.phone) == {"players": 2, "undo": None, "until": None}
        assert (await met.phone.http.delete(f"/api/me/merge/{number}")).json()["players"] == 2
        assert len(await games(met.phone)) == 2


@asynchronous
async def test_undoing_repeatedly_never_undoes_an_earlier_merge(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met, Visitor(met.address) as tablet:
        await game_between(tablet, met.friend)
        await carry_on(met.phone, met.laptop)
        await carry_on(met.laptop, tablet)
        state = await merged(met.phone)
        assert state["players"] == 3
        for _ in range(3):
            answer = await met.phone.http.delete(f"/api/me/merge/{state['undo']}")
            assert answer.json()["players"] == 2
        assert await games(met.phone) == await games(met.laptop)


@asynchronous
async def test_a_stolen_cookie_gains_nothing_by_undoing(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met, at(met.laptop, met.address) as thief:
        await carry_on(met.phone, met.laptop)
        number = (await merged(met.phone))["undo"]
        for cookie in (cookie_of(thief), "forged"):
            async with Visitor(met.address, Cookie=f"{COOKIE}={cookie}") as eve:
                answer = await eve.http.delete(f"/api/me/merge/{number}")
                assert answer.is_success
                assert "set-cookie" not in answer.headers
        assert len(await games(met.phone)) == 2, "only the browser that was merged can undo it"
        async with at(met.phone, met.address) as other_thief:
            assert "set-cookie" not in (await undo(other_thief)).headers
            assert await games(other_thief) == [met.phone_game], "who undoes it loses the rest"
