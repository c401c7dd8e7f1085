"""Whole games over sockets."""

import asyncio
from random import Random
from typing import Any

import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.store import Store
from server.support.fake_time import asynchronous
from server.support.friends import answers, at, friends, presence, refusal, until
from server.support.live_server import Json, Visitor, play_out, serving


def test_two_friends_play_a_game_to_its_end(database: str) -> None:
    async def test() -> None:
        async with serving(database) as address, Visitor(address) as ann, Visitor(address) as bob:
            game = (await ann.open("friend", seed=3, name="Ann"))["table"]["id"]
            await bob.join(game, "Bob")
            async with ann.live(game) as first, bob.live(game) as second:
                assert (first.state["you"], second.state["you"]) == ([0], [1])
                await play_out({0: first, 1: second}, Random(3))
                ending = first.state["status"]["ending"]
                assert ending["reason"] == "played out"
                assert ending == (await bob.look(game))["status"]["ending"]

    asyncio.run(test())


# Acknowledged actions are stored


@asynchronous
async def test_acknowledged_actions_are_in_the_database(database: str) -> None:
    async with friends(database) as met, met.ann.live(met.game) as ann:
        store = await Store.open(database)
        try:
            for t, data in (("move", {"move": "A"}), ("undo", {}), ("resign", {}), ("rematch", {})):
                answer = await ann.act(t, **data)
                stored = await store.load(met.game)
                assert stored is not None
                assert (stored.events[-1].seq, stored.events[-1].action) == (
                    answer["seq"],
                    answer["id"],
                )
            answer = (await met.bob.act(met.game, "rematch")).json()
            stored = await store.load(met.game)
            assert stored is not None
            assert stored.events[-1].seq == answer["seq"]
            assert await store.load(stored.events[-1].data) is not None
        finally:
            await store.close()


