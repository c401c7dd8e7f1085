"""Names hold no invisible characters and cannot pass for the computer."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchwork.locales import LANGUAGES, messages
from patchwork.server.game.names import MAX_LENGTH, Reserved, cleaned

KEPT = [
    "",
    "Ann",
    "Zoë 🧵",
    "O'Brien-Łukasz",
    "Ngọc Trần",
    "Иван",
    "李小龍",
    "ศรีสุดา",
    "אֱלִישֶׁבַע",
    "محمد‌علی",  # with a non-joiner
    "ශ්‍රී",  # with a joiner
    "क्‍ष",
    "👩🏽‍🚀",
    "❤️",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "42",
    "Levi",
    "Level-headed Lou",
    "Computer Science Bob",
    "Nivea",
    "<b>Bob</b>",
]


@pytest.mark.parametrize("name", KEPT)
def test_a_valid_name_is_unchanged(name: str) -> None:
    assert cleaned(name) == name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("  Ann \t of\n Arc\u00a0\u3000", "Ann of Arc"),
        ("Zoe\u0308", "Zoë"),
        ("\u202eAnn\u202c", "Ann"),
        ("A\u200bn\u2060n\ufeff", "Ann"),
        ("A\u00adnn", "Ann"),
        ("A\u200dn\u200cn", "Ann"),
        ("\u3164", ""),
        ("\u2800\u115f\u1160\uffa0", ""),
        ("\u2028\u2029\u0085", ""),
        ("A\0\x1b\x7fnn", "Ann"),
        ("\ue000Ann\U000f0000", "Ann"),
        ("Ann\ufe0f", "Ann"),
        ("Ann\U000e0041\U000e007f", "Ann"),
        ("A\ufe01nn\U000e0100", "Ann"),
        ("\u0301\u0302", ""),
        (" \u0301Ann", "Ann"),
        ("Z" + "\u0335" * 20, "Z" + "\u0335" * 3),
        ("A\u200d\u0301nn", "Ánn"),
        ("🧵\u200d", "🧵"),
        ("\ud800Ann", "Ann"),
    ],
)
def test_invisible_characters_are_removed(name: str, kept: str) -> None:
    assert cleaned(name) == kept


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_the_computer_are_reserved_in_every_language(language: str) -> None:
    say = messages(language)
    for level in range(1, 9):
        for name in (
            say("page-table-computer", level=level),
            say("page-computer-level", level=level),
            say("page-first-computer"),
            f"level:{level}",
        ):
            for variant in (name, name.upper(), f"  {name} ", name.replace(" ", "")):
                with pytest.raises(Reserved):
                    cleaned(variant)


@pytest.mark.parametrize(
    "name",
    [
        "Level",
        "Level 8",
        "level8",
        "LEVEL 99",
        "Level VIII",
        "Level I",
        "8 Level",
        "Leve1 8",
        "Leve1 1",
        "C0mputer",
        "C0MPUTER (level 5)",
        "Cоmрutеr",  # о, р and е are Cyrillic
        "Ⅼevel 8",
        "Ｌｅｖｅｌ ８",
        "𝓛𝓮𝓿𝓮𝓵 𝟠",
        "Lеvеl 8",  # е is Cyrillic
        "LΕVΕL 8",  # Ε is Greek
        "ʟᴇᴠᴇʟ 8",
        "🅻🅴🆅🅴🅻 8",
        "L\u200bevel 8",
        "L e v e l 8",
        "Lével 8",
        "|evel 8",
        "Level IX",
        "Uroven 8",
        "Pocitac",
        "YPOBEHb 8",
        "K0мпьютер",
        "Der Computer",
        "El ordenador",
        "La máquina",
        "MAQUINA, nivel 3",
        "Patchwork computer",
        "Computer_level_8",
        "Nivel 3",
        "Stufe 3",
        "Poziom 3",
    ],
)
def test_names_that_look_like_a_level_are_reserved(name: str) -> None:
    with pytest.raises(Reserved):
        cleaned(name)


@pytest.mark.parametrize("letter", ["l", "i", "el", "\ufdfa", "v", "level"])
def test_long_names_are_checked_quickly(letter: str) -> None:
    """A pattern that backtracks could take exponential time."""
    assert cleaned((letter * MAX_LENGTH)[: MAX_LENGTH - 1] + "?")


def test_a_name_may_not_exceed_the_length_limit() -> None:
    assert cleaned("x" * MAX_LENGTH) == "x" * MAX_LENGTH
    with pytest.raises(ValueError, match="at most 40"):
        cleaned("\u0958" * MAX_LENGTH)  # which becomes two characters each


@given(st.text(max_size=MAX_LENGTH))
def test_cleaning_a_name_twice_changes_nothing(name: str) -> None:
    try:
        found = cleaned(name)
    except ValueError:
        return
    assert cleaned(found) == found
    assert found == unicodedata.normalize("NFC", found)
    assert found == " ".join(found.split())
    joiners = {"\u200c", "\u200d"}
    assert not [
        sign
        for sign in set(found) - joiners
        if unicodedata.category(sign) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    ]
