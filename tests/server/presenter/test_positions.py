"""Position views offer exactly the legal moves, and fit into messages."""

from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from patchwork.notation.moves import format_cell, parse_move
from patchwork.rules.game import Game, Layout
from patchwork.rules.moves import ADVANCE, Buy, IllegalMove, Move, Reason
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.quilt import FULL, SIDE
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS, Edition, income_lines
from patchwork.server import presenter, wire
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.terms import DAY, Clock
from patchwork.server.presenter import position_view
from server.support.matches import ANN, FRIEND, NOW, decide, seated, terms

STATE_BYTES, UPDATE_BYTES = 16 * 1024, 8 * 1024
LONGEST_NAME = "\N{SPOOL OF THREAD}" * 40


def random_kind_first(random: Random, moves: list[Move]) -> Move:
    """Chooses the kind of move first, so that advances are not too rare among purchases."""
    kind = random.choice(sorted({type(move) for move in moves}, key=str))
    return random.choice([move for move in moves if type(move) is kind])


def fill_from_the_top(random: Random, moves: list[Move]) -> Move:
    """Fills the quilt from the top, so that 7 x 7 squares and full quilts occur."""
    purchases = [move for move in moves if isinstance(move, Buy)]
    if not purchases or random.random() < 0.05:
        return moves[0]
    return min(purchases, key=lambda buy: (buy.cells.bit_length(), -buy.cells.bit_count()))


@cache
def games(edition: Edition) -> tuple[Game, ...]:
    played = []
    for seed in range(28):
        game, random = Game(Setup.random(seed, edition, seed % 2)), Random(seed)
        policy = (random_kind_first, fill_from_the_top, fill_from_the_top, fill_from_the_top)[
            seed % 4
        ]
        while moves := game.position.legal_moves():
            game.push(policy(random, moves))
        played.append(game)
    return tuple(played)


def marked_cells(places: str | None) -> list[int]:
    return [cell for cell, mark in enumerate(places or "") if mark == "1"]


def covered(rows: list[str], corner: int) -> int:
    """Returns the spaces a client would draw: the rows with their top-left corner on a space."""
    return sum(
        1 << (corner + SIDE * row + column)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if mark == "#"
    )


def check_effect(position: Position, move: Move, effect: wire.Effect) -> Position:
    seat, after = position.turn, position.play(move)
    before, player = position.players[seat], after.players[seat]
    paid = -PATCHES[move.patch].cost if isinstance(move, Buy) else player.time - before.time
    tile = 7 if after.tile == seat and position.tile != seat else 0
    assert effect == wire.Effect(
        space=player.time,
        income=player.buttons - before.buttons - paid,
        buttons=player.buttons,
        leather=after.phase is Phase.LEATHER,
        next=None if after.phase is Phase.OVER else after.turn,
        score=after.scores[seat] - tile,
    )
    return after


def check_choices(position: Position, view: wire.PositionView, seen: Counter[str]) -> None:
    """Plays every move a view offers, and compares the results with the rules."""
    expected = position.legal_moves()
    offered: list[Move] = []
    if position.phase is Phase.TURN:
        assert view.advance is not None
        check_effect(position, ADVANCE, view.advance)
        offered.append(ADVANCE)
    else:
        assert (view.advance, view.offers) == (None, [])
    for offer in view.offers:
        if offer.refused is not None:
            assert (offer.effect, offer.orientations) == (None, [])
            seen[offer.refused] += 1
            with pytest.raises(IllegalMove) as refused:
                position.play(Buy(offer.patch, FULL))
            assert (refused.value.reason is Reason.CANNOT_AFFORD) == (
                offer.refused is Reason.CANNOT_AFFORD
            )
            continue
        assert offer.effect is not None
        assert offer.orientations
        for orientation in offer.orientations:
            corners, winning = marked_cells(orientation.places), marked_cells(orientation.tile)
            assert corners
            assert orientation.tile is None or winning
            assert set(winning) <= set(corners)
            for corner in corners:
                move = Buy(offer.patch, covered(orientation.rows, corner))
                text = f"{offer.patch}{orientation.letter}{format_cell(corner)}"
                assert str(move) == text
                offered.append(move)
                after = check_effect(position, move, offer.effect)
                won = position.tile is None and after.tile is not None
                assert won == (corner in winning)
                seen["patch wins the tile"] += won
    choice = view.leather_choice
    assert (choice is not None) == (position.phase is Phase.LEATHER)
    if choice is not None:
        winning = marked_cells(choice.tile)
        assert choice.tile is None or winning
        for cell in marked_cells(choice.places):
            offered.append(parse_move(position, f"L{format_cell(cell)}"))
            after = position.play(offered[-1])
            assert choice.next == after.turn
            assert after.phase is Phase.TURN
            won = position.tile is None and after.tile is not None
            assert won == (cell in winning)
            seen["leather wins the tile"] += won
    assert len(offered) == len(expected)
    assert set(offered) == set(expected)
    seen["positions"] += 1
    seen["moves"] += len(offered)


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_a_view_offers_exactly_the_legal_moves_and_their_effects(edition: Edition) -> None:
    seen: Counter[str] = Counter()
    for game in games(edition)[:6]:
        replayed = Game(game.setup)
        for move in (*game.moves, None):
            view = position_view(replayed)
            check_choices(replayed.position, view, seen)
            if move is not None:
                replayed.push(move)
    assert seen["positions"] > 200
    assert min(seen[reason] for reason in (Reason.CANNOT_AFFORD, Reason.OVERLAPS)) > 0
    assert seen["patch wins the tile"] > 0


