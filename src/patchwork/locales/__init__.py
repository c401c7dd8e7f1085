"""What the program says to people: one Fluent file (``xx.ftl``) for each language.

The base package has no dependencies, so this reads the part of Fluent that the files keep to:
plain messages, ``{ $name }`` and ``{ $name -> [key] ... *[key] ... }`` with one variant a line.
Tests check every message against Mozilla's own implementation.
"""

import re
import textwrap
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "de", "es", "cs", "pl", "ru")

_MESSAGE = re.compile(r"^([a-z][a-z0-9-]*) = ?(.*(?:\n+ .*)*)", re.MULTILINE)
_SELECT = re.compile(r"\{ \$(\w+) ->\n((?:\s+\*?\[[\w-]+\].*\n)+)\s*\}")
_VARIANT = re.compile(r"(\*?)\[([\w-]+)\] ?(.*)")
_WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")
_VARIABLE = re.compile(r"\{ \$(\w+) \}")


class Messages:
    """The messages of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        source = (files(__name__) / f"{language}.ftl").read_text(encoding="utf-8")
        self._texts = {key: _undent(value) for key, value in _MESSAGE.findall(source)}

    def __call__(self, key: str, **values: str | float) -> str:
        """Returns the message ``key`` with its variables filled in."""
        text = _SELECT.sub(lambda found: self._choose(found, values), self._texts[key])
        return _VARIABLE.sub(lambda found: self._write(values[found[1]]), text)

    def _choose(self, select: re.Match[str], values: Mapping[str, str | float]) -> str:
        value = values[select[1]]
        variants: dict[str, str] = {key: text for _, key, text in _VARIANT.findall(select[2])}
        default: str = next(text for star, _, text in _VARIANT.findall(select[2]) if star)
        category = "" if isinstance(value, str) else plural(self.language, value)
        return variants.get(str(value)) or variants.get(category) or default

    def _write(self, value: str | float) -> str:
        """Returns a value as it is written; only English has a point before fractions."""
        if isinstance(value, float) and self.language != "en":
            return str(value).replace(".", ",")
        return str(value)


def _undent(value: str) -> str:
    """Returns a value without the indentation its lines share; it may begin below its key."""
    first, _, rest = value.rstrip().partition("\n")
    return "\n".join(filter(None, (first, textwrap.dedent(rest))))


def plural(language: str, number: float) -> str:
    """Returns the plural category of a number by the rules of the Unicode CLDR."""
    whole = abs(int(number))
    if whole != abs(number):
        return "many" if language == "cs" else "other"
    tens, units = whole % 100, whole % 10
    match language:
        case "cs":
            return {1: "one", 2: "few", 3: "few", 4: "few"}.get(whole, "other")
        case "pl":
            if whole == 1:
                return "one"
            return "few" if units in (2, 3, 4) and tens not in (12, 13, 14) else "many"
        case "ru":
            if units == 1 and tens != 11:
                return "one"
            return "few" if units in (2, 3, 4) and tens not in (12, 13, 14) else "many"
        case _:
            return "one" if whole == 1 else "other"


@cache
def messages(language: str) -> Messages:
    """Returns the messages of a language of ``LANGUAGES``."""
    return Messages(language)


def preferred_language(environment: Mapping[str, str]) -> str:
    """Returns the language an environment asks for, English where it asks for none we have.

    After our own ``PATCHWORK_LANG`` it is asked as GNU gettext does: the first of the locale's
    variables that is set decides, ``LANGUAGE`` refines it, and C or POSIX is plain English.
    """
    variables = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, variables), "C")
    wishes = [environment.get("PATCHWORK_LANG", "")]
    if locale not in ("C", "POSIX"):
        wishes += [*environment.get("LANGUAGE", "").split(":"), locale]
    for wish in wishes:
        if wish[:2].lower() in LANGUAGES and not wish[2:3].isalpha():
            return wish[:2].lower()
    return "en"


def accepted_language(header: str) -> str:
    """Returns the language that a browser asks for (RFC 9110, 12.5.4), English if it has no other.

    Args:
        header: the value of ``Accept-Language``.
    """
    best, language = 0.0, "en"
    for wish in header.lower().replace(" ", "").split(","):
        tag, _, weight = wish.partition(";q=")
        name = tag.partition("-")[0]
        # Anything else is no weight; `float` would also accept words and other digits.
        given = 1.0 if not weight else float(weight) if _WEIGHT.fullmatch(weight) else 0.0
        if name in LANGUAGES and given > best:
            best, language = given, name
    return language
