"""Names of players: readable for others, and never to be mistaken for the computer.

Invisible characters are removed silently, because they often come along when a name is pasted.
Joiners are kept where a script needs them: between letters of Arabic and Indian scripts, and
between emoji, which they combine. A name that reads like a level of the computer is refused, in
each of the page's languages, even if it is spelled with look-alike letters.
"""

import re
from itertools import groupby
from unicodedata import category, combining, normalize

MAX_LENGTH = 40
"""Characters: a full name fits, and so does a name in a table on a phone."""

_INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Unicode categories of invisible characters. White space has become spaces before this matters."""
_BLANK = {*map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC))}
_BLANK |= {*map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))}
"""Letters and marks that are invisible, too."""
_MOST_MARKS = 3
"""Combining marks on a letter; no living language needs more."""
_NON_JOINER, _JOINER, _AS_PICTURE = "\u200c", "\u200d", "\ufe0f"
_JOINED = re.compile("[\u0600-\u08ff\u0900-\u0dff\ufb50-\ufdff\ufe70-\ufefe]")
"""Characters of Arabic and Indian scripts, in which joiners change how letters look."""

_COMPUTERS = "computer ordenador computadora máquina počítač komputer компьютер"
_LEVELS = "level stufe nivel úroveň poziom уровень"
_BESIDE = "the der el la patchwork i v x"
"""Words that do not turn these into a person's name; Roman numerals letter by letter."""
_LOOKALIKES = {
    "a": "аα4@ᴀ",
    "b": "вьβъʙ",
    "c": "сᴄꮯꓚ",
    "d": "ԁđᴅꓓ",
    "e": "еεэєᴇꭼꓰ3",
    "g": "ɢ",
    "h": "нһʜ",
    "j": "јᴊ",
    "k": "кκᴋ",
    "l": "iı1|!іӏłιɪʟꮮꓡ",
    "m": "мμᴍꓟ",
    "n": "пηɴոꓠ",
    "o": "оοσօ0øᴏꓳ",
    "p": "рρᴘꮲꓑ",
    "r": "гʀꓣ",
    "s": "ѕ5$ꜱꓢ",
    "t": "тτ7ᴛꭲꓔ",
    "u": "иυսᴜꓴ",
    "v": "ѵνᴠꮩꓦ",
    "x": "хχ",
    "y": "уγʏ",
    "z": "ᴢζꓜ",
}
"""Letters, and characters that look like them in lower case; all of these count as the letter."""
_FOLDED = str.maketrans({twin: letter for letter, twins in _LOOKALIKES.items() for twin in twins})
_FOLDED |= {
    first + letter: chr(ord("a") + letter)
    for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)
    for letter in range(26)
}
"""Also letters in squares and circles, and those of flags."""


class Reserved(ValueError):
    """A name that reads like a level of the computer."""


def cleaned(name: str) -> str:
    """Returns a name as others see it.

    Raises:
        Reserved: the name reads like a level of the computer.
        ValueError: the name is too long.
    """
    bounded = readable(name)
    if len(bounded) > MAX_LENGTH:
        raise ValueError(f"a name has at most {MAX_LENGTH} characters")
    if reads_like_the_computer(bounded):
        raise Reserved("a name may not read like a level of the computer")
    return bounded


def readable(name: str) -> str:
    """Returns a name without invisible characters and without heaps of marks."""
    text = " ".join(normalize("NFC", name).split())
    seen = "".join(sign for place, sign in enumerate(text) if _is_visible(text, place))
    return "".join(_with_few_marks(normalize("NFC", " ".join(seen.split()))))


def reads_like_the_computer(name: str) -> bool:
    """Returns whether a name could be mistaken for that of the computer."""
    bare = re.sub(r"\W*\d+\W*$", "", normalize("NFKC", name))
    digits_apart = re.sub(r"\d", "", normalize("NFKC", name))
    return any(_RESERVED.fullmatch(_folded(text)) for text in (name, bare, digits_apart))


def _is_visible(text: str, place: int) -> bool:
    """Returns whether a character is visible, or changes how its neighbours look."""
    sign, before, after = text[place], text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if sign in (_JOINER, _NON_JOINER) and _JOINED.match(before) and _JOINED.match(after):
        return True
    if sign == _JOINER:
        return _is_picture(before) and _is_picture(after)
    if sign == _AS_PICTURE:
        return _is_picture(before) and before != _AS_PICTURE
    return sign == " " or not (category(sign) in _INVISIBLE or sign in _BLANK)


def _is_picture(sign: str) -> bool:
    """Returns whether a character is an emoji, or changes the one before it."""
    return sign == _AS_PICTURE or (sign != "" and category(sign) in ("So", "Sm", "Sk"))


def _with_few_marks(text: str) -> list[str]:
    """Returns the parts of a text without marks that stand alone or on too many others."""
    parts: list[str] = []
    for is_mark, signs in groupby(text, lambda sign: category(sign) in ("Mn", "Me")):
        found = "".join(signs)
        if is_mark:
            found = found[:_MOST_MARKS] if parts and not parts[-1].endswith(" ") else ""
        parts.append(found)
    return parts


def _folded(name: str) -> str:
    """Returns the letters of a name; names that look alike have the same letters."""
    decomposed = normalize("NFD", normalize("NFKC", name.translate(_FOLDED)).casefold())
    letters = "".join(sign for sign in decomposed if not combining(sign)).translate(_FOLDED)
    return "".join(sign for sign in letters if sign.isalpha())


def _any(words: str) -> str:
    return "|".join(map(_folded, words.split()))


_RESERVED = re.compile(
    f"(?:{_any(_BESIDE)})*(?:{_any(_COMPUTERS)}|{_any(_LEVELS)})"
    f"(?:{_any(_COMPUTERS)}|{_any(_LEVELS)}|{_any(_BESIDE)})*"
)
