"""The life of a table: opening, joining, playing, ending and rematches."""

import asyncio
from typing import Any

import pytest

import patchwork as pw
from patchwork.server.engines.pool import EnginePool
from patchwork.server.tables import registry
from server.support.fake_time import asynchronous
from server.support.friends import at, eventually, friends, measured, refusal, until
from server.support.live_server import Json, Visitor, serving

# Opening and joining

OPENINGS: dict[str, tuple[Json, Json, Json]] = {
    "computer": (
        {"opponent": "computer", "level": 7, "seat": 1, "first": 1, "seed": 5, "name": " Zoë "},
        {"opponent": "computer", "level": 7, "edition": "classic", "clock": None},
        {"first": 1, "names": ["", "Zoë"], "taken": [True, True], "computer": [True, False]},
    ),
    "screen": (
        {"opponent": "screen", "seat": 1, "name": "Ann", "other_name": "Bob", "seed": 5}
        | {"edition": "revised", "clock": {"minutes": 2.5, "increment": 3}},
        {"opponent": "screen", "level": None, "edition": "revised"}
        | {"clock": {"minutes": 2.5, "increment": 3, "days": None}},
        {"first": 0, "names": ["Bob", "Ann"], "taken": [True, True], "computer": [False, False]},
    ),
    "friend": (
        {"opponent": "friend", "first": "needle", "seed": 5, "clock": {"days": 3}},
        {"opponent": "friend", "level": None, "edition": "classic"}
        | {"clock": {"minutes": None, "increment": 0, "days": 3}},
        {"first": None, "names": ["", ""], "taken": [True, False], "computer": [False, False]},
    ),
}


@pytest.mark.parametrize("kind", OPENINGS)
@asynchronous
async def test_a_new_table_has_the_requested_terms(database: str, kind: str) -> None:
    asked, table, status = OPENINGS[kind]
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        state = await ann.open(**asked)
        assert len(state["table"]["id"]) == 12
        assert state["table"]["circle"] == list(pw.Setup.random(5).circle)
        assert {name: state["table"][name] for name in table} == table
        seats = state["status"]["seats"]
        assert {
            "first": state["status"]["first"],
            "names": [seat["name"] for seat in seats],
            "taken": [seat["taken"] for seat in seats],
            "computer": [seat["computer"] for seat in seats],
        } == status
        assert state["you"] == ([0, 1] if kind == "screen" else [asked.get("seat", 0)])
        assert (state["position"] is None) == (kind == "friend")
        again = await ann.look(state["table"]["id"])
    async with serving(database, EnginePool(0)) as address, at(ann, address) as ann:
        after = await ann.look(state["table"]["id"])
    for other in (again, after):
        if other["status"]["clocks"]:
            other["status"]["clocks"]["left"] = state["status"]["clocks"]["left"]
        assert other == state


