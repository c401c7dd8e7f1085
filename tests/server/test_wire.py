"""Messages on the wire: valid ones are parsed, and all others are refused."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from patchwork.server import wire
from patchwork.server.game.terms import Opponent

FROM_CLIENT: TypeAdapter[wire.FromClient] = TypeAdapter(wire.FromClient)
POSTED: TypeAdapter[wire.PostedAction] = TypeAdapter(wire.PostedAction)
FROM_SERVER: TypeAdapter[wire.FromServer] = TypeAdapter(wire.FromServer)

VALID: list[dict[str, Any]] = [
    {"t": "move", "id": "1", "seq": 0, "move": "17Bc4"},
    {"t": "begin", "id": "1", "seq": 0, "first": 1},
    {"t": "undo", "id": "1", "seq": 0},
    {"t": "accept", "id": "1", "seq": 0},
    {"t": "decline", "id": "1", "seq": 0},
    {"t": "resign", "id": "1", "seq": 0},
    {"t": "abort", "id": "1", "seq": 0},
    {"t": "claim", "id": "1", "seq": 0},
    {"t": "flag", "id": "1", "seq": 0},
    {"t": "rematch", "id": "1", "seq": 0, "circle": "same"},
    {"t": "ping"},
    {"t": "sync"},
    {"t": "leave"},
    {"t": "hint", "id": "1"},
]


def test_the_list_of_valid_messages_is_complete() -> None:
    union, _ = get_args(wire.FromClient)
    tags = {kind.model_fields["t"].default for kind in get_args(union)}
    assert {message["t"] for message in VALID} == tags


def refuses(kind: type[wire.Message], **data: object) -> bool:
    """Returns whether a message is refused, both as JSON (sockets) and as parsed data (HTTP)."""
    try:
        kind.model_validate(data)
    except ValidationError:
        try:
            kind.model_validate_json(json.dumps(data))
        except ValidationError:
            return True
        raise AssertionError("only HTTP refuses it") from None
    kind.model_validate_json(json.dumps(data))
    return False


@pytest.mark.parametrize("message", VALID, ids=lambda message: message["t"])
def test_each_message_is_parsed_as_its_own_type(message: dict[str, Any]) -> None:
    read = FROM_CLIENT.validate_json(json.dumps(message))
    assert read.model_dump() == message
    if "seq" in message:
        assert POSTED.validate_python(message) == read


@pytest.mark.parametrize("message", VALID, ids=lambda message: message["t"])
def test_a_message_with_extra_or_missing_fields_is_refused(message: dict[str, Any]) -> None:
    wrong = [message | {"extra": 1}, message | {"T": "ping"}, message | {"t": "MOVE"}]
    wrong += [{key: message[key] for key in message if key != missing} for missing in message]
    wrong += [message | {key: None} for key in message]
    wrong += [message | {key: [message[key]]} for key in message]
    for bad in wrong:
        if bad.keys() == message.keys() - {"circle"}:
            continue  # the circle has a default
        with pytest.raises(ValidationError):
            FROM_CLIENT.validate_json(json.dumps(bad))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "1",
        "[]",
        "{}",
        '"ping"',
        '{"t":null}',
        '{"t":"pong"}',
        '{"t":"state"}',
        '{"t":"ping"',
        '{"t":"ping"}}',
        '{"t":"ping"} {"t":"ping"}',
        '{"t":"hint","id":"\\ud800"}',
        '{"t":"hint","id":"\\ud83e"}',
        '{"\\ud800":1,"t":"ping"}',
        '{"t":"undo","id":"1","seq":NaN}',
        '{"t":"undo","id":"1","seq":Infinity}',
        '{"t":"undo","id":"1","seq":1e999}',
        '{"t":"undo","id":"1","seq":0.5}',
        '{"t":"undo","id":"1","seq":-1}',
        '{"t":"undo","id":"1","seq":2147483648}',
        '{"t":"undo","id":"1","seq":' + "9" * 1900 + "}",
        "[" * 2000,
        '{"t":' * 400,
        "\ufeff" + '{"t":"ping"}',
    ],
)
def test_invalid_texts_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        FROM_CLIENT.validate_json(text)


@given(st.text() | st.binary())
def test_random_input_is_refused_without_other_errors(text: str | bytes) -> None:
    with pytest.raises(ValidationError):
        FROM_CLIENT.validate_json(text)


@pytest.mark.parametrize("text", ["", "x" * 65, "a\x00b", "\x00", "a\nb", "\x1b[2J", "\x7f"])
def test_an_id_that_is_empty_too_long_or_not_plain_text_is_refused(text: str) -> None:
    """Ids are stored, and PostgreSQL stores no NUL."""
    assert refuses(wire.Undo, id=text, seq=0)
    assert refuses(wire.AskHint, id=text)


@pytest.mark.parametrize("text", ["x", "x" * 64, "550e8400-e29b-41d4", "é🧵", "<b>"])
def test_an_id_may_be_any_plain_text(text: str) -> None:
    assert wire.Undo(id=text, seq=0).id == text


def test_a_long_move_is_refused() -> None:
    assert not refuses(wire.Move, id="1", seq=0, move="x" * 16)
    assert refuses(wire.Move, id="1", seq=0, move="x" * 17)


# Names

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))]
DIRECTIONS = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]
SEPARATORS = ["\u2028", "\u2029"]
NONCHARACTERS = ["\ufff9", "\ufffa", "\ufffb", "\ufffe", "\uffff"]


@pytest.mark.parametrize("mark", [*CONTROLS, *DIRECTIONS, *SEPARATORS, *NONCHARACTERS], ids=ascii)
def test_control_characters_are_removed_from_names(mark: str) -> None:
    clean = " ".join(f"A{mark}n".split()).replace(mark, "")
    assert clean in ("An", "A n")
    assert wire.Join(name=f"A{mark}n").name == clean
    screen = Opponent.SCREEN
    table = wire.NewTable(opponent=screen, name=f"A{mark}n", other_name=f"A{mark}n")
    assert (table.name, table.other_name) == (clean, clean)


def test_names_of_the_computer_are_reserved() -> None:
    assert refuses(wire.Join, name="Level 8")
    assert refuses(wire.NewTable, opponent="friend", name="computer")
    assert refuses(wire.NewTable, opponent="screen", other_name="level:8")


@pytest.mark.parametrize("name", ["\ud800", "A\udfffn"])
def test_names_that_are_not_valid_unicode_are_refused(name: str) -> None:
    assert refuses(wire.Join, name=name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Ann",
        "<script>alert(1)</script>",
        "&amp; \"quoted\" 'twice' \\",
        "Жанна",
        "עדה",
        "阿妮",
        "é" * 40,
        "\N{SPOOL OF THREAD}" * 40,
        "'; DROP TABLE games; --",
        "{{7*7}} ${x} %s %n",
    ],
)
def test_names_may_be_any_text_on_one_line(name: str) -> None:
    assert wire.Join(name=name).name == name


def test_names_are_stripped_and_limited_to_forty_characters() -> None:
    assert wire.Join(name=f" \t{'x' * 40}\r\n").name == "x" * 40
    assert wire.Join(name="  ").name == ""
    assert refuses(wire.Join, name="x" * 41)
    assert refuses(wire.Join, name="\N{SPOOL OF THREAD}" * 41)


@pytest.mark.parametrize("name", [None, 1, ["Ann"], {"a": "b"}, True])
def test_names_that_are_not_texts_are_refused(name: object) -> None:
    assert refuses(wire.Join, name=name)


# Tables


@pytest.mark.parametrize(
    "clock",
    [
        {"minutes": 0.25},
        {"minutes": 180, "increment": 180},
        {"minutes": 3, "increment": 2},
        {"minutes": 3, "days": None},
        {"days": 1},
        {"days": 14, "increment": 0},
    ],
)
def test_a_clock_has_minutes_or_days(clock: dict[str, Any]) -> None:
    assert not refuses(wire.NewTable, opponent="friend", clock=clock)


@pytest.mark.parametrize(
    "clock",
    [
        {},
        {"increment": 5},
        {"minutes": 1, "days": 1},
        {"days": 1, "increment": 1},
        {"minutes": 0.2},
        {"minutes": 0},
        {"minutes": -1},
        {"minutes": 180.01},
        {"minutes": 10**400},
        {"minutes": float("nan")},
        {"minutes": float("inf")},
        {"minutes": 1, "increment": -1},
        {"minutes": 1, "increment": 181},
        {"minutes": 1, "increment": 0.5},
        {"minutes": 1, "seconds": 1},
        {"days": 0},
        {"days": 15},
        {"days": 1.5},
        {"days": -(10**30)},
        5,
        "3+2",
    ],
)
def test_other_clocks_are_refused(clock: object) -> None:
    assert refuses(wire.NewTable, opponent="friend", clock=clock)


@pytest.mark.parametrize(
    "wrong",
    [
        {"opponent": "nobody"},
        {"opponent": None},
        {"level": 0},
        {"level": 9},
        {"level": 1.5},
        {"seat": 2},
        {"seat": -1},
        {"seat": "left"},
        {"seat": "needle"},
        {"first": 2},
        {"first": "me"},
        {"edition": "CLASSIC"},
        {"edition": ""},
        {"seed": -1},
        {"seed": 2**53},
        {"seed": 0.5},
        {"seed": float("nan")},
        {"circle": list(range(33))},
        {"circle": []},
        {"circle": [*range(1, 33), 33]},
        {"circle": [1, *range(1, 32), 0]},
        {"circle": [*range(1, 33), 0], "seed": 3},
        {"computer": 0},
    ],
)
def test_invalid_terms_are_refused(wrong: dict[str, Any]) -> None:
    assert refuses(wire.NewTable, **({"opponent": "friend"} | wrong))


def test_messages_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        wire.Ping().t = "ping"


def test_messages_of_the_server_are_parsed_by_their_tag() -> None:
    bye = wire.Bye(retry=1000)
    assert FROM_SERVER.validate_json(bye.model_dump_json()) == bye
    assert json.loads(bye.model_dump_json())["v"] == wire.VERSION