@asynchronous
async def test_an_event_is_announced_only_after_it_is_stored(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, appending, resume = Store.append, asyncio.Event(), asyncio.Event()

    async def append_when_resumed(store: Store, *arguments: Any) -> None:
        appending.set()
        await resume.wait()
        await append(store, *arguments)

    async with (
        friends(database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        monkeypatch.setattr(Store, "append", append_when_resumed)
        playing = asyncio.create_task(ann.play("A"))
        await appending.wait()
        try:
            # Any message sent by now would arrive before these answers.
            await answers(bob)
            await (
                await ann.socket.ping()
            )  # a ping frame, since Ann's messages are handled one by one
            kinds = {message["t"] for live in (ann, bob) for message in live.received}
            assert kinds <= {"state", "presence", "pong"}
        finally:
            resume.set()
        await playing
        await bob.receive("event")
        kinds_in_order = [message["t"] for message in ann.received if message["t"] != "presence"]
        assert kinds_in_order == ["state", "event", "ack"], "the event comes first"


@asynchronous
async def test_a_move_reaches_the_opponent_even_if_its_sender_disconnects(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, appending, resume = Store.append, asyncio.Event(), asyncio.Event()

    async def append_when_resumed(store: Store, *arguments: Any) -> None:
        appending.set()
        await resume.wait()
        await append(store, *arguments)

    async with (
        friends(database) as met,
        met.bob.live(met.game) as bob,
        Visitor(met.address) as eve,
        eve.live(met.game) as watching,
        met.ann.live(met.game) as ann,
    ):
        await presence(bob, present=[True, True])
        monkeypatch.setattr(Store, "append", append_when_resumed)
        await ann.send("move", id="1", seq=ann.seq, move="A")
        await appending.wait()
        try:
            ann.socket.transport.abort()
            await ann.socket.wait_closed()
            await (
                watching.socket.close()
            )  # makes the server send presence, and notice that Ann has gone
            await presence(bob, present=[False, True])
        finally:
            resume.set()
        assert (await bob.receive("event"))["event"]["data"] == "A"
        await bob.send("ping")
        await bob.receive("pong")
        presences = [message["present"] for message in bob.received if message["t"] == "presence"]
        assert presences[-1] == [False, True]


# Repeated actions


@asynchronous
async def test_a_repeated_action_gets_the_same_answer_and_is_applied_once(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        first = await ann.act("move", id="again", move="A")
        assert await ann.act("move", id="again", seq=2, move="A") == first
        assert await ann.act("resign", id="again") == first, "the id decides"
        over_http = await met.ann.act(met.game, "move", id="again", seq=2, move="A")
        assert over_http.json() == first
        await until(bob, ann.seq)
        own = await bob.act("move", id="again", move=str(bob.position.legal_moves()[0]))
        assert own["seq"] == ann.seq + 1, "ids belong to their player"
        state = await met.ann.look(met.game)
    async with serving(database, EnginePool(0)) as address, at(met.ann, address) as moved:
        async with moved.live(met.game) as ann:
            assert await ann.act("move", id="again", seq=2, move="A") == first
            assert ann.state == state
        refusal(await moved.act(met.game, "move", id="new", seq=2, move="A"), 409, "stale")


@asynchronous
async def test_two_tabs_that_send_the_same_action_at_once_agree(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as one,
        met.ann.live(met.game) as two,
    ):
        answers = await asyncio.gather(
            *(live.act("move", id="once", move="A") for live in (one, two))
        )
        assert answers[0] == answers[1]
        await until(one, 3)
        await until(two, 3)
        assert one.state == two.state
        assert len((await met.bob.look(met.game))["moves"]) == 1


@asynchronous
async def test_two_tabs_that_differ_get_one_move_and_one_refusal(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as one,
        met.ann.live(met.game) as two,
    ):
        moves = one.position.legal_moves()
        answers = await asyncio.gather(
            one.act("move", id="one", move=str(moves[0])),
            two.act("move", id="two", move=str(moves[1])),
        )
        assert sorted(answer["t"] for answer in answers) == ["ack", "refused"]
        (refused,) = (answer for answer in answers if answer["t"] == "refused")
        assert refused["code"] == "stale"
        assert refused["state"] == await met.ann.look(met.game)


@asynchronous
async def test_a_stale_action_is_refused_with_the_current_state(database: str) -> None:
    async with friends(database) as met, met.ann.live(met.game) as ann:
        await ann.play("A")
        for seq in (0, 1, 2, 4, 2**31 - 1):
            refused = await ann.act("resign", seq=seq)
            assert (refused["code"], refused["reason"]) == ("stale", None)
            assert refused["state"] == await met.ann.look(met.game)
            answer = await met.ann.act(met.game, "resign", seq=seq)
            assert refusal(answer, 409, "stale")["state"] == refused["state"]
        assert (await met.ann.look(met.game))["status"]["ending"] is None


@asynchronous
async def test_an_undo_request_does_not_make_a_move_stale(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        await ann.play("A")
        await until(bob, 3)
        assert (await ann.act("undo"))["t"] == "ack"
        move = str(bob.position.legal_moves()[0])
        assert (await bob.act("move", seq=3, move=move))["seq"] == 5


@asynchronous
async def test_illegal_moves_are_refused_with_the_reason(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        circle = ann.state["position"]["circle"]
        for move, reason in (
            (f"{circle[5]}Aa1", "not-on-offer"),
            (f"{circle[0]}Ai9", "off-the-board"),
            ("La1", "not-in-this-phase"),
            ("nonsense", None),
            ("", None),
        ):
            refused = await ann.act("move", move=move)
            assert (refused["code"], refused["reason"]) == ("illegal-move", reason)
            answer = refusal(await met.ann.act(met.game, "move", move=move), 422, "illegal-move")
            assert answer["reason"] == reason
        assert (await bob.act("move", move="A"))["code"] == "not-your-turn"
        assert ann.seq == (await met.ann.look(met.game))["status"]["seq"] == 2


# All clients receive the same events


@asynchronous
async def test_all_clients_receive_all_events_in_order(database: str) -> None:
    async with (
        friends(database) as met,
        Visitor(met.address) as eve,
        met.ann.live(met.game) as one,
        met.ann.live(met.game) as two,
        met.bob.live(met.game) as bob,
        eve.live(met.game) as watching,
    ):
        await play_out({0: one, 1: bob}, Random(5))
        logs = []
        for live in (one, two, bob, watching):
            await until(live, one.seq)
            assert [message["event"]["seq"] for message in live.events] == list(
                range(3, one.seq + 1)
            )
            logs.append(live.events)
        assert logs[0] == logs[1] == logs[2] == logs[3]
        for live in (one, bob):
            acks = [message for message in live.received if message["t"] == "ack"]
            kinds = [message["t"] for message in live.received]
            assert len(acks) == sum(
                message["event"]["seat"] == live.state["you"][0] for message in logs[0]
            )
            assert kinds[0] == "state"
        state = await met.ann.look(met.game)
        assert state["position"] == two.state["position"]
        assert state["status"] == two.state["status"]
        await two.send("sync")
        await two.receive("state")
        assert two.state == state


@asynchronous
async def test_a_pong_shows_a_gap_and_sync_closes_it(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, met.bob.live(met.game) as bob:
        await bob.send("ping")
        assert await bob.receive("pong") == {"t": "pong", "v": 1, "seq": bob.seq}
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        await bob.send("ping")
        assert (await bob.receive("pong"))["seq"] == 3
        await bob.send("sync")
        assert await bob.receive("state") == await met.bob.look(met.game)


@asynchronous
async def test_a_reconnecting_client_receives_the_missed_events(database: str) -> None:
    async with friends(database) as met:
        async with met.bob.live(met.game) as bob:
            bob.socket.transport.abort()
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        async with met.bob.live(met.game) as bob:
            assert bob.state == await met.bob.look(met.game)
            await bob.play(str(bob.position.legal_moves()[0]))


# Sockets and HTTP


async def by_socket(visitor: Visitor, game: str, t: str, **data: Any) -> Json:
    async with visitor.live(game) as live:
        return await live.act(t, **data)


async def over_http(visitor: Visitor, game: str, t: str, **data: Any) -> Json:
    body: Json = (await visitor.act(game, t, **data)).json()
    return body


SCRIPT: list[tuple[str, str, Json]] = [
    ("ann", "move", {"move": "A"}),
    ("ann", "begin", {"first": 2}),
    ("ann", "begin", {"first": 1}),
    ("bob", "begin", {"first": 0}),
    ("ann", "move", {"move": "A"}),
    ("bob", "rematch", {}),
    ("bob", "undo", {}),
    ("bob", "move", {"move": "A", "id": "x"}),
    ("bob", "move", {"move": "A", "id": "x"}),
    ("bob", "undo", {}),
    ("bob", "undo", {}),
    ("ann", "decline", {}),
    ("bob", "accept", {}),
    ("bob", "undo", {}),
    ("ann", "accept", {}),
    ("bob", "flag", {}),
    ("ann", "claim", {}),
    ("bob", "move", {"move": "A"}),
    ("bob", "move", {"move": "Lz9"}),
    ("ann", "move", {"move": "A", "seq": 0}),
    ("ann", "move", {"move": "A"}),
    ("bob", "abort", {}),
    ("ann", "resign", {}),
    ("bob", "resign", {}),
    ("bob", "rematch", {"circle": "same"}),
    ("ann", "rematch", {}),
]


@asynchronous
async def test_an_action_does_the_same_by_socket_and_over_http(database: str) -> None:
    async with serving(database, EnginePool(0)) as address:
        answers_by_way: list[list[Json]] = []
        games: list[Json] = []
        for way in (by_socket, over_http):
            async with Visitor(address) as ann, Visitor(address) as bob:
                game = (await ann.open(seed=3, first="needle"))["table"]["id"]
                await bob.join(game)
                people = {"ann": ann, "bob": bob}
                answers_by_way.append(
                    [
                        await way(people[who], game, t, **({"id": str(number)} | data))
                        for number, (who, t, data) in enumerate(SCRIPT)
                    ]
                )
                games.append(await ann.look(game))
        for answer in (answer for answers in answers_by_way for answer in answers):
            if answer.get("state"):
                answer["state"]["table"] = None
            if answer.get("code") == "malformed":
                answer["id"] = answer["detail"] = None
        for one, other in zip(*answers_by_way, strict=True):
            assert one == other
        assert games[0]["moves"] == games[1]["moves"]
        assert games[0]["position"] == games[1]["position"]
        assert [answer["t"] for answer in answers_by_way[0]].count("ack") == 12
