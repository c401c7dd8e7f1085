"""All languages have the same messages, and our Fluent reader formats them as Mozilla's does."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import FluentParser, ast

from patchwork.locales import LANGUAGES, Messages, plural, preferred_language

SOURCES = {
    language: (files("patchwork.locales") / f"{language}.ftl").read_text(encoding="utf-8")
    for language in LANGUAGES
}
COUNTS = (0, 1, 2, 3, 4, 5, 10, 11, 12, 14, 20, 21, 22, 25, 100, 101, 102, 111, 1000, -1, -3, -21)
FRACTIONS = (0.5, 1.5, 2.5, 5.25, 21.1, -1.5)
WORDS = ("resigned", "time", "left", "aborted", "unfinished", "turn", "leather", "{ $name }")
SHORT_WORDS = {"cs": "ksvzouai", "pl": "wziouai", "ru": "вксоуиая"}
"""One-letter words, which must not stand at the end of a line."""
PLURALS = json.loads((Path(__file__).parent / "plurals.json").read_text("utf-8"))
"""Hand-written plural forms, and the numbers that take them; the page's tests read them, too."""


@cache
def entries(language: str) -> dict[str, ast.Message]:
    body = FluentParser().parse(SOURCES[language]).body
    assert not [entry for entry in body if isinstance(entry, ast.Junk)]
    found = [entry for entry in body if isinstance(entry, ast.Message)]
    assert len({entry.id.name for entry in found}) == len(found), "a key occurs twice"
    return {entry.id.name: entry for entry in found}


def variables(text: str) -> set[str]:
    return set(re.findall(r"\$(\w+)", text))


