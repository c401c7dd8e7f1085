"""``Game``: playing moves, taking them back, and where each patch is."""

from copy import deepcopy
from typing import Any

import pytest

import patchwork as pw
from patchwork.render import svg
from support.quilts import CIRCLE, LONGEST, lay, quilt

SETUP = pw.Setup((3, 20, 17, *(patch for patch in CIRCLE if patch not in (3, 20, 17))))


def advance_until_leather(game: pw.Game) -> None:
    """Plays only advances until a leather patch has to be placed."""
    while game.position.phase is pw.Phase.TURN:
        assert len(game.moves) < LONGEST
        game.push(pw.Advance())


def scripted() -> pw.Game:
    """Returns a game in which each seat has bought patches and placed a leather patch."""
    game = pw.Game(SETUP)
    game.push(lay(3))  # seat 0 to space 1, then by advances to the odd ones
    advance_until_leather(game)
    game.push(pw.Leather(80))  # seat 1 on space 20
    game.push(lay(20, 3, 3))  # seat 0 from 19 to 22
    game.push(lay(17, 8, 2))  # seat 1 from 20 to 21, then by advances to the odd ones
    advance_until_leather(game)
    game.push(pw.Leather(2))  # seat 0 on space 26
    return game


def test_a_new_game_stands_at_the_start() -> None:
    game = pw.Game(SETUP)
    assert game.setup is SETUP
    assert game.position == SETUP.start()
    assert game.moves == ()
    assert game.positions() == (SETUP.start(),)
    assert game.layout(0) == game.layout(1) == ()


def test_push_plays_a_move() -> None:
    game = pw.Game(SETUP)
    start = game.position
    game.push(lay(3))
    game.push(pw.Advance())
    first = start.play(lay(3))
    second = first.play(pw.Advance())
    assert game.position == second
    assert game.moves == (lay(3), pw.Advance())
    assert game.positions() == (start, first, second)


def test_pop_takes_moves_back_one_by_one() -> None:
    game = scripted()
    moves, positions = game.moves, game.positions()
    for count in range(len(moves), 0, -1):
        assert game.pop() == moves[count - 1]
        assert game.moves == moves[: count - 1]
        assert game.positions() == positions[:count]
        assert game.position == positions[count - 1]
    with pytest.raises(IndexError):
        game.pop()
    assert game.positions() == (SETUP.start(),)


def test_after_pop_another_move_may_be_played() -> None:
    game = pw.Game(SETUP)
    game.push(lay(3))
    assert game.pop() == lay(3)
    game.push(pw.Advance())
    assert game.moves == (pw.Advance(),)
    assert game.position == SETUP.start().play(pw.Advance())
    assert game.layout(0) == ()


def test_a_refused_move_leaves_the_game_as_it_was() -> None:
    game = pw.Game(SETUP)
    game.push(lay(3))
    before = (game.moves, game.positions())
    with pytest.raises(pw.IllegalMove):
        game.push(pw.Leather(4))
    assert (game.moves, game.positions()) == before


def test_values_read_earlier_do_not_change_with_the_game() -> None:
    game = pw.Game(SETUP)
    moves, positions, position = game.moves, game.positions(), game.position
    game.push(lay(3))
    assert (moves, positions) == ((), (SETUP.start(),))
    assert position == SETUP.start()


def test_layout_lists_patches_and_leather_of_each_seat_in_the_order_placed() -> None:
    game = scripted()
    board_0 = """
        aac......
        a........
        .........
        ....b....
        ...bbbb..
        ....b....
    """
    board_1 = """
        .........
        .........
        .........
        .........
        .........
        .........
        .........
        .........
        ..aaaaa.b
    """
    assert game.layout(0) == (
        (3, quilt(board_0, "a")),
        (20, quilt(board_0, "b")),
        (None, quilt(board_0, "c")),
    )
    assert game.layout(1) == ((None, quilt(board_1, "b")), (17, quilt(board_1, "a")))
    for seat in (0, 1):
        assert game.position.players[seat].quilt == sum(cells for _, cells in game.layout(seat))


def test_layout_follows_the_seat_that_begins() -> None:
    game = pw.Game(pw.Setup(SETUP.circle, first=1))
    game.push(lay(3))
    assert game.layout(0) == ()
    assert game.layout(1) == ((3, lay(3).cells),)


@pytest.mark.parametrize("seat", [2, -1, None])
def test_layout_refuses_what_is_not_a_seat(seat: Any) -> None:
    with pytest.raises(ValueError, match=f"^seat is {seat}; the seats are 0 and 1$"):
        pw.Game(SETUP).layout(seat)


def test_games_are_equal_if_setup_and_moves_are() -> None:
    game = scripted()
    again = deepcopy(game)
    assert game == again
    again.pop()
    assert game != again
    assert pw.Game(SETUP) != pw.Game(pw.Setup(SETUP.circle, first=1))
    assert pw.Game(SETUP) != SETUP
    with pytest.raises(TypeError):
        hash(game)


def test_the_repr_of_a_game_names_its_setup_and_counts_its_moves() -> None:
    game = pw.Game(SETUP)
    game.push(pw.Advance())
    assert repr(game) == f"<Game from {SETUP!r}, moves played: 1>"


def test_only_a_game_knows_which_patch_lies_where() -> None:
    # Patches 1 and 3 have the same shape, so the positions are equal but the drawings are not.
    setup = pw.Setup((3, 1, 2, *range(4, 33), 0))
    games = [pw.Game(setup), pw.Game(setup)]
    for game, rows in zip(games, ((0, 4), (4, 0)), strict=True):
        game.push(lay(3, rows[0]))
        game.push(pw.Advance())
        game.push(lay(1, rows[1]))
    assert games[0].position == games[1].position
    assert games[0].position._repr_svg_() == games[1].position._repr_svg_()
    assert games[0]._repr_svg_() != games[1]._repr_svg_()


def test_notebooks_show_positions_and_games_as_svg() -> None:
    game = scripted()
    assert game.position._repr_svg_().startswith("<svg")
    assert game._repr_svg_().startswith("<svg")
    assert game._repr_svg_() == svg.table(game.position, (game.layout(0), game.layout(1)))
