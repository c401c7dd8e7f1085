"""Two servers that share a database without knowing of each other keep games consistent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.support.fake_time import asynchronous
from server.support.live_server import Visitor, serving


@asynccontextmanager
async def friends_apart(database: str) -> AsyncIterator[tuple[Visitor, Visitor, str]]:
    """Seats Ann and Bob at a table, then connects Bob to the other server."""
    async with (
        serving(database) as first_server,
        serving(database) as second_server,
        Visitor(first_server) as ann,
        Visitor(first_server) as bob,
    ):
        game = (await ann.open(seed=1))["table"]["id"]
        await bob.join(game)
        bob.http.base_url = second_server
        yield ann, bob, game


@asynchronous
async def test_an_action_that_misses_an_event_of_the_other_server_is_stale(database: str) -> None:
    async with (
        friends_apart(database) as (ann, bob, game),
        ann.live(game) as first,
        bob.live(game) as second,
    ):
        await first.play("A")
        refused = await second.act("resign")
        assert (refused["code"], refused["state"]["status"]["seq"]) == ("stale", 3)
        assert second.seq == 3, "subscribers receive the new state, too"
        await second.play("A")
        assert first.seq == 3
        refused = await first.act("resign")
        assert (refused["code"], first.seq) == ("stale", 4)
        assert first.state["position"] == second.state["position"]


@asynchronous
async def test_a_client_that_knows_a_later_event_makes_the_server_reload_the_game(
    database: str,
) -> None:
    async with friends_apart(database) as (ann, bob, game):
        await bob.look(game)
        assert (await ann.act(game, "move", move="A")).status_code == 200
        assert (await bob.act(game, "move", move="A", seq=3)).status_code == 200


@asynchronous
async def test_an_action_sent_to_both_servers_is_applied_once(database: str) -> None:
    async with friends_apart(database) as (ann, bob, game):
        await bob.look(game)
        bob.http.cookies = ann.http.cookies
        answers = [
            (await visitor.act(game, "move", move="A", seq=2, id="once")).json()
            for visitor in (ann, bob, ann)
        ]
        assert [(answer["t"], answer["seq"]) for answer in answers] == [("ack", 3)] * 3
