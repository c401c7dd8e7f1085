"""Two servers on one database, which know nothing of each other, do no harm to a game."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.support.fake_time import asynchronous
from server.support.live_server import Visitor, serving


@asynccontextmanager
async def friends_apart(database: str) -> AsyncIterator[tuple[Visitor, Visitor, str]]:
    """Ann and Bob sit at a table; then Bob goes to the other server."""
    async with (
        serving(database) as here,
        serving(database) as there,
        Visitor(here) as ann,
        Visitor(here) as bob,
    ):
        game = (await ann.open(seed=1))["table"]["id"]
        await bob.join(game)
        bob.http.base_url = there
        yield ann, bob, game


@asynchronous
async def test_what_happened_elsewhere_is_noticed_before_anything_is_stored(database: str) -> None:
    async with (
        friends_apart(database) as (ann, bob, game),
        ann.live(game) as first,
        bob.live(game) as second,
    ):
        await first.play("A")
        refused = await second.act("resign")
        assert (refused["code"], refused["state"]["status"]["seq"]) == ("stale", 3)
        assert second.seq == 3, "who listens is told as well"
        await second.play("A")
        assert first.seq == 3
        refused = await first.act("resign")
        assert (refused["code"], first.seq) == ("stale", 4)
        assert first.state["position"] == second.state["position"]


@asynchronous
async def test_a_client_that_knows_more_is_believed_and_looked_up(database: str) -> None:
    async with friends_apart(database) as (ann, bob, game):
        await bob.look(game)
        assert (await ann.act(game, "move", move="A")).status_code == 200
        assert (await bob.act(game, "move", move="A", seq=3)).status_code == 200


@asynchronous
async def test_an_action_sent_to_both_happens_once(database: str) -> None:
    async with friends_apart(database) as (ann, bob, game):
        await bob.look(game)
        bob.http.cookies = ann.http.cookies
        answers = [
            (await visitor.act(game, "move", move="A", seq=2, id="once")).json()
            for visitor in (ann, bob, ann)
        ]
        assert [(answer["t"], answer["seq"]) for answer in answers] == [("ack", 3)] * 3
