"""A game record: tags and a tree of moves with comments, annotations and variations.

A record is a value and always valid: creating one plays through every line, so all moves are legal
and the result agrees with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from patchwork.notation.errors import NotationError, Problem
from patchwork.rules.game import Game
from patchwork.rules.moves import Move
from patchwork.rules.position import Outcome, Position
from patchwork.rules.setup import Setup

WIDTH = 80
"""Movetext is wrapped to this many columns; comments are never broken."""

DEEPEST = 32
"""How deep variations can be nested."""

RESULTS = {0: "1-0", 1: "0-1", None: "*"}
"""The text for each winning seat."""

TAGS = (
    "Player0",
    "Player1",
    "Date",
    "Edition",
    "Circle",
    "First",
    "Result",
    "Scores",
    "Termination",
)
"""The tags of every record, in the order in which they are written."""


class Termination(StrEnum):
    """How a game ended, or that it has not."""

    PLAYED_OUT = "played out"
    RESIGNED = "resigned"
    TIME = "time"
    LEFT = "left"
    ABORTED = "aborted"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Ply:
    """A move in the tree, with its annotations, comment and variations."""

    move: Move
    nags: tuple[int, ...] = ()
    """Annotation glyphs, numbered as in chess: ``!`` 1, ``?`` 2, ``!!`` 3, ``??`` 4 and so on."""
    comment: str = ""
    variations: tuple[Line, ...] = ()
    """Lines that could have been played instead of this move."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sequence of moves."""

    plies: tuple[Ply, ...] = ()
    comment: str = ""
    """The comment before the first move."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game with its tags, comments and variations.

    Raises:
        IllegalMove: a move of the main line or of a variation is not allowed.
        NotationError: the fields contradict each other or cannot be written down.
        TypeError: a name, the date or the value of a tag is not a ``str``.
    """

    setup: Setup
    line: Line = Line()
    """The main line."""
    players: tuple[str, str] = ("?", "?")
    date: str = "????.??.??"
    """Year, month and day separated by dots, with question marks for unknown digits."""
    termination: Termination = Termination.UNFINISHED
    winner: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)  # a dict has no hash
    """Tags other than those of ``TAGS``."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(self.players))
        object.__setattr__(self, "tags", dict(self.tags))  # the caller keeps its own
        self._check_end(_replay(self.line, self.setup.start(), 0).outcome)
        if len(self.players) != 2:
            raise NotationError(Problem.BAD_TAG, f"players must be two names, not {self.players!r}")
        for name, value in zip(TAGS, (*self.players, self.date), strict=False):
            check_tag(name, value)
        for name, value in self.tags.items():
            if name in TAGS or not re.fullmatch("[A-Za-z0-9_]+", name):
                raise NotationError(Problem.BAD_TAG, f"{name!r} cannot be the name of another tag")
            check_tag(name, value)

    def _check_end(self, outcome: Outcome | None) -> None:
        sound = False
        match self.termination:
            case Termination.PLAYED_OUT:
                sound = outcome is not None and self.winner == outcome.winner
            case Termination.RESIGNED | Termination.TIME | Termination.LEFT:
                sound = outcome is None and self.winner in (0, 1)
            case Termination.ABORTED | Termination.UNFINISHED:
                sound = outcome is None and self.winner is None
        if not sound:
            state = "goes on" if outcome is None else f"was won by seat {outcome.winner}"
            raise NotationError(
                Problem.CONTRADICTION,
                f"termination {str(self.termination)!r} and result"
                f" {RESULTS.get(self.winner, self.winner)!r} do not fit a game that {state}",
            )

    @classmethod
    def of(
        cls,
        game: Game,
        players: tuple[str, str] = ("?", "?"),
        date: str = "????.??.??",
        tags: Mapping[str, str] | None = None,
    ) -> Record:
        """Returns the record of a game in its current state, played out or unfinished."""
        outcome = game.position.outcome
        return cls(
            game.setup,
            Line(tuple(Ply(move) for move in game.moves)),
            players,
            date,
            Termination.UNFINISHED if outcome is None else Termination.PLAYED_OUT,
            None if outcome is None else outcome.winner,
            tags or {},
        )

    @classmethod
    def parse(cls, text: str) -> Record:
        """Returns the only record of a text.

        Raises:
            NotationError: the text does not contain exactly one record, or that is invalid.
        """
        records = cls.parse_all(text)
        if len(records) != 1:
            raise NotationError(
                Problem.NOT_ONE_RECORD, f"expected one record, found {len(records)}"
            )
        return records[0]

    @classmethod
    def parse_all(cls, text: str) -> list[Record]:
        """Returns all records of a text.

        Raises:
            NotationError: a record is malformed or breaks the rules.
        """
        from patchwork.notation.reader import read_records

        return read_records(text)

    @property
    def game(self) -> Game:
        """The main line, as a new ``Game`` each time."""
        game = Game(self.setup)
        for ply in self.line.plies:
            game.push(ply.move)
        return game

    def __str__(self) -> str:
        return self.format()

    def format(self) -> str:
        """Returns the canonical text; encoded as UTF-8 it is the canonical bytes."""
        scores = self.game.position.scores
        roster = (
            *self.players,
            self.date,
            self.setup.edition.name,
            ",".join(map(str, self.setup.circle)),
            str(self.setup.first),
            RESULTS[self.winner],
            f"{scores[0]},{scores[1]}",
            str(self.termination),
        )
        tags = (*zip(TAGS, roster, strict=True), *sorted(self.tags.items()))
        head = "".join(f'[{name} "{_escape(value, chr(34))}"]\n' for name, value in tags)
        return f"{head}\n{_wrap((*_words(self.line, 1), RESULTS[self.winner]))}\n"


def check_tag(name: str, value: str) -> None:
    """Checks the value of a tag, as far as possible without the rest of the record.

    Raises:
        NotationError: it cannot be written, or is not a date where it should be.
        TypeError: it is not a ``str``.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {value!r}")
    _check_text(value)
    if name == "Date" and not _is_date(value):
        raise NotationError(
            Problem.BAD_TAG, f"Date must be a date such as 2026.11.15, not {value[:20]!r}"
        )
    if len(f"{value}.".splitlines()) > 1:
        raise NotationError(Problem.BAD_TAG, f"the value of a tag must be one line, not {value!r}")