def source_of(language: str, entry: ast.Message) -> str:
    assert entry.span is not None
    return SOURCES[language][entry.span.start : entry.span.end]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_with_the_same_variables(language: str) -> None:
    english = {key: variables(source_of("en", e)) for key, e in entries("en").items()}
    assert {
        key: variables(source_of(language, e)) for key, e in entries(language).items()
    } == english


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_and_their_signs_are_not_separated_by_line_breaks(language: str) -> None:
    """Multiplication signs, units, % and ellipses are attached with no-break spaces (U+00A0)."""
    breaks = re.compile(r" [\xd7…]|\xd7 |\d\xd7|[\d}] (?:%|s\b)")
    for key, entry in entries(language).items():
        assert not breaks.search(source_of(language, entry)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_formatted_as_by_the_reference_implementation(language: str) -> None:
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(SOURCES[language]))
    say = Messages(language)
    for key, entry in entries(language).items():
        message = bundle.get_message(key)
        assert message is not None
        assert message.value is not None
        for value in (*COUNTS, *FRACTIONS, *WORDS):
            values = dict.fromkeys(variables(source_of(language, entry)), value)
            expected, errors = bundle.format_pattern(message.value, values)
            # The reference groups thousands in numbers; our numbers are plain.
            expected = re.sub(r"(?<=\d)[.,\u00a0\u202f](?=\d{3})", "", str(expected))
            assert not errors
            assert say(key, **values) == expected, (key, value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_messages_cover_all_plural_categories(language: str) -> None:
    categories = {plural(language, number) for number in (*range(200), *FRACTIONS)}
    for key, entry in entries(language).items():
        for found in re.findall(r"\{ \$\w+ ->\n((?:\s+\*?\[.*\n)+)", source_of(language, entry)):
            named = {name for name in re.findall(r"\[([\w-]+)\]", found) if not name.isdigit()}
            if named <= {"one", "few", "many", "other"}:  # otherwise a word selects
                assert categories <= named, f"{key} lacks {categories - named}"


@pytest.mark.parametrize("language", SHORT_WORDS)
def test_one_letter_words_are_attached_to_the_next_word(language: str) -> None:
    loose = re.compile(rf"(?<![^\s„“”«(])[{SHORT_WORDS[language]}] (?=\S)", re.IGNORECASE)
    for key, entry in entries(language).items():
        if not key.endswith(("-examples", "-help")):  # these have fixed line breaks
            assert not loose.search(source_of(language, entry)), key


def test_every_key_outside_the_page_is_used_and_exists() -> None:
    code = "".join(
        path.read_text(encoding="utf-8") for path in Path(str(files("patchwork"))).rglob("*.py")
    )
    keys = {key for key in entries("en") if not key.startswith("page-")}
    spelled = set(re.findall(r"""["']((?:cli|link|play|notation|reason)-[a-z-]*[a-z])["']""", code))
    assert spelled <= keys
    prefixes = {"reason-", "notation-"}  # composed from Reason and Problem
    unspelled = {key for key in keys - spelled if not key.startswith(tuple(prefixes))}
    names = re.findall(r'command\("([\w ]+)"', code)
    commands = {"-".join(words) for words in map(str.split, names)}
    commands |= {name.split()[0] for name in names}  # command groups have their own texts
    composed = {f"cli-{name}{end}" for name in commands for end in ("", "-examples")}
    assert unspelled <= composed | {"cli-description-examples"}


# Messages of the page

PAGE = Path(__file__).parents[2] / "web" / "src"
BRACKETS = {"(": ")", "[": "]", "{": "}"}


def page_code() -> Iterator[tuple[str, str]]:
    """Yields the name and text of each source file of the page, without tests."""
    for path in sorted(PAGE.rglob("*")):
        if path.suffix in (".ts", ".svelte") and ".test." not in path.name:
            yield path.relative_to(PAGE).as_posix(), path.read_text("utf-8")


def page_keys(text: str) -> set[str]:
    """Returns the message keys spelled out in some code."""
    return set(re.findall(r"""["'`](page-[a-z0-9-]+)["'`]""", text))


def arguments(code: str) -> list[str]:
    """Returns the comma-separated arguments in some code up to the closing bracket."""
    parts, open_brackets, quote, start = [], [], "", 0
    for place, sign in enumerate(code):
        if quote:
            quote = "" if sign == quote and code[place - 1] != "\\" else quote
        elif sign in "\"'`":
            quote = sign
        elif sign in BRACKETS:
            open_brackets.append(BRACKETS[sign])
        elif open_brackets and sign == open_brackets[-1]:
            open_brackets.pop()
        elif not open_brackets and sign in ",)]}":
            parts.append(code[start:place].strip())
            start = place + 1
            if sign != ",":
                break
    return [part for part in parts if part]


def calls() -> Iterator[tuple[str, str, set[str] | None]]:
    """Yields file, key and value names of each message call; None if the values are a variable."""
    for name, code in page_code():
        for call in re.finditer(r"\bsay\(", code):
            key, *values = arguments(code[call.end() :])
            given: set[str] | None = set()
            if values and values[0].startswith("{") and "..." not in values[0]:
                given = {re.split(r"\W", part)[0] for part in arguments(values[0][1:])}
            elif values:
                given = None
            for each in sorted(page_keys(key)):
                yield name, each, given


def test_every_page_key_is_used_and_exists() -> None:
    spelled = set().union(*(page_keys(code) for _, code in page_code()))
    defined = {key for key in entries("en") if key.startswith("page-")}
    assert spelled - defined == set(), "missing"
    assert defined - spelled == set(), "unused"


def test_the_page_passes_the_values_that_messages_need() -> None:
    needed = {key: variables(source_of("en", entry)) for key, entry in entries("en").items()}
    wrong = [
        (name, key, given, needed[key])
        for name, key, given in calls()
        if given is not None and given != needed.get(key, given)
    ]
    assert wrong == []


def test_the_page_has_no_text_outside_messages() -> None:
    """Neither text nor accessible attributes contain words; these come from messages."""
    for name, code in page_code():
        if name.endswith(".svelte"):
            markup = re.sub(r"<(script|style)\b.*?</\1>|<!--.*?-->", "", code, flags=re.DOTALL)
            while "{" in markup:
                markup, found = re.subn(r"\{[^{}]*\}", "", markup)
                assert found, f"{name}: unbalanced braces"
            accessible = "aria-label|title|alt|placeholder|aria-description|aria-roledescription"
            attributes = re.findall(rf'\s(?:{accessible})="([^"]*)"', markup)
            texts = re.sub(r"<[^>]*>", " ", markup)
            words = re.findall(r"[^\W\d_]{2,}", " ".join((texts, *attributes)))
            assert set(words) <= {"Patchwork"}, name


def test_every_reason_and_problem_has_a_message() -> None:
    from patchwork.notation.errors import Problem
    from patchwork.rules.moves import Reason

    expected = {f"reason-{reason}" for reason in Reason}
    expected |= {f"notation-{problem}" for problem in Problem} | {"notation-move", "notation-game"}
    assert {key for key in entries("en") if key.startswith(("reason-", "notation-"))} == expected


def plural_keys(language: str) -> set[str]:
    """Returns the keys of messages with plural forms."""
    found = entries(language).items()
    return {key for key, entry in found if "[one]" in source_of(language, entry)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_plural_message_has_the_right_form(language: str) -> None:
    """Compares with hand-written forms instead of plural categories."""
    assert plural_keys(language) == set(PLURALS["words"])
    say = Messages(language)
    for key, words in PLURALS["words"].items():
        names = variables(source_of(language, entries(language)[key]))
        for column, numbers in enumerate(PLURALS["columns"][language]):
            for number in numbers:
                text = say(key, **dict.fromkeys(names, number))
                if number == 0 and "0" not in text:
                    continue  # the message for zero has no digit
                for forms in words[language]:
                    figure = str(number) if language == "en" else str(number).replace(".", ",")
                    expected = rf"\b{figure}\s{forms.split('|')[column]}\b"
                    assert re.search(expected, text), (key, number, text)


def test_plural_forms_are_tested_with_all_kinds_of_numbers() -> None:
    kinds = {0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 101, 1.5}
    for language, columns in PLURALS["columns"].items():
        assert {number for numbers in columns for number in numbers} == kinds
        for words in PLURALS["words"].values():
            assert {len(forms.split("|")) for forms in words[language]} == {len(columns)}


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "de_DE", "LC_ALL": "pl_PL"}, "pl"),
        ({"LANGUAGE": "fr:cs:en", "LANG": "de_DE"}, "cs"),
        ({"PATCHWORK_LANG": "ru", "LC_ALL": "es_ES"}, "ru"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "POSIX", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "fr_FR", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LANGUAGE": "cs", "LC_ALL": "C"}, "en"),
        ({"LANGUAGE": "cs", "LANG": "C.UTF-8"}, "cs"),
        ({"LANG": "est_XX"}, "en"),
    ],
)
def test_the_environment_chooses_the_language(environment: dict[str, str], language: str) -> None:
    assert preferred_language(environment) == language
