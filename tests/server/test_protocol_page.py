"""The documentation of the protocol describes everything in ``wire``, and nothing else."""

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from patchwork.rules.moves import Reason
from patchwork.server import wire
from patchwork.server.app import create_app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.events import Kind
from patchwork.server.game.refusals import Code
from patchwork.server.guard.guard import LONGEST_BODY
from patchwork.server.http import sockets
from patchwork.server.http.errors import status_of
from patchwork.server.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
CODE = re.compile("`([^`\n]+)`")


def section(title: str) -> str:
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def parts(title: str) -> dict[str, str]:
    """Returns the text under each subheading of a section that is a name in code."""
    found = re.split(r"^### `([^`]+)`$", section(title), flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def rows(text: str) -> list[list[str]]:
    """Returns the cells of all tables in a text, without the header rows."""
    tables = re.findall(r"^\|.*\|\n\| --- .*\n((?:\|.*\n)*)", text, re.MULTILINE)
    return [
        [cell.strip() for cell in row.strip("|").split("|")]
        for table in tables
        for row in table.splitlines()
    ]


def named(text: str) -> list[str]:
    """Returns the names in the first columns of the tables in a text."""
    return [name for row in rows(text) for name in CODE.findall(row[0])]


def by_name(union: object) -> dict[str, type[BaseModel]]:
    models = get_args(get_args(union)[0])
    return {model.model_fields["t"].default: model for model in models}


CLIENT, SERVER = by_name(wire.FromClient), by_name(wire.FromServer)
OBJECTS = {
    name: model
    for name, model in vars(wire).items()
    if isinstance(model, type)
    and issubclass(model, wire.Message)
    and model not in {*CLIENT.values(), *SERVER.values(), wire.Message, wire.Action}
}
DESCRIBED = [
    pytest.param(model, parts(title).get(name, ""), own, id=f"{title}: {name}")
    for title, models, own in (
        ("What a client says", CLIENT, {"t"}),
        ("What the server says", SERVER, {"t", "v"}),
        ("Objects", OBJECTS, set()),
    )
    for name, model in models.items()
]


@pytest.mark.parametrize(
    ("title", "models"),
    [("What a client says", CLIENT), ("What the server says", SERVER), ("Objects", OBJECTS)],
)
def test_every_message_is_described(title: str, models: dict[str, type[BaseModel]]) -> None:
    assert sorted(parts(title)) == sorted(models)


@pytest.mark.parametrize(("model", "text", "own"), DESCRIBED)
def test_every_field_is_described(model: type[BaseModel], text: str, own: set[str]) -> None:
    if issubclass(model, wire.Action):
        own = {*own, *wire.Action.model_fields}
    assert sorted(named(text)) == sorted(set(model.model_fields) - own)


def test_the_common_fields_of_actions_are_described() -> None:
    text = section("What a client says").partition("### Actions")[2].partition("### `")[0]
    assert named(text) == list(wire.Action.model_fields)


@pytest.mark.parametrize(("model", "text", "own"), DESCRIBED)
def test_every_message_has_an_example(model: type[BaseModel], text: str, own: set[str]) -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    read = model.model_validate_json(example)
    if own:
        assert f'"t": "{model.model_fields["t"].default}"' in example
    assert model.model_validate_json(read.model_dump_json()) == read


def test_every_refusal_code_is_described() -> None:
    text = section("Refusals").partition("### ")[0]
    assert named(text) == list(Code)
    assert [int(row[1]) for row in rows(text)] == [status_of(code) for code in Code]


def test_every_reason_is_described() -> None:
    assert named(section("Refusals").partition("### Reasons of the rules")[2]) == list(Reason)


def test_every_kind_of_event_is_described() -> None:
    assert named(section("Events")) == list(Kind)


def test_every_request_is_described() -> None:
    paths = create_app(Settings(), EnginePool(0)).openapi()["paths"]
    requests = [f"{method.upper()} {path}" for path in paths for method in paths[path]]
    assert named(section("HTTP")) == requests


def test_close_codes_are_described() -> None:
    codes = {int(row[0]) for row in rows(section("The socket"))}
    assert codes == {
        sockets.DONE,
        sockets.GOING_AWAY,
        sockets.POLICY,
        sockets.TRY_LATER,
        1002,
        1007,
        1009,
        1012,
    }


def test_documented_limits_are_the_defaults() -> None:
    for name, default, _ in rows(section("Limits")):
        assert getattr(Settings(), name.strip("`")) == float(default), name
    assert f"{LONGEST_BODY:,} bytes" in section("Limits")


def test_every_name_on_the_page_exists() -> None:
    prose = re.sub(r"^```.*?^```", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    models = [*CLIENT.values(), *SERVER.values(), *OBJECTS.values()]
    known = {field for model in models for field in model.model_fields}
    known |= {*CLIENT, *SERVER, *OBJECTS, *Code, *Kind, *Reason}
    known |= set(Settings.__dataclass_fields__)
    known |= {
        value
        for model in models
        for field in model.model_fields.values()
        for value in values(field.annotation)
    }
    elsewhere = {"before"}
    words = {word for word in CODE.findall(prose) if re.fullmatch("[A-Za-z][a-z_-]+", word)}
    assert words - known == elsewhere


def values(annotation: object) -> set[str]:
    """Returns the literal texts that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, str):
        return {str(member) for member in getattr(annotation, "__members__", {}).values()}
    found = {part for part in get_args(annotation) if isinstance(part, str)}
    return found.union(*(values(part) for part in get_args(annotation)))
