"""Plans agree with the rules: places, prices, and when a patch can be had."""

from dataclasses import replace
from random import Random

import pytest

from patchwork.notation.moves import format_cell, read_move
from patchwork.rules.game import Game
from patchwork.rules.moves import ADVANCE, Buy
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.quilt import CELLS, FULL
from patchwork.rules.setup import Setup
from patchwork.server import wire
from patchwork.server.presenter import plan

RICH = 1000


def middle_of_a_game(seed: int) -> Position:
    """Returns a position after some random moves in which a player advances or buys."""
    game, random = Game(Setup.random(seed)), Random(seed)
    while len(game.moves) < 6 + seed % 20 or game.position.phase is not Phase.TURN:
        moves = game.position.legal_moves()
        purchases = [move for move in moves if isinstance(move, Buy)]
        game.push(random.choice(purchases if purchases and random.random() < 0.6 else moves))
        if game.position.phase is Phase.OVER:
            game.pop()
            break
    return game.position


def as_if_to_move(position: Position, seat: int, patch: int, buttons: int) -> Position:
    """Returns the position with a patch on offer to a seat that has so many buttons."""
    players = list(position.players)
    players[seat] = replace(players[seat], buttons=buttons)
    circle = (patch, *(each for each in position.circle if each != patch))
    return replace(
        position,
        turn=seat,
        phase=Phase.TURN,
        players=(players[0], players[1]),
        circle=circle,
    )


def moves_in(answer: wire.Plan) -> set[str]:
    """Returns the purchases that a plan allows for the patch tried."""
    assert answer.tried is not None
    return {
        f"{answer.tried.patch}{orientation.letter}{format_cell(cell)}"
        for orientation in answer.orientations
        for cell, mark in enumerate(orientation.places)
        if mark == "1"
    }


@pytest.mark.parametrize("seed", range(12))
def test_places_are_the_legal_moves_on_the_quilt_thought_of(seed: int) -> None:
    position, random = middle_of_a_game(seed), Random(seed)
    for seat in (0, 1):
        future, kept = position, list[Buy]()
        for patch in random.sample(position.circle, 5):
            ready = as_if_to_move(future, seat, patch, RICH)
            legal = [
                move
                for move in ready.legal_moves()
                if isinstance(move, Buy) and move.patch == patch
            ]
            answer = plan(position, 7, seat, kept, patch)
            assert moves_in(answer) == {str(move) for move in legal}
            assert answer.tried is not None
            if not legal:
                assert answer.tried.refused == "overlaps"
                continue
            buy = random.choice(legal)
            after = ready.play(buy)
            gained = after.players[seat].buttons - RICH + PATCHES[patch].cost
            before = plan(position, 7, seat, kept, None).kept
            had = before[-1].buttons if before else position.players[seat].buttons
            assert answer.tried == wire.Idea(
                patch=patch,
                refused=None,
                purchases=answer.tried.purchases,
                after=answer.tried.after,
                short=max(0, PATCHES[patch].cost - had),
                space=after.players[seat].time,
                buttons=had - PATCHES[patch].cost + gained,
                income=gained,
                leather=after.phase is Phase.LEATHER,
            )
            kept.append(buy)
            assert plan(position, 7, seat, kept, None).kept[-1] == answer.tried
            future = after


@pytest.mark.parametrize("seed", range(6))
def test_a_patch_comes_on_offer_after_as_many_purchases_as_a_plan_says(seed: int) -> None:
    position = middle_of_a_game(seed)
    reached = {position.circle: 0}
    waiting, soonest = [position.circle], dict.fromkeys(position.circle[:3], 0)
    while len(soonest) < len(position.circle):
        circle = waiting.pop(0)
        for place in range(3):
            after = circle[place + 1 :] + circle[:place]
            if after not in reached:
                reached[after] = reached[circle] + 1
                waiting.append(after)
                for patch in after[:3]:
                    soonest.setdefault(patch, reached[after])
    for patch in position.circle:
        idea = plan(position, 1, position.turn, (), patch).tried
        assert idea is not None
        if idea.refused is not None:
            continue
        assert idea.purchases == soonest[patch]
        if idea.purchases != 1:
            assert idea.after == []
            continue
        rich = as_if_to_move(position, position.turn, position.circle[0], RICH)
        for bought in position.offer:
            fits = [m for m in rich.legal_moves() if isinstance(m, Buy) and m.patch == bought]
            assert not fits or (patch in rich.play(fits[0]).offer) == (bought in idea.after)


def test_what_will_never_be_possible_is_refused() -> None:
    start = Setup.random(1).start()
    first, second, *_, last = start.circle
    gone = replace(start, circle=start.circle[1:])
    assert refusals(gone, read(f"{first}Aa1")) == ["taken"]
    assert refusals(start, read(f"{first}Aa1"), read(f"{first}Ae5")) == [None, "taken"]
    covered = replace(start, players=(Player(quilt=FULL - 1), Player()))
    assert refusals(covered, read(f"{second}Aa1")) == ["overlaps"]
    answer = plan(covered, 1, 0, (), last)
    assert answer.tried is not None
    assert (answer.tried.refused, answer.orientations) == ("overlaps", [])
    home = replace(start, players=(Player(time=53), Player()))
    assert refusals(home, read(f"{first}Aa1")) == ["home"]
    answer = plan(home, 1, 0, (), last)
    assert answer.tried is not None
    assert (answer.tried.refused, answer.orientations) == ("home", [])


def test_what_is_impossible_does_not_hinder_what_follows() -> None:
    start = Setup.random(1).start()
    first, second, *_ = start.circle
    alone = plan(start, 1, 1, [read(f"{second}Aa1")], None)
    gone = plan(start, 1, 1, [read(f"{first}Aa1"), read(f"{second}Aa1")], None)
    assert gone.kept[1].refused == "overlaps"
    taken = replace(start, circle=start.circle[1:])
    assert plan(taken, 1, 1, [read(f"{first}Aa1"), read(f"{second}Aa1")], None).kept[1:] != []
    assert plan(taken, 1, 1, [read(f"{first}Aa1"), read(f"{second}Aa1")], None).kept[1].space == (
        alone.kept[0].space
    )


def test_planning_while_a_leather_patch_is_to_be_placed() -> None:
    start = Setup.random(1).start()
    position = replace(
        start.play(ADVANCE),
        turn=0,
        phase=Phase.LEATHER,
        players=(Player(quilt=1, time=20), Player(time=19)),
        leather=start.leather[1:],
    )
    for seat in (0, 1):
        answer = plan(position, 1, seat, (), position.circle[0])
        assert moves_in(answer)


def read(text: str) -> Buy:
    move = read_move(text)
    assert isinstance(move, Buy)
    return move


def refusals(position: Position, *kept: Buy) -> list[str | None]:
    return [idea.refused for idea in plan(position, 1, 0, kept, None).kept]


def test_places_win_the_tile_beside_what_is_kept() -> None:
    start = Setup.random(1).start()
    square = sum(1 << cell for cell in range(CELLS) if cell // 9 < 7 and cell % 9 < 7)
    gap = 0b11 << 59  # f7 and g7
    filled = replace(start, players=(Player(quilt=square & ~gap), Player()))
    answer = plan(filled, 1, 0, (), 0)
    assert any(orientation.tile for orientation in answer.orientations)
    won = plan(filled, 1, 0, [Buy(0, gap)], start.circle[0])
    assert not any(orientation.tile for orientation in won.orientations)
