"""Batch analysis: every field, every error."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.protocol.batch import serve
from support.positions import MIDDLE, OVER, START


def answers(*requests: object) -> list[dict[str, Any]]:
    return replies(b"".join(json.dumps(request).encode() + b"\n" for request in requests))


def replies(text: bytes) -> list[dict[str, Any]]:
    sink = io.BytesIO()
    serve(io.BytesIO(text), sink)
    return [json.loads(line) for line in sink.getvalue().decode("ascii").splitlines()]


def test_an_answer() -> None:
    (answer,) = answers({"id": "a", "position": MIDDLE, "nodes": 50, "lines": 2})
    assert list(answer) == (
        ["id", "after", "best", "win", "margin", "scores", "seat", "exact", "visits", "lines"]
    )
    mine, other = answer["scores"]
    assert mine - other == pytest.approx(answer["margin"], abs=0.02)
    assert (answer["id"], answer["after"], answer["seat"]) == ("a", 0, 0)
    assert answer["visits"] >= 50
    assert isinstance(answer["exact"], bool)
    position = pw.Position.parse(MIDDLE)
    pw.parse_move(position, answer["best"])
    first, second = answer["lines"]
    assert first["moves"][0] == answer["best"] != second["moves"][0]
    assert (first["win"], first["margin"]) == (answer["win"], answer["margin"])
    assert list(first) == ["moves", "win", "margin", "visits"]


def test_several_positions_of_a_game_and_requests_in_order() -> None:
    moves = ["3Aa1", "13Ba2", "21Af1"]
    game = {"id": 7, "position": START, "moves": moves, "nodes": 5}
    found = answers({**game, "after": [3, 0]}, game, {**game, "level": 2, "time": 0.01})
    assert [(answer["id"], answer["after"]) for answer in found] == [(7, 3), (7, 0), (7, 3), (7, 3)]
    position = pw.Position.parse(START)
    for move in moves:
        position = position.play(pw.parse_move(position, move))
    assert found[0]["seat"] == position.turn
    pw.parse_move(position, found[0]["best"])
    assert found[0] == found[2]


GOOD = {"id": 1, "position": START, "nodes": 1}


@pytest.mark.parametrize(
    ("request_", "field", "message"),
    [
        ([], None, "a request must be a JSON object"),
        ("id", None, "a request must be a JSON object"),
        ({}, "id", "id must be a string or a whole number"),
        ({**GOOD, "id": None}, "id", "id must be a string"),
        ({**GOOD, "id": True}, "id", "id must be a string"),
        ({**GOOD, "id": [1]}, "id", "id must be a string"),
        ({"id": 1}, "position", "position must be a string"),
        ({**GOOD, "position": START + " x"}, "position", "10 words separated by spaces, not 11"),
        ({**GOOD, "position": OVER}, "after", "the game is over after 0 moves"),
        ({**GOOD, "moves": "A"}, "moves", "moves must be a list of strings"),
        ({**GOOD, "moves": [1]}, "moves", "moves must be a list of strings"),
        ({**GOOD, "moves": ["A", "26Aa1"]}, "moves", "move 2: 26Aa1: patch 26 costs 7"),
        ({**GOOD, "after": 0}, "after", "after must be a list of numbers"),
        ({**GOOD, "after": []}, "after", "after must be a list of numbers"),
        ({**GOOD, "after": [1]}, "after", "after must hold numbers from 0 to 0"),
        ({**GOOD, "after": [-1]}, "after", "after must hold numbers from 0 to 0"),
        ({**GOOD, "after": [False]}, "after", "after must hold numbers from 0 to 0"),
        ({**GOOD, "level": 9}, "level", "level must be a whole number from 1 to 8"),
        ({**GOOD, "level": "8"}, "level", "level must be a whole number from 1 to 8"),
        ({**GOOD, "nodes": -1}, "nodes", "nodes must be a whole number from 0"),
        ({**GOOD, "nodes": 1.5}, "nodes", "nodes must be a whole number from 0"),
        ({**GOOD, "lines": 0}, "lines", "lines must be a whole number from 1"),
        ({**GOOD, "time": -0.5}, "time", "time must be a number of seconds"),
        ({**GOOD, "time": float("nan")}, "time", "time must be a number of seconds"),
        ({**GOOD, "time": float("inf")}, "time", "time must be a number of seconds"),
        ({**GOOD, "time": 10**400}, "time", "time must be a number of seconds"),
        ({**GOOD, "node": 5}, "node", "unknown field; the fields are id, position"),
    ],
)
def test_errors(request_: object, field: str | None, message: str) -> None:
    error, answer = answers(request_, GOOD)
    assert list(error) == ["id", "error", "field"]
    assert error["field"] == field
    assert message in error["error"]
    assert error["id"] == (1 if isinstance(request_, dict) and field != "id" else None)
    assert answer["id"] == 1


@pytest.mark.parametrize(
    "line",
    [b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 5000, b"\0", b'{"id": 1', b"x" * 2_000_000],
    ids=lambda line: repr(line[:8]),
)
def test_lines_that_are_not_requests(line: bytes) -> None:
    error, answer = replies(line + b"\n\n  \n" + json.dumps(GOOD).encode())
    assert (error["id"], error["field"]) == (None, None)
    assert "a request " in error["error"]
    assert answer["id"] == 1


def test_an_engine_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from patchwork.engine import Engine

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Engine, "analyse", fail)
    assert answers(GOOD) == [{"id": 1, "error": "MemoryError", "field": None}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
FIELDS = st.sampled_from(["id", "position", "moves", "after", "level", "nodes", "lines"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.dictionaries(FIELDS, JSON | st.just(START) | st.just(["A"]) | st.just([0]))
        .map(lambda request: {"time": 0, **request})
        .map(json.dumps)
        .map(str.encode)
        | st.binary(max_size=40).map(lambda line: line.replace(b"\n", b""))
    )
)
def test_every_line_is_answered(lines: list[bytes]) -> None:
    found = replies(b"\n".join(lines))
    assert all("best" in answer or "error" in answer for answer in found)
    assert len(found) >= sum(bool(line.decode("utf-8", "replace").strip()) for line in lines)