@asynchronous
async def test_random_seats_first_players_and_circles_vary(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        states = [await ann.open("screen", first="random") for _ in range(20)]
        states += [await ann.open("friend", seat="random") for _ in range(20)]
        assert {state["status"]["first"] for state in states[:20]} == {0, 1}
        assert {tuple(state["you"]) for state in states[20:]} == {(0,), (1,)}
        assert len({tuple(state["table"]["circle"]) for state in states}) == 40
        assert len({state["table"]["id"] for state in states}) == 40


@asynchronous
async def test_invalid_terms_are_refused(sqlite_database: str) -> None:
    wrong: list[Json] = [
        {},
        {"opponent": "dog"},
        {"opponent": "computer", "level": 9},
        {"opponent": "computer", "level": 0},
        {"opponent": "friend", "seat": 2},
        {"opponent": "friend", "first": "me"},
        {"opponent": "friend", "edition": "third"},
        {"opponent": "friend", "seed": -1},
        {"opponent": "friend", "seed": 2**53},
        {"opponent": "friend", "name": "x" * 41},
        {"opponent": "friend", "name": 5},
        {"opponent": "friend", "clock": {}},
        {"opponent": "friend", "clock": {"minutes": 5, "days": 1}},
        {"opponent": "friend", "clock": {"days": 1, "increment": 1}},
        {"opponent": "friend", "clock": {"minutes": 0}},
        {"opponent": "friend", "beast": True},
    ]
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for body in wrong:
            refusal(await ann.http.post("/api/tables", json=body), 422, "malformed")
        assert (await ann.http.get("/api/me/games")).json()["games"] == []


@asynchronous
async def test_names_are_cleaned_and_the_computers_are_reserved(
    sqlite_database: str,
) -> None:
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        game = (await ann.open(name=" Zoe\u0308\u202e\nof  Ulm\u200b "))["table"]["id"]
        assert (await ann.look(game))["status"]["seats"][0]["name"] == "Zoë of Ulm"
        answer = await bob.http.post(f"/api/tables/{game}/join", json={"name": "L\u0435vel 8"})
        refusal(answer, 422, "reserved-name")
        body = {"opponent": "screen", "other_name": "Computer"}
        refusal(await ann.http.post("/api/tables", json=body), 422, "reserved-name")
        assert (await bob.join(game, "\u3164"))["status"]["seats"][1]["name"] == ""


@asynchronous
async def test_only_the_first_to_join_gets_the_free_seat(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        for _ in range(3):
            game = (await ann.open())["table"]["id"]
            guests = [Visitor(address) for _ in range(3)]
            answers = await asyncio.gather(
                *(guest.http.post(f"/api/tables/{game}/join", json={}) for guest in guests)
            )
            assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
            for guest, answer in zip(guests, answers, strict=True):
                if answer.status_code == 200:
                    assert answer.json()["you"] == [1]
                    assert (await guest.join(game, "Another name"))["you"] == [1]
                else:
                    refusal(answer, 409, "seats-taken")
                    assert (await guest.look(game))["you"] == []
                await guest.http.aclose()
            state = await ann.join(game)
            assert (state["you"], state["status"]["seq"]) == ([0], 2)
            assert state["status"]["seats"][1]["name"] == ""


@asynchronous
async def test_joining_a_full_or_finished_table_is_refused(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        for opponent in ("computer", "screen"):
            game = (await ann.open(opponent))["table"]["id"]
            answer = await bob.http.post(f"/api/tables/{game}/join", json={})
            refusal(answer, 409, "seats-taken")
        game = (await ann.open("friend"))["table"]["id"]
        assert (await ann.act(game, "abort")).is_success
        refusal(await bob.http.post(f"/api/tables/{game}/join", json={}), 409, "over")


@asynchronous
async def test_spectators_see_everything_and_may_not_act(database: str) -> None:
    async with friends(database) as met, Visitor(met.address) as eve:
        await eve.http.post("/api/me")
        async with eve.live(met.game) as watching, met.ann.live(met.game) as playing:
            assert watching.state["you"] == []
            assert watching.state["position"]["offers"]
            for t, data in ACTIONS.items():
                assert (await watching.act(t, **data))["code"] == "not-seated"
                refusal(await eve.act(met.game, t, **data), 403, "not-seated")
            await playing.play("A")
            event = await watching.receive("event")
            assert (event["event"]["kind"], event["event"]["seat"]) == ("move", 0)
        async with Visitor(met.address) as stranger, stranger.live(met.game) as live:
            assert (await live.act("move", move="A"))["code"] == "not-seated"
        assert (await eve.look(met.game))["status"]["seq"] == 3


ACTIONS: dict[str, Json] = {
    "move": {"move": "A"},
    "begin": {"first": 1},
    "undo": {},
    "accept": {},
    "decline": {},
    "resign": {},
    "abort": {},
    "claim": {},
    "flag": {},
    "rematch": {},
}

# Undo


@asynchronous
async def test_undo_on_a_shared_screen_takes_back_the_last_move(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        opened = await ann.open("screen", seed=3)
        game = opened["table"]["id"]
        refusal(await ann.act(game, "undo"), 409, "nothing-to-undo")
        async with ann.live(game) as live:
            await live.play("A")
            assert live.state["position"]["turn"] == 1
            between = live.state["position"]
            await live.play(str(live.position.legal_moves()[1]))
            assert (await live.act("undo"))["t"] == "ack"
            assert live.state["position"] == between
            assert (await live.act("undo"))["t"] == "ack"
            assert live.state["position"] == opened["position"]
            assert live.events[-1]["event"] | {"at": 0} == {
                "seq": 6,
                "kind": "takeback",
                "seat": 0,
                "at": 0,
                "data": "0",
            }
            assert (await live.act("undo"))["code"] == "nothing-to-undo"
            assert (await ann.look(game))["moves"] == []


@asynchronous
async def test_undo_against_a_friend_needs_their_consent(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        start = ann.state["position"]
        assert (await ann.act("undo"))["code"] == "nothing-to-undo"
        await ann.play("A")
        await until(bob, ann.seq)
        assert (await bob.act("accept"))["code"] == "not-asked"
        assert (await bob.act("undo"))["code"] == "nothing-to-undo"
        assert (await ann.act("undo"))["t"] == "ack"
        assert (await until(bob, 4))["status"]["asking"] == 0
        assert bob.events[-1]["position"] is None
        assert (await ann.act("undo"))["code"] == "already-asked"
        assert (await ann.act("accept"))["code"] == "not-asked"
        assert (await bob.act("decline"))["t"] == "ack"
        assert (await until(ann, 5))["status"]["asking"] is None
        assert ann.state["position"] == bob.state["position"] != start
        assert (await ann.act("undo"))["t"] == "ack"
        await until(bob, 6)
        assert (await bob.act("accept"))["t"] == "ack"
        assert (await until(ann, 7))["position"] == start == bob.state["position"]
        assert ann.state["status"]["asking"] is None
        await ann.play("A")
        assert (await ann.act("undo"))["t"] == "ack"
        await until(bob, 9)
        await bob.play(str(bob.position.legal_moves()[0]))
        assert bob.state["status"]["asking"] is None, "a move answers the request"


@asynchronous
async def test_undo_after_the_end_is_refused(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        await ann.play("A")
        assert (await ann.act("undo"))["t"] == "ack"
        await until(bob, ann.seq)
        assert (await bob.act("resign"))["t"] == "ack"
        await until(ann, bob.seq)
        assert (await bob.act("accept"))["code"] == "over"
        assert (await ann.act("undo"))["code"] == "over"
        assert ann.state["status"]["asking"] is None


# Who begins


@pytest.mark.parametrize("chooser", ["ann", "bob"])
@asynchronous
async def test_either_player_may_choose_who_begins(database: str, chooser: str) -> None:
    async with (
        friends(database, {"first": "needle"}) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        assert ann.state["position"] is None
        assert (await ann.act("move", move="A"))["code"] == "not-begun"
        asked = ann if chooser == "ann" else bob
        assert (await asked.act("begin", first=1))["t"] == "ack"
        for live in (ann, bob):
            await until(live, 3)
            assert live.state["status"]["first"] == live.state["position"]["turn"] == 1
        assert (await ann.act("begin", first=0))["code"] == "already-begun"
        await bob.play("A")


@asynchronous
async def test_who_begins_may_be_chosen_before_the_friend_joins(database: str) -> None:
    async with (
        serving(database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        game = (await ann.open(first="needle"))["table"]["id"]
        assert (await ann.act(game, "begin", first=1)).is_success
        state = await bob.join(game)
        assert state["status"]["first"] == state["position"]["turn"] == 1


# Endings


@asynchronous
async def test_resigning_ends_the_game(database: str) -> None:
    async with friends(database) as met, met.bob.live(met.game) as bob:
        assert (await bob.act("resign"))["t"] == "ack"
        ending = bob.state["status"]["ending"]
        assert (ending["reason"], ending["winner"]) == ("resigned", 0)
        assert bob.state["position"]["offers"] == []
        for t, data in ACTIONS.items():
            if t != "rematch":
                assert (await bob.act(t, **data))["code"] == "over"
                refusal(await met.ann.act(met.game, t, **data), 409, "over")
        assert (await met.ann.look(met.game))["status"]["seq"] == 3


@asynchronous
async def test_on_a_shared_screen_the_seat_to_move_resigns(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        game = (await ann.open("screen", first=1))["table"]["id"]
        assert (await ann.act(game, "resign")).is_success
        assert (await ann.look(game))["status"]["ending"]["winner"] == 0


@asynchronous
async def test_a_game_can_be_aborted_until_both_have_moved(database: str) -> None:
    async with friends(database) as met:
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        other = (await met.ann.open())["table"]["id"]
        assert (await met.ann.act(other, "abort")).is_success
        async with met.bob.live(met.game) as bob:
            await bob.play(str(bob.position.legal_moves()[0]))
            assert (await bob.act("abort"))["code"] == "too-late-to-abort"
        third = (await met.ann.open())["table"]["id"]
        await met.bob.join(third)
        assert (await met.ann.act(third, "move", move="A")).is_success
        assert (await met.bob.act(third, "abort")).is_success
        for game in (other, third):
            ending = (await met.bob.look(game))["status"]["ending"]
            assert (ending["reason"], ending["winner"]) == ("aborted", None)


# Rematches


@asynchronous
async def test_a_rematch_opens_when_both_friends_ask_for_it(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        assert (await ann.act("rematch"))["code"] == "not-over"
        assert (await ann.act("resign"))["t"] == "ack"
        assert (await ann.act("rematch", circle="same"))["t"] == "ack"
        assert (await ann.act("rematch"))["code"] == "already-asked"
        assert (await until(bob, 4))["status"]["rematch"] == [0]
        assert (await bob.act("rematch"))["t"] == "ack"
        following = (await until(ann, 5))["status"]["next"]
        assert bob.state["status"]["next"] == following
        state = await met.ann.look(following)
        assert state["you"] == [1]
        assert [seat["name"] for seat in state["status"]["seats"]] == ["Bob", "Ann"]
        assert state["table"]["circle"] == ann.state["table"]["circle"]
        assert state["status"]["first"] == 0
        stale = await ann.act("rematch")
        assert (stale["code"], stale["state"]["status"]["next"]) == ("stale", following)
        assert (await met.bob.act(following, "move", move="A")).is_success
        listed = (await met.ann.http.get("/api/me/games")).json()["games"]
        assert [(game["id"], game["you"]) for game in listed] == [(following, [1]), (met.game, [0])]


@asynchronous
async def test_simultaneous_rematch_requests_open_one_game(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        assert (await ann.act("resign"))["t"] == "ack"
        await until(bob, ann.seq)
        answers = await asyncio.gather(ann.act("rematch"), bob.act("rematch"))
        assert [answer["t"] for answer in answers] == ["ack", "ack"]
        assert len({(await until(live, 5))["status"]["next"] for live in (ann, bob)}) == 1


@pytest.mark.parametrize("opponent", ["computer", "screen"])
@asynchronous
async def test_a_rematch_without_a_friend_opens_at_once(database: str, opponent: str) -> None:
    async with serving(database) as address, Visitor(address) as ann:
        opened = await ann.open(opponent, level=2, seed=4, name="Ann", other_name="Bob")
        game = opened["table"]["id"]
        assert (await ann.act(game, "resign")).is_success
        assert (await ann.act(game, "rematch", circle="same")).is_success
        state = await ann.look((await ann.look(game))["status"]["next"])
        assert state["table"]["circle"] == opened["table"]["circle"]
        assert state["table"]["level"] == opened["table"]["level"]
        if opponent == "screen":
            assert [seat["name"] for seat in state["status"]["seats"]] == ["Bob", "Ann"]
            return
        assert [seat["computer"] for seat in state["status"]["seats"]] == [True, False]
        assert state["you"] == [1]
        async with ann.live(state["table"]["id"]) as live:
            await until(live, 2)
            assert live.state["position"]["players"][0]["time"] > 0, "the computer begins"


# Memory


@asynchronous
async def test_unused_tables_are_dropped_from_memory(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_ROUND_SECONDS", 0.05)
    monkeypatch.setattr(registry, "_KEPT", 0)

    async def wait_for_tables(visitor: Visitor, count: int) -> None:
        async def as_many_tables() -> bool:
            return await measured(visitor, "tables") == count

        await eventually(as_many_tables)

    async with friends(database) as met:
        async with met.ann.live(met.game) as ann:
            await met.ann.open()
            await wait_for_tables(met.ann, 1)
            await ann.play("A")
        await wait_for_tables(met.ann, 0)
        async with met.bob.live(met.game) as bob:
            assert bob.state["moves"] == [[0, "A"]]
            await bob.play(str(bob.position.legal_moves()[0]))


@pytest.mark.parametrize(
    "name", ["x", "zzzzzzzzzzzz", "%00", "%00zzzzzzzzzzz", "%F0%9F%A7%B5", "a" * 999]
)
@asynchronous
async def test_unknown_table_ids_are_not_found(database: str, name: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        path = f"/api/tables/{name}"
        action: dict[str, Any] = {"t": "undo", "id": "1", "seq": 0}
        for answer in (
            await ann.http.get(path),
            await ann.http.get(f"{path}/events"),
            await ann.http.get(f"{path}/record"),
            await ann.http.get(f"{path}/picture"),
            await ann.http.get(f"{path}/analysis?ply=0"),
            await ann.http.post(f"{path}/join", json={}),
            await ann.http.post(f"{path}/actions", json=action),
            await ann.http.post(f"{path}/hint", json={"t": "hint", "id": "1"}),
            await ann.http.get(f"/tables/{name}"),
        ):
            refusal(answer, 404, "no-such-table")
