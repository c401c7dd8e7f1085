"""What players may be called: names that others can read, and that nobody takes for the computer.

What cannot be seen is taken away without a word, since it often comes along when a name is pasted.
A joiner stays where writing needs it: between letters of Arabic and Indian scripts, and between
pictures, which it makes one. A name that reads like a level of the computer is refused, in each of
the six languages and also when it is written with letters that only look like the right ones.
"""

import re
from itertools import groupby
from unicodedata import category, combining, normalize

LONGEST = 40
"""Characters."""

_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Categories of characters that show nothing; those of spaces become spaces before."""
_BLANK = {*map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC))}
_BLANK |= {*map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))}
"""Letters and marks that show nothing."""
_MARKS = 3
"""On a letter; no language that is written needs more."""
_NON_JOINER, _JOINER, _AS_PICTURE = "\u200c", "\u200d", "\ufe0f"
_JOINED = re.compile("[\u0600-\u08ff\u0900-\u0dff\ufb50-\ufdff\ufe70-\ufefe]")
"""Characters of Arabic and Indian scripts, in which joiners change how letters look."""

_COMPUTERS = "computer ordenador computadora máquina počítač komputer компьютер"
_LEVELS = "level stufe nivel úroveň poziom уровень"
_BESIDE = "the der el la patchwork i v x"
"""What may stand beside them without making it a person's name; Roman numbers letter by letter."""
_LOOKS = {
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
"""Letters, and what looks like them when all are small; what looks alike is told apart nowhere."""
_FOLDED = str.maketrans({twin: letter for letter, twins in _LOOKS.items() for twin in twins})
_FOLDED |= {
    first + letter: chr(ord("a") + letter)
    for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)
    for letter in range(26)
}
"""Letters in squares and circles, and those of flags, too."""


class Reserved(ValueError):
    """A name that reads like a level of the computer."""


def cleaned(name: str) -> str:
    """Returns a name as others read it.

    Raises:
        Reserved: it reads like a level of the computer.
        ValueError: it is too long.
    """
    text = " ".join(normalize("NFC", name).split())
    seen = "".join(sign for place, sign in enumerate(text) if _is_seen(text, place))
    bounded = "".join(_with_few_marks(normalize("NFC", " ".join(seen.split()))))
    if len(bounded) > LONGEST:
        raise ValueError(f"a name has at most {LONGEST} characters")
    if reads_like_the_computer(bounded):
        raise Reserved("a name may not read like a level of the computer")
    return bounded


def reads_like_the_computer(name: str) -> bool:
    """Returns whether a name could be taken for that of the computer."""
    bare = re.sub(r"\W*\d+\W*$", "", normalize("NFKC", name))
    digits_apart = re.sub(r"\d", "", normalize("NFKC", name))
    return any(_RESERVED.fullmatch(_folded(text)) for text in (name, bare, digits_apart))


def _is_seen(text: str, place: int) -> bool:
    """Returns whether something of a character can be seen, or it changes what can."""
    sign, before, after = text[place], text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if sign in (_JOINER, _NON_JOINER) and _JOINED.match(before) and _JOINED.match(after):
        return True
    if sign == _JOINER:
        return _is_picture(before) and _is_picture(after)
    if sign == _AS_PICTURE:
        return _is_picture(before) and before != _AS_PICTURE
    return sign == " " or not (category(sign) in _UNSEEN or sign in _BLANK)


def _is_picture(sign: str) -> bool:
    """Returns whether a character is a symbol, or makes one before it a picture, or colours it."""
    return sign == _AS_PICTURE or (sign != "" and category(sign) in ("So", "Sm", "Sk"))


def _with_few_marks(text: str) -> list[str]:
    """Returns a text without marks that stand on nothing or on too many others."""
    parts: list[str] = []
    for is_mark, signs in groupby(text, lambda sign: category(sign) in ("Mn", "Me")):
        found = "".join(signs)
        if is_mark:
            found = found[:_MARKS] if parts and not parts[-1].endswith(" ") else ""
        parts.append(found)
    return parts


def _folded(name: str) -> str:
    """Returns the letters of a name; two names that look alike have the same ones."""
    decomposed = normalize("NFD", normalize("NFKC", name.translate(_FOLDED)).casefold())
    letters = "".join(sign for sign in decomposed if not combining(sign)).translate(_FOLDED)
    return "".join(sign for sign in letters if sign.isalpha())


def _any(words: str) -> str:
    return "|".join(map(_folded, words.split()))


_RESERVED = re.compile(
    f"(?:{_any(_BESIDE)})*(?:{_any(_COMPUTERS)}|{_any(_LEVELS)})"
    f"(?:{_any(_COMPUTERS)}|{_any(_LEVELS)}|{_any(_BESIDE)})*"
)
