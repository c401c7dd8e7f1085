"""Opening games and rematches."""

from typing import Any

import pytest

from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, REVISED
from patchwork.server import wire
from patchwork.server.game import actions
from patchwork.server.game.events import Kind
from patchwork.server.game.match import Match, Occupant
from patchwork.server.game.terms import DAY, FIRST_MOVE, SECOND, Clock, Opponent
from patchwork.server.store import StoredGame
from patchwork.server.tables.opening import new_game, next_game
from server.support.matches import ANN, BOB, COMPUTER, FRIEND, NOW, SCREEN, do


def open_game(opponent: Opponent = FRIEND, **requested: Any) -> StoredGame:
    return new_game(wire.NewTable(opponent=opponent, **requested), ANN, NOW)


def match_of(game: StoredGame) -> Match:
    return Match(game.terms, game.events)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("level", [1, 8])
def test_the_computer_takes_the_other_seat(seat: int, level: int) -> None:
    game = open_game(COMPUTER, seat=seat, level=level, name="Ann", first=1)
    match = match_of(game)
    assert (game.terms.computer, game.terms.level) == (1 - seat, level)
    assert match.seats[seat] == Occupant(ANN, "Ann")
    assert match.seats_of(ANN) == [seat]
    assert match.seats_of(None) == []
    assert match.turn == 1
    assert match.computer_decides == (seat == 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_on_a_shared_screen_both_seats_are_taken(seat: int) -> None:
    game = open_game(SCREEN, seat=seat, name="Ann", other_name="Bob", level=7)
    match = match_of(game)
    assert match.seats_of(ANN) == [0, 1]
    assert match.seats[seat] == Occupant(ANN, "Ann")
    assert match.seats[1 - seat] == Occupant(ANN, "Bob")
    assert (game.terms.computer, game.terms.level) == (None, None)
    assert match.running


@pytest.mark.parametrize("seat", [0, 1])
def test_with_a_friend_the_other_seat_is_free(seat: int) -> None:
    match = match_of(open_game(seat=seat, other_name="nobody"))
    assert match.seats[1 - seat] is None
    assert match.game is None
    event = match.join(BOB, "Bob", NOW + 1)
    assert (event.kind, event.seat, event.data, event.player) == (Kind.JOIN, 1 - seat, "Bob", BOB)


def test_the_log_of_a_new_game_holds_its_players() -> None:
    game = open_game(SCREEN)
    assert [event.seq for event in game.events] == [1, 2]
    assert {event.at for event in game.events} == {game.created} == {NOW}
    assert game.rematch_of is None


def test_a_new_game_has_the_requested_terms() -> None:
    game = open_game(seed=5, edition="revised", first=1)
    assert game.terms.circle == Setup.random(5).circle
    assert game.terms.edition is REVISED
    assert open_game().terms.edition is CLASSIC
    assert game.terms.first == 1
    assert open_game(first="needle").terms.first is None


def test_random_seats_and_first_players_vary() -> None:
    games = [open_game(first="random", seat="random") for _ in range(100)]
    assert {game.terms.first for game in games} == {0, 1}
    assert {match_of(game).seats_of(ANN)[0] for game in games} == {0, 1}
    assert len({game.terms.circle for game in games}) == 100


def test_game_ids_are_unique_and_easy_to_read() -> None:
    ids = [open_game(seed=1).id for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(len(game) == 12 and game.isalnum() and game == game.lower() for game in ids)
    assert not set("".join(ids)) & set("01lo")


@pytest.mark.parametrize(
    ("requested", "clock"),
    [
        (None, None),
        ({"minutes": 0.25}, Clock(15 * SECOND)),
        ({"minutes": 5, "increment": 3}, Clock(300 * SECOND, 3 * SECOND)),
        ({"minutes": 0.251}, Clock(15 * SECOND)),
        ({"minutes": 1 / 3}, Clock(20 * SECOND)),
        ({"minutes": 180, "increment": 180}, Clock(10800 * SECOND, 180 * SECOND)),
        ({"days": 14}, Clock(14 * DAY, renewed=True)),
    ],
)
def test_requested_clocks_are_exact(
    requested: dict[str, float] | None, clock: Clock | None
) -> None:
    agreed = open_game(clock=requested).terms.clock
    assert agreed == clock
    if agreed is not None:
        assert Clock.parse(str(agreed)) == agreed


@pytest.mark.parametrize("text", ["", "d", "3", "+", "3+", "+3", "-1+0", "3d+1", "1.5+0", "٣d"])
def test_invalid_clock_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a clock"):
        Clock.parse(text)


@pytest.mark.parametrize("opponent", Opponent)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("circle", ["same", "new"])
def test_a_rematch_swaps_seats(opponent: Opponent, seat: int, first: int, circle: str) -> None:
    clock = {"minutes": 5, "increment": 3}
    game = open_game(opponent, seat=seat, first=first, name="Ann", other_name="Bo", clock=clock)
    match = match_of(game)
    if opponent is FRIEND:
        match.apply(match.join(BOB, "Bob", NOW))
    do(match, actions.Resign)
    following = next_game(game.id, match, circle, NOW + DAY)
    again = match_of(following)
    assert following.rematch_of == game.id != following.id
    assert following.created == NOW + DAY
    assert again.seats == match.seats[::-1]
    assert again.first == again.turn == first
    assert (again.terms.circle == game.terms.circle) == (circle == "same")
    assert again.terms.computer == (seat if opponent is COMPUTER else None)
    assert again.terms.level == game.terms.level
    assert again.terms.clock == game.terms.clock
    assert again.terms.edition == game.terms.edition
    allowed = FIRST_MOVE if opponent is FRIEND else 300 * SECOND
    assert again.deadline == NOW + DAY + allowed
    assert [event.kind for event in following.events] == [Kind.JOIN] * len(following.events)
    assert [event.seq for event in following.events] == list(range(1, again.seq + 1))


def test_a_rematch_asks_who_begins_only_if_it_was_never_chosen() -> None:
    match = match_of(open_game(SCREEN, first="needle"))
    do(match, actions.Abort)
    assert next_game("g", match, "same", NOW).terms.first is None
    match = match_of(open_game(SCREEN, first="needle"))
    do(match, actions.ChooseFirst, first=1)
    do(match, actions.Resign)
    assert next_game("g", match, "same", NOW).terms.first == 1