_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS = " ".join(
    f"{month:02}.{day:02}" for month, days in enumerate(_MONTHS, 1) for day in range(1, days + 1)
)
"""Every day of a leap year."""


def _is_date(text: str) -> bool:
    """Returns whether this is a date; a question mark stands for any digit."""
    if not re.fullmatch(r"[0-9?]{4}\.[0-9?]{2}\.[0-9?]{2}", text):
        return False
    year, day = text[:4], text[5:]
    if day == "02.29" and "?" not in year:
        century, rest = divmod(int(year), 100)
        return (rest or century) % 4 == 0
    return re.search(re.escape(day).replace(r"\?", "[0-9]"), _DAYS) is not None


def _replay(line: Line, position: Position, depth: int) -> Position:
    """Checks and plays a line and its variations; returns the position after the line."""
    if depth > DEEPEST:
        raise NotationError(Problem.TOO_DEEP, f"variations are nested more than {DEEPEST} deep")
    _check_text(line.comment)
    for ply in line.plies:
        _check_text(ply.comment)
        for nag in ply.nags:
            if nag not in range(1000):
                raise NotationError(
                    Problem.UNEXPECTED, f"annotations are numbers from 0 to 999, not {nag}"
                )
        for variation in ply.variations:
            _replay(variation, position, depth + 1)
        position = position.play(ply.move)
    return position


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotationError(Problem.UNEXPECTED, f"{text!r} cannot be written as UTF-8") from None


def _words(line: Line, number: int) -> Iterator[str]:
    """Yields the words of a line, which are never broken; its first move has the given number."""
    if line.comment:
        yield f"{{{_escape(line.comment, '}')}}}"
    for ply_number, ply in enumerate(line.plies, number):
        yield f"{ply_number}. {ply.move}"
        yield from (f"${nag}" for nag in ply.nags)
        if ply.comment:
            yield f"{{{_escape(ply.comment, '}')}}}"
        for variation in ply.variations:
            words = list(_words(variation, ply_number)) or [""]
            words[0] = f"({words[0]}"
            words[-1] = f"{words[-1]})"
            yield from words


def _escape(text: str, closing: str) -> str:
    return text.replace("\\", "\\\\").replace(closing, f"\\{closing}")


def _wrap(words: tuple[str, ...]) -> str:
    text, column = words[0], len(words[0].rpartition("\n")[2])
    for word in words[1:]:
        breaks = column + 1 + len(word) > WIDTH
        text += ("\n" if breaks else " ") + word
        column = len(word) if breaks else column + 1 + len(word)
        if "\n" in word:
            column = len(word.rpartition("\n")[2])
    return text
