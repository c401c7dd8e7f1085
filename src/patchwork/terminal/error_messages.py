"""Error messages about texts in the notation, in the user's language."""

import re

from patchwork.locales import Messages
from patchwork.notation.errors import NotationError

_ASIDE = re.compile(
    r"""\{ (?: \\. | [^}\\] )* \} | ; [^\n]* | "(?: \\. | [^"\\\n] )*" """, re.VERBOSE | re.DOTALL
)
"""Comments and values of tags, in which a result does not count."""
_RESULT = re.compile(r"1-0|0-1|\*")


def error_message(say: Messages, error: NotationError) -> str:
    """Returns what is wrong, but not where; details in English only where programmers need them."""
    if error.reason is not None:
        return say(f"reason-{error.reason}")
    return say(f"notation-{error.problem}", detail=error.detail)


def located_message(say: Messages, file: object, error: NotationError, text: str = "") -> str:
    """Returns what is wrong with the text of a file, after the place, as compilers write it."""
    places = [str(place) for place in (file, error.line, error.column) if place is not None]
    game = game_number(error, text)
    if game is not None:
        places.append(" " + say("notation-game", number=game))
    if error.number is not None:
        word = re.match(r"\w*", _from(error, text))
        assert word is not None
        places.append(" " + say("notation-move", number=error.number) + f" {word[0]}".rstrip())
    where = ":".join(places)
    return f"{where}: {error_message(say, error)}" if where else error_message(say, error)


def game_number(error: NotationError, text: str) -> int | None:
    """Returns the number, from 1, of the game that an error is in, if the text has several."""
    if error.line is None or len(_RESULT.findall(_ASIDE.sub("", text))) < 2:
        return None
    before = text[: len(text) - len(_from(error, text))]
    return len(_RESULT.findall(_ASIDE.sub("", before))) + 1


def _from(error: NotationError, text: str) -> str:
    """Returns the text from the place of an error on."""
    if error.line is None or error.column is None:
        return ""
    lines = text.removeprefix("\ufeff").split("\n")[error.line - 1 :]
    return "\n".join(lines)[error.column - 1 :]
