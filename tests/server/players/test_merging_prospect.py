"""What is said before a browser carries on as another player, and when it cannot."""

from server.support.fake_time import asynchronous
from server.support.friends import refusal
from server.support.live_server import Visitor
from server.support.two_devices import (
    carry_on,
    cookie_of,
    devices,
    game_between,
    games,
    link_of,
    prospect,
)


@asynchronous
async def test_the_prospect_says_what_will_happen_and_changes_nothing(database: str) -> None:
    async with devices(database) as met:
        over = (await met.phone.open("screen"))["table"]["id"]
        await met.phone.act(over, "abort")
        assert await prospect(met.phone, met.laptop) == {
            "outcome": "merge",
            "own": {"running": 1, "finished": 1},
            "maker": {"running": 1, "finished": 0},
            "against": [],
        }
        assert (await met.phone.look(met.laptop_game))["you"] == []
        await carry_on(met.phone, met.laptop)
        for one, other in ((met.phone, met.laptop), (met.laptop, met.phone)):
            said = await prospect(one, other)
            assert (said["outcome"], said["own"]) == ("same", {"running": 2, "finished": 1})
        refusal(await met.phone.http.get("/api/carry/nonsense"), 403, "forbidden")


@asynchronous
async def test_without_a_built_page_the_same_is_said_and_text_from_outside_is_escaped(
    sqlite_database: str,
) -> None:
    async with devices(sqlite_database) as met, Visitor(met.address) as new:
        link = await link_of(met.laptop)
        page = (await met.phone.http.get(link)).text
        assert "This browser has 1 running and 0 finished games." in page
        assert '<form method="post">' in page
        assert "This browser has no games." in (await new.http.get(link)).text
        game = (await met.laptop.open(name="<b>Ann"))["table"]["id"]
        await met.phone.join(game, "Bob")
        page = (await met.phone.http.get(link)).text
        assert f'<a href="/tables/{game}">&lt;b&gt;Ann · Bob</a>' in page
        assert "<form" not in page
        await met.phone.act(game, "abort")
        await carry_on(met.phone, met.laptop)
        page = (await met.phone.http.get(link)).text
        assert "already plays as" in page
        assert "<form" not in page


@asynchronous
async def test_opponents_in_a_running_game_do_not_become_one(database: str) -> None:
    async with devices(database) as met, Visitor(met.address) as tablet:
        await carry_on(tablet, met.laptop)
        game = await game_between(met.laptop, met.phone)
        said = await prospect(met.phone, tablet)
        assert said["outcome"] == "opponents"
        assert [(each["id"], each["you"]) for each in said["against"]] == [(game, [1])]
        cookie = cookie_of(met.phone)
        for _ in range(2):
            refusal(await met.phone.http.post(await link_of(tablet)), 409, "opponents")
        assert cookie_of(met.phone) == cookie
        assert await games(met.phone) == sorted([met.phone_game, game])
        assert (await met.phone.look(game))["you"] == [1]
        assert (await met.phone.act(game, "abort")).is_success
        await carry_on(met.phone, tablet)
        assert await games(tablet) == sorted([met.laptop_game, met.phone_game, game])
