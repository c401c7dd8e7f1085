"""Reads game records leniently: tags in any order, optional numbers, ``!?`` and ``;`` as in chess.

Every move is played as it is read, so the first mistake is reported where it is. Each step consumes
one token, so the time is proportional to the length of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from patchwork.notation.errors import NotationError, Problem, check_is_text
from patchwork.notation.moves import read_move
from patchwork.notation.record import (
    DEEPEST,
    RESULTS,
    TAGS,
    Line,
    Ply,
    Record,
    Termination,
    check_tag,
)
from patchwork.rules.moves import ADVANCE, IllegalMove, Move, Reason
from patchwork.rules.patches import PATCHES, SMALLEST
from patchwork.rules.position import Phase, Position
from patchwork.rules.setup import Setup, SetupError
from patchwork.rules.timeboard import CLASSIC, EDITION_BY_NAME

_TOKEN = re.compile(
    r"""
    (?P<space> \s+ )
  | \[ \s* (?P<tag> [A-Za-z0-9_]+ ) \s* "(?P<value> [^"\\\n]* (?: \\. [^"\\\n]* )* )" \s* \]
  | \{ (?P<comment> [^}\\]* (?: \\[\s\S] [^}\\]* )* ) \}
  | ; (?P<remark> [^\n]* )
  | (?P<result> 1-0 | 0-1 | \* )
  | (?P<number> [0-9]+ (?: \.+ | (?! [^\s(){}] ) ) )
  | (?P<move> [0-9A-Za-z]+ )
  | (?P<nag> \$[0-9]+ )
  | (?P<glyph> !! | \?\? | !\? | \?! | ! | \? )
  | (?P<open> \( )
  | (?P<close> \) )
    """,
    re.ASCII | re.VERBOSE,
)
LONGEST = 100_000
"""The most words of a record: more than anyone would write, to refuse huge texts early."""

_GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_TERMINATIONS = {termination.value: termination for termination in Termination}
_WINNERS = {text: winner for winner, text in RESULTS.items()}
_CHOICES = {
    "Edition": tuple(EDITION_BY_NAME),
    "First": ("0", "1"),
    "Result": tuple(_WINNERS),
    "Termination": tuple(_TERMINATIONS),
}
"""Tags that allow only these values."""


class _Token(NamedTuple):
    kind: str
    """Name of its group in the pattern, or ``end`` after the last token."""
    text: str
    offset: int
    value: str = ""
    """Of a tag."""


def read_records(text: str) -> list[Record]:
    """Returns all records of a text.

    Raises:
        NotationError: with the line and column of the first mistake.
    """
    check_is_text(text)
    return list(_Reader(text.removeprefix("\ufeff")).records())


def read_tags(text: str) -> dict[str, str]:
    """Returns the tags that a text begins with; the moves, which may be many, are not read.

    Raises:
        NotationError: with the line and column of the first mistake.
    """
    check_is_text(text)
    tags = _Reader(text.removeprefix("\ufeff")).tags()
    return {name: tag.value for name, tag in tags.items()}


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._tokenise()
        self._ahead: _Token | None = None
        self._taken = 0

    def records(self) -> Iterator[Record]:
        some = False
        while True:
            while self._peek().kind in ("comment", "remark"):  # between records
                self._take()
            token = self._peek()
            if token.kind == "end":
                return
            if some and token.kind != "tag":
                raise self._unexpected(token, ", after a result")
            yield self._record()
            some = True

    def tags(self) -> dict[str, _Token]:
        tags: dict[str, _Token] = {}
        while self._peek().kind == "tag":
            tag = self._take()
            if tag.text in tags:
                raise self._error(tag.offset, Problem.BAD_TAG, f"{tag.text} is given twice")
            tags[tag.text] = tag._replace(value=self._value(tag))
        return tags

    def _tokenise(self) -> Iterator[_Token]:
        offset = 0
        while offset < len(self._text):
            found = _TOKEN.match(self._text, offset)
            if found is None:
                raise self._stray(offset)
            match found.lastgroup:
                case "value":
                    yield _Token("tag", found["tag"], offset, _unescape(found["value"]))
                case str(kind) if kind != "space":
                    yield _Token(kind, found[kind], offset)
            offset = found.end()
        yield _Token("end", "", offset)

    def _peek(self) -> _Token:
        """Returns the next token, read only now so that mistakes are reported in order."""
        if self._ahead is None:
            self._ahead = next(self._tokens)
        return self._ahead

    def _take(self) -> _Token:
        token, self._ahead = self._peek(), None
        self._taken += 1
        if self._taken > LONGEST:
            raise self._error(
                token.offset, Problem.TOO_LONG, f"a record has at most {LONGEST} words"
            )
        return token

    def _stray(self, offset: int) -> NotationError:
        match self._text[offset]:
            case "{":
                return self._error(offset, Problem.UNCLOSED, "the comment is not closed")
            case "[":
                return self._error(offset, Problem.BAD_TAG, 'a tag is written [Name "value"]')
            case "\0":
                return self._error(
                    offset, Problem.UNEXPECTED, "a NUL: this is binary data, not a record"
                )
            case stray:
                return self._error(offset, Problem.UNEXPECTED, f"{stray!r} does not belong here")

    def _unexpected(self, token: _Token, where: str = "") -> NotationError:
        return self._error(
            token.offset, Problem.UNEXPECTED, f"{token.text[:20]!r} does not belong here{where}"
        )

    def _error(
        self,
        offset: int,
        problem: Problem,
        detail: str,
        number: int | None = None,
        reason: Reason | None = None,
    ) -> NotationError:
        line, column = self._place(offset)
        return NotationError(
            problem, detail, line=line, column=column, number=number, reason=reason
        )

    def _place(self, offset: int) -> tuple[int, int]:
        line = self._text.count("\n", 0, offset) + 1
        return line, offset - self._text.rfind("\n", 0, offset)

    def _record(self) -> Record:
        start, self._taken = self._peek().offset, 0
        tags = self.tags()
        if "Circle" not in tags:
            raise self._error(start, Problem.MISSING_TAG, "a record needs the tag Circle")
        setup = self._setup(tags)
        line, position = self._line(setup.start(), 1, ())
        result = self._take().text
        scores = f"{position.scores[0]},{position.scores[1]}"
        for name, fact in (("Result", result), ("Scores", scores)):
            if name in tags and tags[name].value != fact:
                raise self._error(
                    tags[name].offset,
                    Problem.CONTRADICTION,
                    f"according to the moves, {name} is {fact}",
                )
        values = {name: tag.value for name, tag in tags.items()}
        try:
            return Record(
                setup=setup,
                line=line,
                players=(values.get("Player0", "?"), values.get("Player1", "?")),
                date=values.get("Date", "????.??.??"),
                termination=_termination(values.get("Termination"), result, position),
                winner=_WINNERS[result],
                tags={name: value for name, value in values.items() if name not in TAGS},
            )
        except NotationError as error:
            blamed = error.problem is Problem.CONTRADICTION and "Termination" in tags
            offset = tags["Termination"].offset if blamed else start
            raise self._error(offset, error.problem, error.detail) from error

    def _value(self, tag: _Token) -> str:
        """Returns the canonical value of a tag."""
        value = tag.value
        match tag.text:
            case "Date":
                value = value.replace("-", ".")
            case "Edition" | "Termination":
                value = value.lower()
            case "Result" | "Scores":
                value = value.replace(" ", "")
        choices = _CHOICES.get(tag.text)
        if choices and value not in choices:
            raise self._error(
                tag.offset,
                Problem.BAD_TAG,
                f"{tag.text} is {' or '.join(choices)}, not {tag.value[:20]!r}",
            )
        try:
            check_tag(tag.text, value)
        except NotationError as error:
            raise self._error(tag.offset, error.problem, error.detail) from error
        return value

    def _setup(self, tags: dict[str, _Token]) -> Setup:
        circle = tags["Circle"]
        ids = re.findall("[^, ]+", circle.value) or [""]
        for word in ids:
            if not re.fullmatch("[0-9]{1,3}", word):
                raise self._error(
                    circle.offset,
                    Problem.BAD_TAG,
                    f"Circle has the patch ids 0 to {len(PATCHES) - 1} once each, separated by"
                    f" commas, with the 1 x 2 patch {SMALLEST} last; {word[:20]!r} is not an id",
                )
        edition = EDITION_BY_NAME[tags["Edition"].value] if "Edition" in tags else CLASSIC
        first = int(tags["First"].value) if "First" in tags else 0
        try:
            return Setup(tuple(map(int, ids)), edition, first)
        except SetupError as error:
            raise self._error(circle.offset, Problem.BAD_TAG, str(error)) from error

    def _line(
        self, position: Position, number: int, brackets: tuple[int, ...]
    ) -> tuple[Line, Position]:
        """Reads the moves played from ``position``, numbered from ``number``.

        Consumes the closing bracket of a variation, but not the result after the main line.
        ``brackets`` holds the offsets of the brackets that are still open.
        """
        opening = _Draft(ADVANCE)  # collects the comments before the first move
        drafts = [opening]
        before = position
        while brackets or self._peek().kind != "result":
            token = self._take()
            match token.kind:
                case "number":
                    pass
                case "move":
                    before, move = position, self._move(token, number)
                    position = self._play(before, move, token.offset, number)
                    drafts.append(_Draft(move))
                    number += 1
                case "comment":
                    drafts[-1].comments.append(_unescape(token.text))
                case "remark":
                    drafts[-1].comments.append(token.text.strip())
                case "nag" if drafts[-1] is not opening:
                    drafts[-1].nags.append(self._nag(token))
                case "glyph" if drafts[-1] is not opening:
                    drafts[-1].nags.append(_GLYPHS[token.text])
                case "open" if drafts[-1] is not opening:
                    if len(brackets) == DEEPEST:
                        raise self._error(
                            token.offset,
                            Problem.TOO_DEEP,
                            f"variations are nested more than {DEEPEST} deep",
                        )
                    variation, _ = self._line(before, number - 1, (*brackets, token.offset))
                    drafts[-1].variations.append(variation)
                case "close" if brackets:
                    break
                case "end" | "tag":
                    raise self._error(
                        token.offset,
                        Problem.CUT_OFF,
                        f"the record ends without a result{self._still_open(brackets)}",
                    )
                case "result":
                    raise self._unexpected(token, self._still_open(brackets))
                case _:
                    raise self._unexpected(token)
        plies = tuple(draft.ply() for draft in drafts[1:])
        return Line(plies, opening.ply().comment), position

    def _still_open(self, brackets: tuple[int, ...]) -> str:
        if not brackets:
            return ""
        line, column = self._place(brackets[-1])
        return f"; the bracket in line {line}, column {column} is still open"

    def _nag(self, token: _Token) -> int:
        digits = token.text[1:]
        if len(digits) > 3:
            raise self._error(
                token.offset,
                Problem.UNEXPECTED,
                f"an annotation is $ with one to three digits, not {token.text[:20]}",
            )
        return int(digits)

    def _move(self, token: _Token, number: int) -> Move:
        try:
            return read_move(token.text)
        except NotationError as error:
            raise self._error(
                token.offset, error.problem, error.detail, number, error.reason
            ) from error

    def _play(self, position: Position, move: Move, offset: int, number: int) -> Position:
        try:
            return position.play(move)
        except IllegalMove as illegal:
            raise self._error(
                offset, Problem.ILLEGAL_MOVE, f"{move}: {illegal.detail}", number, illegal.reason
            ) from illegal


@dataclass(slots=True)
class _Draft:
    """A move whose annotations are still being read."""

    move: Move
    nags: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)

    def ply(self) -> Ply:
        comment = " ".join(filter(None, self.comments))
        return Ply(self.move, tuple(self.nags), comment, tuple(self.variations))


def _termination(value: str | None, result: str, position: Position) -> Termination:
    """Returns how the game ended, inferred from the moves if no tag says so."""
    if value is not None:
        return _TERMINATIONS[value]
    if position.phase is Phase.OVER:
        return Termination.PLAYED_OUT
    if result == "*":
        return Termination.UNFINISHED
    raise NotationError(
        Problem.MISSING_TAG, f"the game has not ended, so {result} needs the tag Termination"
    )


def _unescape(text: str) -> str:
    return re.sub(r'\\([\\"}])', r"\1", text)
