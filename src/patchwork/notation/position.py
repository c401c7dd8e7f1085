"""The text of a position: ten words on one line.

    classic 0:turn 9/9/9/9/9/9/9/9/9 b5,i0,t0 9/9/9/9/9/9/9/9/9 b5,i0,t0
    leather=20,26,32,44,50 tile=- home=- circle=5,17,...,0

The words are: the edition; the seat to move and the phase; for each seat its quilt, row by row,
with ``x`` for filled spaces and a digit for each run of empty ones, then its buttons, income and
time; the lines that hold leather; the owner of the special tile; the first seat home; the circle.
Each position has exactly one text, and only that is accepted, apart from additional white space.
"""

import re
from itertools import groupby

from patchwork.notation.errors import NotationError, Problem, check_is_text
from patchwork.notation.validity import impossibility
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.quilt import SIDE
from patchwork.rules.timeboard import EDITION_BY_NAME

_PHASES = {phase.value: phase for phase in Phase}
_NUMBER = "(?:0|[1-9][0-9]{0,2})"
_NUMBERS = f"-|{_NUMBER}(?:,{_NUMBER})*"
_WORDS = (
    ("edition", "|".join(EDITION_BY_NAME), "classic or revised"),
    ("seat and phase", f"([01]):({'|'.join(_PHASES)})", "0:turn, with turn, leather or over"),
    ("quilt of seat 0", "[x1-9]+(?:/[x1-9]+){8}", "nine rows such as xx7, separated by /"),
    ("purse of seat 0", f"b({_NUMBER}),i({_NUMBER}),t({_NUMBER})", "b5,i0,t0"),
    ("quilt of seat 1", "[x1-9]+(?:/[x1-9]+){8}", "nine rows such as xx7, separated by /"),
    ("purse of seat 1", f"b({_NUMBER}),i({_NUMBER}),t({_NUMBER})", "b5,i0,t0"),
    ("leather", f"leather=({_NUMBERS})", "leather=20,26 or leather=-"),
    ("tile", "tile=([-01])", "tile=-, tile=0 or tile=1"),
    ("home", "home=([-01])", "home=-, home=0 or home=1"),
    ("circle", f"circle=({_NUMBERS})", "circle=5,17,0"),
)
"""Name, pattern and example of each word."""


def format_position(position: Position) -> str:
    """Returns the text of a position."""
    return " ".join(
        (
            position.edition.name,
            f"{position.turn}:{position.phase}",
            *(
                f"{_format_quilt(p.quilt)} b{p.buttons},i{p.income},t{p.time}"
                for p in position.players
            ),
            f"leather={_format_numbers(position.leather)}",
            f"tile={_format_seat(position.tile)}",
            f"home={_format_seat(position.first_home)}",
            f"circle={_format_numbers(position.circle)}",
        )
    )


def _format_quilt(quilt: int) -> str:
    spaces = f"{quilt:081b}"[::-1]
    rows = (spaces[start : start + SIDE] for start in range(0, SIDE * SIDE, SIDE))
    return "/".join(
        "".join(
            "x" * len(run) if filled == "1" else str(len(run))
            for filled, run in ((mark, list(marks)) for mark, marks in groupby(row))
        )
        for row in rows
    )


def _format_numbers(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers)) or "-"


def _format_seat(seat: int | None) -> str:
    return "-" if seat is None else str(seat)


def parse_position(text: str) -> Position:
    """Returns the position that a text describes.

    Raises:
        NotationError: the text is malformed, or no game can reach the position.
    """
    check_is_text(text)
    words = re.findall("[^ \t\r\n]+", text)
    if len(words) != len(_WORDS):
        raise NotationError(
            Problem.NOT_A_POSITION,
            f"a position has {len(_WORDS)} words separated by spaces, not {len(words)}",
        )
    found = [_match(word, *expected) for word, expected in zip(words, _WORDS, strict=True)]
    position = Position(
        edition=EDITION_BY_NAME[words[0]],
        turn=int(found[1][1]),
        phase=_PHASES[found[1][2]],
        players=(
            _player(_parse_quilt(words[2]), found[3]),
            _player(_parse_quilt(words[4]), found[5]),
        ),
        leather=_parse_numbers(found[6][1]),
        tile=_parse_seat(found[7][1]),
        first_home=_parse_seat(found[8][1]),
        circle=_parse_numbers(found[9][1]),
    )
    reason = impossibility(position)
    if reason is not None:
        raise NotationError(Problem.IMPOSSIBLE_POSITION, reason)
    return position


def _match(word: str, name: str, pattern: str, example: str) -> re.Match[str]:
    found = re.fullmatch(pattern, word)
    if found is None:
        raise NotationError(
            Problem.NOT_A_POSITION, f"{name} is written {example}, not {word[:60]!r}"
        )
    return found


def _parse_quilt(word: str) -> int:
    quilt = 0
    for number, row in enumerate(word.split("/")):
        spaces = re.sub("[1-9]", lambda run: "." * int(run[0]), row)
        if len(spaces) != SIDE or re.search("[1-9]{2}", row):
            raise NotationError(
                Problem.NOT_A_POSITION,
                f"a row of a quilt has {SIDE} spaces, with one digit for each run of empty ones,"
                f" not {row!r}",
            )
        for column, mark in enumerate(spaces):
            quilt |= (mark == "x") << (SIDE * number + column)
    return quilt


def _player(quilt: int, purse: re.Match[str]) -> Player:
    return Player(quilt, int(purse[1]), int(purse[2]), int(purse[3]))


def _parse_numbers(word: str) -> tuple[int, ...]:
    return () if word == "-" else tuple(map(int, word.split(",")))


def _parse_seat(word: str) -> int | None:
    return None if word == "-" else int(word)