def one_space_missing() -> Game:
    """Seat 0 has taken a leather patch and lacks one space of a 7 x 7 square."""
    square = covered(["#" * 7] * 7, 0)
    filled = square & ~(1 << 24)
    position = Setup.random(1).start()
    crossed = replace(
        position,
        phase=Phase.LEATHER,
        players=(Player(filled, 3, 4, 21), Player(0, 5, 0, 19)),
        leather=position.leather[1:],
    )
    return FixedGame(crossed, ((), ()))


class FixedGame(Game):
    """A game with a given position, which its moves need not reach."""

    def __init__(self, position: Position, layouts: tuple[Layout, Layout]) -> None:
        super().__init__(Setup.random(1))
        self._fixed = position
        self._layouts = layouts

    @property
    def position(self) -> Position:
        return self._fixed

    def layout(self, seat: int) -> Layout:
        return self._layouts[seat]


def test_a_leather_patch_may_win_the_tile() -> None:
    game, seen = one_space_missing(), Counter[str]()
    view = position_view(game)
    check_choices(game.position, view, seen)
    assert seen["leather wins the tile"] == 1
    taken = position_view(FixedGame(replace(game.position, tile=1), ((), ()))).leather_choice
    assert taken is not None
    assert view.leather_choice == taken.model_copy(update={"tile": f"{1 << 24:081b}"[::-1]})
    assert taken.tile is None


def test_the_score_after_a_move_includes_a_tile_won_before() -> None:
    game = one_space_missing()
    position = replace(game.position, phase=Phase.TURN, tile=0, leather=game.position.leather)
    view = position_view(FixedGame(position, ((), ())))
    assert view.advance is not None
    assert view.advance.score == position.play(ADVANCE).scores[0]


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_a_view_describes_the_position(edition: Edition) -> None:
    for game in games(edition)[:8]:
        replayed = Game(game.setup)
        for move in (*game.moves, None):
            position, view = replayed.position, position_view(replayed)
            assert Position.parse(view.text) == position
            assert (view.turn, view.phase, view.tile) == (
                position.turn,
                position.phase,
                position.tile,
            )
            assert tuple(view.circle) == position.circle
            assert tuple(view.leather) == position.leather
            assert view.first_home == position.first_home
            for seat, player in enumerate(view.players):
                real = position.players[seat]
                assert (player.buttons, player.income, player.time) == (
                    real.buttons,
                    real.income,
                    real.time,
                )
                assert player.score == position.scores[seat]
                spaces = [space for _, placed in player.layout for space in placed]
                assert len(spaces) == len(set(spaces))
                assert sum(1 << space for space in spaces) == real.quilt
                for patch, placed in player.layout:
                    if patch is None:
                        assert len(placed) == 1
                    else:
                        assert sum(1 << space for space in placed) in PATCHES[patch].placements
            if move is not None:
                replayed.push(move)


def test_without_choices_or_after_the_end_no_moves_are_offered() -> None:
    view = position_view(Game(Setup.random(1)), choices=False)
    assert (view.advance, view.offers, view.leather_choice) == (None, [], None)
    assert position_view(one_space_missing(), choices=False).leather_choice is None
    over = position_view(games(EDITIONS[0])[0])
    assert over.phase is Phase.OVER
    assert (over.advance, over.offers, over.leather_choice) == (None, [], None)


