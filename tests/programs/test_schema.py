"""Requests and analyses survive as JSON; anything else is refused."""

import json
from typing import Any

import pytest

import patchwork as pw
from patchwork.engine import Analysis, Limit, Line
from patchwork.programs.errors import NoAnalysis, ProtocolError, WrongMove
from patchwork.programs.schema import (
    AnalysisRequest,
    InvalidRequest,
    Options,
    analysis_as_json,
    analysis_from_json,
    error_as_json,
    load_object,
    request_as_json,
    request_from_json,
)
from support.positions import START

POSITION = pw.Position.parse(START)
ANALYSIS = Analysis(
    best=pw.Advance(),
    win=1 / 3,
    margin=-2 / 7,
    seat=0,
    lines=(Line((pw.Advance(), pw.Advance()), 1 / 3, -2 / 7, 12),),
    visits=40,
    exact=False,
    scores=(12.5, 1 / 9),
)


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(level=3),
        Options(limit=Limit(time=0.1)),
        Options(limit=Limit(nodes=7), lines=3),
        Options(8, Limit(time=1e-3, nodes=0), 2),
    ],
)
def test_a_request_survives(options: Options) -> None:
    request = AnalysisRequest(POSITION, options, seed=9)
    assert request_from_json(load_object(json.dumps(request_as_json(request)))) == request


def test_an_analysis_survives_to_the_last_digit() -> None:
    content = load_object(json.dumps(analysis_as_json(ANALYSIS)))
    assert analysis_from_json(content, POSITION) == ANALYSIS


def test_an_analysis_for_people_is_rounded() -> None:
    content = analysis_as_json(ANALYSIS, rounded=True)
    assert (content["win"], content["margin"], content["scores"]) == (0.3333, -0.29, [12.5, 0.11])


@pytest.mark.parametrize("text", ["", "nonsense", "[1]", "1", "[" * 100_000])
def test_other_lines_are_not_requests(text: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        load_object(text)
    assert error.value.field is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("position", None),
        ("position", "START"),
        ("level", 9),
        ("time", -1),
        ("nodes", 0.5),
        ("lines", 1346),
        ("seed", -1),
    ],
)
def test_the_field_at_fault_is_named(field: str, value: object) -> None:
    content = request_as_json(AnalysisRequest(POSITION))
    with pytest.raises(InvalidRequest) as error:
        request_from_json(content | {field: value})
    assert error.value.field == field


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"best": "99Zz"}, WrongMove),
        ({"best": "La1"}, WrongMove),
        ({"seat": 1}, ProtocolError),
        ({"win": "much"}, ProtocolError),
        ({"lines": [{"moves": ["nonsense"]}]}, WrongMove),
        ({"lines": [{}]}, ProtocolError),
        ({"lines": 3}, ProtocolError),
        ({"scores": [1]}, ProtocolError),
        (error_as_json("no wool"), NoAnalysis),
    ],
)
def test_an_invalid_answer_is_refused(change: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind) as error:
        analysis_from_json(analysis_as_json(ANALYSIS) | change, POSITION)
    assert type(error.value) is kind


def test_an_answer_without_a_move_is_refused() -> None:
    with pytest.raises(ProtocolError):
        analysis_from_json({}, POSITION)
