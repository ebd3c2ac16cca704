"""Structs that validate their fields when they are constructed.

A plain `msgspec.Struct` checks types only when it is decoded. `Validated` gives a class the same checks for its
constructor, so that a wrong value is an error where it is written and not where it is used. Type checkers see the
constructor of a plain Struct: the metaclass shows them nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from stillframe.errors import InputError
from stillframe.model.suggest import unknown, with_unit

UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
MISSING = re.compile(r"Object missing required field `(.*)`")
NOT_AN_OBJECT = re.compile(r"Expected `object(?: \| null)?`, got `(\w+)`")
NOT_A_CHOICE = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
PATH = re.compile(r"([^.\[]*)(.*)", re.DOTALL)
"""The first field of a path such as `position.x` or `modifiers[0]`, and the rest."""


class Validated(msgspec.StructMeta):
    """The metaclass of Structs that validate their fields when they are constructed.

    A class reports a problem with the error that its static method `invalid(message, field)` returns. Two more members
    are optional. `OPERANDS` names the positional arguments where they are not the first fields; a call with fewer of
    them gives the last ones, so that `OPERANDS = ("selector", "key")` takes both `PressKey("Enter")` and
    `PressKey("#search", "Enter")`. `plain(fields)` is a static method that turns what callers may write (a `Path`) into
    what msgspec knows.
    """

    if not TYPE_CHECKING:

        def __call__(cls, *arguments: Any, **fields: Any) -> Any:  # noqa: N805  a metaclass
            """Construct a value and validate it; raises the error of the class."""
            given = _json_fields(cls, arguments, fields)
            try:
                # The one pass that checks also constructs: nothing is validated twice.
                return msgspec.convert(cls.plain(given), cls)
            except msgspec.ValidationError as error:
                raise _invalid(cls, error) from None

        def plain(cls, fields: dict[str, Any]) -> dict[str, Any]:  # noqa: N805
            """Return the fields as they are validated; classes override it to take other forms."""
            return fields


class Problem(NamedTuple):
    """What a `msgspec.ValidationError` says is wrong: the path of the field, None for the whole, and why."""

    field: str | None
    reason: str


def read_problem(
    error: msgspec.ValidationError, kind: type[msgspec.Struct], names: Mapping[str, str], what: str = "field"
) -> Problem:
    """Return the problem that a `ValidationError` of a Struct reports, with the nearest name for an unknown one.

    `names` gives the name by which the caller knows a field for each name in JSON; `what` is the word for a field.
    """
    reason, _, path = str(error).partition(" - at `$")
    first, rest = PATH.fullmatch(path.rstrip("`").lstrip(".")).groups()  # type: ignore[union-attr]
    field = names.get(first, first) + rest or None
    if (found := UNKNOWN.fullmatch(reason)) and field is None:
        return Problem(found[1], unknown(what, found[1], names.values()))
    if found := MISSING.fullmatch(reason):
        name = ".".join(filter(None, (field, names.get(found[1], found[1]))))
        return Problem(name, f"{what} {name} is missing")
    if (found := NOT_A_CHOICE.fullmatch(reason)) and (choices := _choices(kind, first)):
        reason = unknown("value", found[1], choices)
    if not rest and (found := NOT_AN_OBJECT.fullmatch(reason)) and (nested := _nested(kind, first)):
        reason = f"give {_form(nested)}, not {WORDS.get(found[1], found[1])}"
    return Problem(field, f"{what} {with_unit(field)}: {_lowered(reason)}" if field else _lowered(reason))


WORDS = {"array": "a list or a tuple", "str": "a text", "int": "a number", "float": "a number", "bool": "a bool"}
"""What msgspec calls the JSON types, in words."""


def _form(kind: type[msgspec.Struct]) -> str:
    """Return how to write a value of a Struct, by the fields that it must have; if it must have none, by the first."""
    fields = msgspec.structs.fields(kind)
    if required := [field.name for field in fields if field.required]:
        constructor = f"{kind.__name__}({', '.join(f'{name}=…' for name in required)})"
        return f"{constructor} or an object with {_joined(required, 'and')}"
    names = [field.name for field in fields]
    return f"{kind.__name__}({names[0]}=…) or an object with {_joined(names, 'or')}"


def _joined(names: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _nested(kind: type[msgspec.Struct], json_name: str) -> type[msgspec.Struct] | None:
    """Return the Struct that a field holds, if it holds one."""
    from msgspec import inspect  # only mistakes need it

    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    types = [field.type for field in info.fields if field.encode_name == json_name]
    for each in types:
        if isinstance(each, inspect.StructType):
            return each.cls
        types.extend(getattr(each, "types", ()))
    return None


def _choices(kind: type[msgspec.Struct], json_name: str) -> list[str]:
    """Return the texts that a field may have, where it takes only some."""
    from msgspec import inspect  # only mistakes need it

    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    types = [field.type for field in info.fields if field.encode_name == json_name]
    for each in types:
        if isinstance(each, inspect.LiteralType):
            return [str(value) for value in each.values]
        inner = getattr(each, "types", None) or [getattr(each, "item_type", None)]
        types.extend(inner if isinstance(inner, list | tuple) else ())
    return []


def milliseconds_problem(name: str, value: float, what: str = "field") -> str | None:
    """Return what is wrong with a number of milliseconds that seems to be in seconds, or None."""
    if not 0 < value < 1:
        return None
    return f"{what} {with_unit(name)}: {value} is less than a millisecond; write {value * 1000:g} for {value} seconds"


def own_error(error: msgspec.ValidationError) -> InputError | None:
    """Return the error that a `__post_init__` of ours raised, if that is what made the `ValidationError`."""
    return error.__cause__ if isinstance(error.__cause__, InputError) else None


@cache
def json_names(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the JSON name of each field of a Struct by its Python name."""
    return dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))


@cache
def python_names(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the Python name of each field of a Struct by its JSON name."""
    return {json: name for name, json in json_names(kind).items()}


def _json_fields(kind: Any, arguments: Sequence[Any], fields: dict[str, Any]) -> dict[str, Any]:
    names = json_names(kind)
    given = {}
    if arguments:
        given = {names[name]: value for name, value in _operands(kind, arguments, fields)}
    for name, value in fields.items():
        json_name = names.get(name)
        if json_name is None:
            raise kind.invalid(f"{kind.__name__}: {unknown('field', name, names)}", name)
        if json_name in given:
            raise kind.invalid(f"{kind.__name__}: field {name} is given twice", name)
        given[json_name] = value
    return given


def _operands(kind: Any, arguments: Sequence[Any], fields: Mapping[str, Any]) -> zip[tuple[str, Any]]:
    """Pair positional arguments with the fields they give."""
    named: tuple[str, ...] = getattr(kind, "OPERANDS", ())
    takes = [name for name in named if name not in fields][-len(arguments) :] if named else kind.__match_args__
    if len(arguments) > len(takes):
        most = ", ".join(named or takes) or "none"
        raise kind.invalid(f"{kind.__name__}: too many positional arguments ({len(arguments)}); it takes {most}", None)
    return zip(takes, arguments, strict=False)


def _invalid(kind: Any, error: msgspec.ValidationError) -> InputError:
    if (own := own_error(error)) is not None:
        return own
    field, reason = read_problem(error, kind, python_names(kind))
    invalid: InputError = kind.invalid(f"{kind.__name__}: {reason}", field)
    return invalid


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
