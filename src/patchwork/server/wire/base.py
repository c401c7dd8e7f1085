"""The base class of all messages, and the types of fields that several of them share."""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from patchwork.server.game import names

VERSION: Final = 1
"""Of the live messages; raised when a client that knows the previous one could misunderstand."""

Seat = Annotated[int, Field(ge=0, le=1)]
Spaces = Annotated[str, StringConstraints(pattern="^[01]{81}$")]
PLAIN_TEXT = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""Matches text without control characters, which not every database can store."""
MoveText = Annotated[str, StringConstraints(max_length=16)]
"""In the notation."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=PLAIN_TEXT)]
Name = Annotated[
    str,
    StringConstraints(max_length=names.MAX_LENGTH, strip_whitespace=True),
    AfterValidator(names.cleaned),
]
"""Any text; invisible characters are removed. It is never treated as markup."""


def _require_tag(schema: dict[str, Any]) -> None:
    if "t" in schema["properties"]:
        schema["required"] = ["t", *schema.get("required", ())]


class Message(BaseModel):
    """The base of all messages: fields that are not declared are refused, the tag is required."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_require_tag)


class ClockTerms(Message):
    """Minutes per game, perhaps with seconds added for each decision, or days per decision."""

    minutes: Annotated[float, Field(ge=0.25, le=180)] | None = None
    increment: Annotated[int, Field(ge=0, le=180)] = 0
    """Seconds."""
    days: Annotated[int, Field(ge=1, le=14)] | None = None

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.minutes is None) == (self.days is None) or (self.days and self.increment):
            raise ValueError("a clock has minutes, perhaps with an increment, or days")
        return self
