"""Small edits of valid positions: those that no game can reach are refused with these messages."""

import re

import pytest

import patchwork as pw
from patchwork.notation.errors import Problem
from support.positions import (
    ALL_DISCARDED,
    BOUGHT,
    DISCARDED,
    EMPTY,
    FULL,
    GONE,
    HOME,
    LEAD,
    MIDDLE,
    ON_THE_LINE,
    OVER,
    OVERSHOT,
    QUICK,
    RICHEST,
    START,
    VALID,
    refusal,
    swapped,
)


def edited(text: str, *changes: tuple[str, str]) -> str:
    """Returns the text with some pieces replaced, each of which occurs once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        text = text.replace(old, new)
    return text


# Impossible positions: each is one small edit of a valid text

SHARING = "no way to divide the patches bought gives these quilts, incomes and times"
BUTTONS = "the buttons of both seats do not match what was earned and paid"
OVER_JUST_WHEN = "the game is over exactly when both tokens are on space 53"
IMPOSSIBLE: dict[str, tuple[str, str]] = {
    # the circle
    "circle empty": (
        re.sub("circle=.*", "circle=-", START),
        "the circle is empty, but every game ends before that",
    ),
    "circle beyond 32": (
        edited(START, ("=26,14", "=33,14")),
        "the circle holds 33; patch ids are 0 to 32",
    ),
    "circle far beyond 32": (
        edited(START, ("24,2,0", "24,999,0")),
        "the circle holds 999; patch ids are 0 to 32",
    ),
    "circle twice": (edited(START, ("=26,14", "=26,26")), "the circle holds patch 26 twice"),
    "circle twice apart": (edited(START, ("24,2,0", "26,2,0")), "the circle holds patch 26 twice"),
    "1 x 2 not last": (
        edited(START, ("=26,", "="), ("24,2,0", "24,2,0,26")),
        "the 1 x 2 patch cannot be there with 33 patches left",
    ),
    "1 x 2 too early": (
        edited(BOUGHT, ("=13,", "="), ("0,26,14", "0,26,14,13")),
        "the 1 x 2 patch cannot be there with 32 patches left",
    ),
    "1 x 2 gone too early": (
        edited(GONE, ("15,8,6", "15,8,6,22")),
        "the 1 x 2 patch cannot be there with 23 patches left",
    ),
    "1 x 2 gone at once": (
        edited(START, ("24,2,0", "24,2")),
        "the 1 x 2 patch cannot be there with 32 patches left",
    ),
    # the clocks
    "beyond the end": (edited(HOME, ("t53", "t54")), "seat 1 is on space 54; the last is 53"),
    "seat 0 beyond the end": (
        edited(swapped(HOME), ("t53", "t54")),
        "seat 0 is on space 54; the last is 53",
    ),
    "lead of 7": (
        edited(LEAD, ("t6", "t7")),
        "one token is more than 6 spaces ahead of the other",
    ),
    "lead of 7 of seat 1": (
        edited(swapped(LEAD), ("t6", "t7")),
        "one token is more than 6 spaces ahead of the other",
    ),
    "leather not taken": (
        edited(ON_THE_LINE, ("leather=26", "leather=20,26")),
        "with tokens on 19 and 20, leather is at 26, 32, 44, 50",
    ),
    "leather taken too early": (
        edited(START, ("leather=20,", "leather=")),
        "with tokens on 0 and 0, leather is at 20, 26, 32, 44, 50",
    ),
    "leather elsewhere": (
        edited(ON_THE_LINE, ("leather=26", "leather=27")),
        "with tokens on 19 and 20, leather is at 26, 32, 44, 50",
    ),
    "leather out of order": (
        edited(START, ("20,26,32,44,50", "26,20,32,44,50")),
        "with tokens on 0 and 0, leather is at 20, 26, 32, 44, 50",
    ),
    "leather of the other edition": (
        edited(START, ("classic", "revised")),
        "with tokens on 0 and 0, leather is at 26, 32, 38, 44, 50",
    ),
    "leather behind the tokens": (
        edited(HOME, ("leather=-", "leather=50")),
        "with tokens on 52 and 53, leather is at no line",
    ),
    "home too early": (
        edited(START, ("home=-", "home=0")),
        "the first seat home cannot be 0",
    ),
    "home forgotten": (edited(HOME, ("home=1", "home=-")), "the first seat home cannot be None"),
    "home the wrong seat": (edited(HOME, ("home=1", "home=0")), "the first seat home cannot be 0"),
    # the seat to move
    "over too early": (edited(HOME, ("0:turn", "0:over")), OVER_JUST_WHEN),
    "over at the start": (edited(START, ("0:turn", "0:over")), OVER_JUST_WHEN),
    "turn after the end": (edited(OVER, ("0:over", "0:turn")), OVER_JUST_WHEN),
    "leather after the end": (edited(OVER, ("0:over", "0:leather")), OVER_JUST_WHEN),
    "first home moved last": (
        edited(OVER, ("home=1", "home=0")),
        "seat 0 reached space 53 first, so the other seat moved last",
    ),
    "seat 1 first home moved last": (
        edited(OVER, ("0:over", "1:over")),
        "seat 1 reached space 53 first, so the other seat moved last",
    ),
    "turn of the one ahead": (
        edited(MIDDLE, ("0:turn", "1:turn")),
        "seat 1 is ahead, so the other seat moves",
    ),
    "turn of seat 0 ahead": (
        edited(BOUGHT, ("1:turn", "0:turn")),
        "seat 0 is ahead, so the other seat moves",
    ),
    "leather for the one behind": (
        edited(ON_THE_LINE, ("1:leather", "0:leather")),
        "seat 0 has not just crossed a line with leather",
    ),
    "leather for one not alone beyond the line": (
        edited(ON_THE_LINE, ("t19", "t20")),
        "seat 1 has not just crossed a line with leather",
    ),
    "leather before the line": (
        edited(MIDDLE, ("0:turn", "1:leather")),
        "seat 1 has not just crossed a line with leather",
    ),
    "leather on a full quilt": (
        edited(FULL, ("1:turn", "0:leather"), ("t43", "t40"), ("t46", "t44")),
        "seat 0 has no space left for leather",
    ),
    # the tile
    "tile not taken": (
        edited(DISCARDED, ("tile=0", "tile=-")),
        "seat 0 has a full 7 x 7 square, so the tile is taken",
    ),
    "tile not taken by seat 1": (
        edited(swapped(DISCARDED), ("tile=1", "tile=-")),
        "seat 1 has a full 7 x 7 square, so the tile is taken",
    ),
    "tile of the wrong seat": (
        edited(DISCARDED, ("tile=0", "tile=1")),
        "seat 1 has the tile but no full 7 x 7 square",
    ),
    "tile without a square": (
        edited(START, ("tile=-", "tile=0")),
        "seat 0 has the tile but no full 7 x 7 square",
    ),
    # dividing the patches
    "a space too many": (
        edited(BOUGHT, ("xx7/x8", "xx7/xx7")),
        "4 spaces are filled; the patches bought and 0 leather patches fill 3",
    ),
    "a space too few": (
        edited(BOUGHT, ("xx7/x8", "xx7/9")),
        "2 spaces are filled; the patches bought and 0 leather patches fill 3",
    ),
    "leather already placed": (
        edited(ON_THE_LINE, (f"{EMPTY} b25", "x8/9/9/9/9/9/9/9/9 b25")),
        "1 spaces are filled; the patches bought and 0 leather patches fill 0",
    ),
    "leather not placed": (
        edited(ON_THE_LINE, ("1:leather", "0:turn")),
        "0 spaces are filled; the patches bought and 1 leather patches fill 1",
    ),
    "discarded without need": (
        edited(DISCARDED, ("0:over xxxxxxxxx", "0:over xxxx1xxxx")),
        "80 spaces are filled; the patches bought and 5 leather patches fill 82",
    ),
    "more leather than there is": (
        edited(FULL, (EMPTY, "x8/9/9/9/9/9/9/9/9")),
        "82 spaces are filled; the patches bought and 4 leather patches fill 81",
    ),
    "patches larger than a full quilt": (
        edited(ALL_DISCARDED, ("circle=2,", "circle=")),
        "81 spaces are filled; the patches bought and 5 leather patches fill 89",
    ),
    "income from nowhere": (
        edited(BOUGHT, ("b2,i0", "b2,i1")),
        "the patches bought bring an income of 0 in all",
    ),
    "income lost": (
        edited(LEAD, ("i2", "i1")),
        "the patches bought bring an income of 2 in all",
    ),
    "income of the wrong seat": (edited(LEAD, ("i2", "i0"), ("b5,i0", "b5,i2")), SHARING),
    "spaces of the wrong seat": (
        edited(BOUGHT, ("xx7/x8", "xx7/9"), (EMPTY, "x8/9/9/9/9/9/9/9/9")),
        SHARING,
    ),
    "not enough time": (edited(QUICK, ("24,25", "24,23")), SHARING),
    "overshot by 6": (edited(OVERSHOT, ("21,25", "21,23")), SHARING),
    "overshot before the end": (
        edited(
            OVERSHOT,
            ("0:over", "0:turn"),
            ("b0,i22,t53", "b0,i22,t52"),
        ),
        SHARING,
    ),
    # the buttons
    "too rich at the start": (
        START.replace("b5", "b6", 1),
        "seat 0 can have at most 5 buttons",
    ),
    "too rich on the way": (
        edited(ON_THE_LINE, ("b25", "b26")),
        "seat 1 can have at most 25 buttons",
    ),
    "too rich with income": (
        edited(LEAD, ("b3", "b14")),
        "seat 0 can have at most 13 buttons",
    ),
    "too poor at the start": (START.replace("b5", "b4", 1), BUTTONS),
    "too poor on the way": (edited(ON_THE_LINE, ("b25", "b24")), BUTTONS),
    "not paid": (edited(BOUGHT, ("b2", "b3")), BUTTONS),
    "paid too much": (edited(BOUGHT, ("b2", "b1")), BUTTONS),
    "too poor at the end": (edited(OVERSHOT, ("b1,", "b0,")), BUTTONS),
    "too rich at the end": (edited(RICHEST, ("b151", "b152")), BUTTONS),
}


@pytest.mark.parametrize(("text", "detail"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_positions_are_refused(text: str, detail: str) -> None:
    error = refusal(text)
    assert (error.problem, error.detail) == (Problem.IMPOSSIBLE_POSITION, detail)
    assert str(error) == f"{detail} (impossible-position)"


@pytest.mark.parametrize("text", [text for text, _ in IMPOSSIBLE.values()], ids=IMPOSSIBLE.keys())
def test_both_seats_are_treated_alike(text: str) -> None:
    assert refusal(swapped(text)).problem is Problem.IMPOSSIBLE_POSITION


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (START, [("0:turn", "1:turn")]),  # either seat may begin
        (LEAD, [("b3", "b1")]),  # as few buttons as if the patch had come after the line
        (OVERSHOT, [("b0,", "b1,"), ("b1,i0", "b0,i0")]),
        (FULL, [(",6", ",24,6"), (",24,4", ",4")]),  # the order of patches passed is not checked
    ],
)
def test_neighbours_are_accepted(text: str, changes: list[tuple[str, str]]) -> None:
    changed = edited(text, *changes)
    assert str(pw.Position.parse(changed)) == changed


@pytest.mark.parametrize("position", VALID.values(), ids=VALID.keys())
def test_one_edit_is_harmless_or_refused(position: str) -> None:
    """Changes every digit in turn: an accepted text is written back the same."""
    accepted, problems = 0, set()
    for place, mark in enumerate(position):
        if mark.isdigit():
            for digit in "0123456789":
                text = position[:place] + digit + position[place + 1 :]
                try:
                    again = str(pw.Position.parse(text))
                except pw.NotationError as error:
                    problems.add(error.problem)
                else:
                    assert again == text
                    accepted += 1
    assert accepted >= sum(mark.isdigit() for mark in position)  # the unchanged ones at least
    assert problems == {Problem.NOT_A_POSITION, Problem.IMPOSSIBLE_POSITION}
