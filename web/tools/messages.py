"""Writes ``src/generated/wire.ts``: the messages of ``patchwork.server.wire`` as TypeScript.

``make generated`` runs it; a test fails if the file is out of date.
"""

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from patchwork.server import wire

TARGET = Path(__file__).parents[1] / "src" / "generated" / "wire.ts"
HEAD = "// Written by web/tools/messages.py from src/patchwork/server/wire. Do not edit.\n"
UNIONS = {"FromClient": wire.FromClient, "FromServer": wire.FromServer}


def types() -> str:
    """Returns the declarations of every message."""
    models = [
        model
        for model in vars(wire).values()
        if isinstance(model, type) and issubclass(model, wire.Message) and model is not wire.Message
    ]
    _, schema = models_json_schema([(model, "serialization") for model in models])
    parts = [_declaration(name, body) for name, body in sorted(schema["$defs"].items())]
    for name, union in UNIONS.items():
        members = TypeAdapter(union).json_schema(ref_template="{model}")["oneOf"]
        parts.append(f"export type {name} = {' | '.join(member['$ref'] for member in members)};\n")
    return HEAD + "\n" + "\n".join(parts)


def _declaration(name: str, schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return f"export type {name} = {_type(schema)};\n"
    required = schema.get("required", [])
    fields = "".join(
        f"  {field}{'' if field in required else '?'}: {_type(body)};\n"
        for field, body in schema["properties"].items()
    )
    return f"export interface {name} {{\n{fields}}}\n"


def _type(schema: dict[str, Any]) -> str:
    match schema:
        case {"$ref": reference}:
            return str(reference).rpartition("/")[2]
        case {"const": value}:
            return _literal(value)
        case {"enum": values}:
            return " | ".join(map(_literal, values))
        case {"anyOf": choices} | {"oneOf": choices}:
            return " | ".join(dict.fromkeys(_type(choice) for choice in choices))
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(map(_type, items))}]"
        case {"type": "array", "items": items}:
            return f"({_type(items)})[]" if "|" in _type(items) else f"{_type(items)}[]"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": "string" | "boolean" | "null" as plain}:
            return str(plain)
    raise ValueError(f"no type for {schema}")


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    TARGET.write_text(types(), encoding="utf-8")
