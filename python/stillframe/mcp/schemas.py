"""JSON schemas from the Structs that parse the calls; flat, without references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import inspect

Schema = dict[str, Any]

_NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.BytesType: "string",
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.NoneType: "null",
}
UNLISTED_BOUNDS = (0, 600_000, 1_000_000)
"""Bounds that the server checks and the schemas omit: no call meets them by chance, and models read every schema."""

_BOUNDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


def fields_of(struct: type[msgspec.Struct], leave_out: Iterable[str] = ()) -> list[tuple[str, Any, Any]]:
    """Return the fields of a Struct with their defaults, in the form of `msgspec.defstruct`."""
    return [
        (field.name, field.type, msgspec.field(default=field.default))
        for field in msgspec.structs.fields(struct)
        if field.name not in leave_out
    ]


def struct_schema(
    struct: type[msgspec.Struct],
    descriptions: Mapping[str, str],
    *,
    closed: bool = True,
    depth: int = 9,
    leave_out: Iterable[str] = (),
) -> Schema:
    """Return the schema of a Struct; `descriptions` has the texts by JSON name.

    Below `depth` the schema only says object or array. Types may be null in results only (`closed` is false), because
    a caller omits an argument instead.
    """
    fields = [field for field in _struct(struct).fields if field.encode_name not in leave_out]
    schema: Schema = {
        "type": "object",
        "properties": {field.encode_name: _property(field, descriptions, closed, depth - 1) for field in fields},
    }
    if required := [field.encode_name for field in fields if field.required]:
        schema["required"] = required
    return schema | ({"additionalProperties": False} if closed else {})


def _struct(struct: type[msgspec.Struct]) -> inspect.StructType:
    found = inspect.type_info(struct)
    assert isinstance(found, inspect.StructType)
    return found


def _property(field: inspect.Field, descriptions: Mapping[str, str], closed: bool, depth: int) -> Schema:
    schema = type_schema(field.type, descriptions, closed=closed, depth=depth)
    default = field.default
    if closed and isinstance(default, str | int | float) and not isinstance(default, type(msgspec.NODEFAULT)):
        schema["default"] = default
    if field.encode_name in descriptions:
        schema["description"] = descriptions[field.encode_name]
    return schema


def type_schema(type_: inspect.Type, descriptions: Mapping[str, str], *, closed: bool = True, depth: int = 9) -> Schema:
    """Return the schema of one type; a union becomes a list of type names."""
    match type_:
        case inspect.Metadata():
            return type_schema(type_.type, descriptions, closed=closed, depth=depth)
        case inspect.UnionType():
            return _union(type_, descriptions, closed, depth)
        case inspect.LiteralType():
            kind = "integer" if isinstance(type_.values[0], int) else "string"
            # A caller needs to know the words; a reader of a result sees them there.
            return {"type": kind, "enum": list(type_.values)} if closed else {"type": kind}
        case inspect.CollectionType() | inspect.VarTupleType():
            items = {} if depth <= 0 else type_schema(type_.item_type, descriptions, closed=closed, depth=depth)
            return {"type": "array", "items": items} if items else {"type": "array"}
        case inspect.StructType():
            return (
                {"type": "object"} if depth <= 0 else struct_schema(type_.cls, descriptions, closed=closed, depth=depth)
            )
    return _simple(type_)


def _simple(type_: inspect.Type) -> Schema:
    name = _NAMES.get(type(type_))
    if name is None:
        return {"type": "object"} if isinstance(type_, inspect.DictType) else {}
    bounds = {word: getattr(type_, bound, None) for bound, word in _BOUNDS.items()}
    schema = {word: value for word, value in bounds.items() if value is not None and value not in UNLISTED_BOUNDS}
    if (getattr(type_, "min_length", None) or 0) > 1:
        schema["minLength"] = type_.min_length  # type: ignore[attr-defined]
    return {"type": name, **schema}


def _union(union: inspect.UnionType, descriptions: Mapping[str, str], closed: bool, depth: int) -> Schema:
    options = [kind for kind in union.types if not (closed and isinstance(kind, inspect.NoneType))]
    schemas = [type_schema(kind, descriptions, closed=closed, depth=depth) for kind in options]
    merged: Schema = {}
    for schema in schemas:
        merged |= schema
    names = list(dict.fromkeys(schema["type"] for schema in schemas))
    return merged | {"type": names[0] if len(names) == 1 else names}