def test_the_income_of_a_move_includes_the_buttons_on_the_patch() -> None:
    circle = (8, *(patch for patch in Setup.random(1).circle if patch != 8))
    view = position_view(Game(Setup(circle)))
    assert view.offers[0].patch == 8
    effect = view.offers[0].effect
    assert effect == wire.Effect(
        space=6, income=2, buttons=3, leather=False, next=1, score=3 - 2 * (81 - 4)
    )
    assert income_lines(0, 6) == 1


# Message sizes


def size(message: wire.Message) -> int:
    return len(message.model_dump_json().encode())


def with_longest_names(agreed_circle: tuple[int, ...] | None = None) -> Match:
    agreed = terms(FRIEND, clock=Clock(14 * DAY, renewed=True))
    if agreed_circle is not None:
        agreed = replace(agreed, circle=agreed_circle)
    match = seated(agreed)
    events = [replace(event, data=LONGEST_NAME) for event in match.events]
    return Match(agreed, events)


def message_sizes(match: Match) -> tuple[int, int]:
    state = presenter.state("m" * 12, NOW, match, ANN, NOW)
    update = presenter.happened(match, match.events[-1], NOW)
    return size(state), size(update)


def test_the_opening_with_the_most_moves_fits_into_messages() -> None:
    affordable = [patch for patch in PATCHES if patch.cost <= 5 and patch.id]
    widest = sorted(affordable, key=lambda patch: -len(patch.placements))[:3]
    offered = [patch.id for patch in widest]
    circle = (*offered, *(patch for patch in range(1, 33) if patch not in offered), 0)
    match = with_longest_names(circle)
    assert match.game is not None
    assert len(match.game.position.legal_moves()) == 1345
    state, update = message_sizes(match)
    assert state <= STATE_BYTES
    assert update <= UPDATE_BYTES


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_messages_of_whole_games_are_small(edition: Edition) -> None:
    largest_state = largest_update = 0
    for game in games(edition):
        match = with_longest_names(game.setup.circle)
        match = Match(replace(match.terms, edition=edition, first=game.setup.first), match.events)
        for number, move in enumerate(game.moves):
            turn = match.turn
            assert turn is not None
            match.apply(
                Event(match.seq + 1, Kind.MOVE, turn, NOW, str(move), clocks=(14 * DAY, 14 * DAY))
            )
            if number % 2:
                state, update = message_sizes(match)
                largest_state = max(largest_state, state)
                largest_update = max(largest_update, update)
    assert largest_state <= STATE_BYTES
    assert largest_update <= UPDATE_BYTES


def largest_view() -> tuple[Game, wire.PositionView]:
    """Returns a game and a view that are larger than any real ones.

    All leather and all patches but three are placed; yet every orientation of each of the three
    fits, and each of them wins the tile somewhere.
    """
    many = [patch.id for patch in PATCHES if len(patch.orientations) == 8]
    many.sort(key=lambda patch: -sum(map(len, PATCHES[patch].rows)))
    position = replace(
        Setup.random(1).start(),
        players=(Player(0, 151, 22, 41), Player(0, 151, 22, 42)),
        circle=tuple(many[:3]),
    )
    placed = [(patch.id, patch.placements[-1]) for patch in PATCHES if patch.id not in many[:3]]
    leather: list[tuple[int | None, int]] = [(None, 1 << cell) for cell in range(76, 81)]
    game = FixedGame(position, (tuple(placed[::2]), (*placed[1::2], *leather)))
    view = position_view(game)
    offers = [
        offer.model_copy(
            update={
                "orientations": [
                    orientation.model_copy(update={"tile": orientation.places})
                    for orientation in offer.orientations
                ]
            }
        )
        for offer in view.offers
    ]
    assert sum(len(offer.orientations) for offer in offers) == 24
    quilt = "/".join(["x1x1x1x1x"] * 9)
    text = view.text.replace("9/9/9/9/9/9/9/9/9", quilt)
    assert len(text) > len(view.text) + 100
    return game, view.model_copy(update={"offers": offers, "text": text})


def test_even_impossibly_large_positions_fit_into_messages() -> None:
    match = with_longest_names()
    decide(match)
    longest = max((*games(EDITIONS[0]), *games(EDITIONS[1])), key=lambda game: len(game.moves))
    moves = [(1, "32Hi9")] * (len(longest.moves) + 30)
    match.game, view = largest_view()
    state = presenter.state("m" * 12, NOW, match, ANN, NOW)
    state = state.model_copy(update={"moves": moves, "position": view})
    update = presenter.happened(match, match.events[-1], NOW)
    update = update.model_copy(update={"position": view})
    assert size(state) <= STATE_BYTES
    assert size(update) <= UPDATE_BYTES
