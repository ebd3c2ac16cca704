"""Check the input of a page's tool against the schema that the page gives; Chrome itself does not (Chromium 156).

The schema comes from the page, so it may be made to hang its reader. Regular expressions in it are left to the page,
and references are followed only within the schema and a limited number of times.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import count
from typing import Any

import msgspec

from stillframe.errors import OptionInvalid, WebMCPInputInvalid
from stillframe.model.bounds import short

MAX_REFERENCES = 1_000
"""How many references one check follows; a schema of an honest tool has some dozens. References that lead to two
others each double the work with every level."""
MESSAGE_CHARACTERS = 300

MISSING = (
    "the input of a page's tool is checked with jsonschema: pip install 'stillframe[webmcp]', or pass validate=False "
    "to leave the check to the page"
)


class _SchemaUnusable(Exception):
    """The schema cannot be followed to its end."""


def plain_input(tool: str, value: Any) -> dict[str, Any]:
    """Return the input as plain JSON; raises WebMCPInputInvalid for what is not a JSON object."""
    if value is None:
        return {}
    try:
        plain = msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise WebMCPInputInvalid(
            f"the input of {tool!r} is not JSON: {error}; pass a dict of plain values", tool=tool
        ) from None
    if not isinstance(plain, dict):
        raise WebMCPInputInvalid(
            f"the input of {tool!r} must be an object with its arguments, not {type(value).__name__}", tool=tool
        )
    return plain


def check(tool: str, schema: dict[str, Any] | None, value: dict[str, Any]) -> None:
    """Raise WebMCPInputInvalid, with the place and the reason, for an input that does not match the schema.

    A schema that is not one, or that leads in circles, checks nothing: that is for the page to notice. Raises
    OptionInvalid if jsonschema is not installed.
    """
    if not schema:
        return
    try:
        problem = next(iter(_problems(schema, value)), None)
    except (_SchemaUnusable, RecursionError):
        return
    if problem is not None:
        path, reason = problem
        where = f" at {path}" if path else ""
        raise WebMCPInputInvalid(
            f"the input of {tool!r} does not match its schema{where}: {reason}; the tool was not called",
            tool=tool,
            path=path,
        )


def _problems(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the place and the reason of what is wrong, the most telling first."""
    library = _library()
    steps = count(1)

    def followed(validator: Any, reference: Any, instance: Any, of: Any) -> Any:
        if next(steps) > MAX_REFERENCES:
            raise _SchemaUnusable
        yield from library.follow(validator, reference, instance, of)

    validator = library.extended({"$ref": followed})(schema, registry=library.registry)
    try:
        errors = sorted(validator.iter_errors(value), key=library.relevance)
    except library.unusable:
        raise _SchemaUnusable from None
    for error in errors:
        yield error.json_path.removeprefix("$").removeprefix("."), short(error.message, MESSAGE_CHARACTERS)


class _Library:
    """What is used of jsonschema; it is imported when the first input is checked."""

    def __init__(self) -> None:
        try:
            jsonschema = import_module("jsonschema")
            errors, validators = import_module("jsonschema.exceptions"), import_module("jsonschema.validators")
            referencing = import_module("referencing")
        except ModuleNotFoundError:
            raise OptionInvalid(MISSING, option="validate") from None
        self._extend = validators.extend
        self._base = jsonschema.Draft202012Validator
        self.registry = referencing.Registry()
        """A registry that retrieves nothing: a reference to elsewhere cannot be resolved."""
        self.relevance = errors.relevance
        self.follow = self._base.VALIDATORS["$ref"]
        # An invalid schema makes the validator stumble over its own keywords in many ways.
        self.unusable: tuple[type[Exception], ...] = (
            *(referencing.exceptions.Unresolvable, errors.UnknownType, errors.SchemaError),
            *(TypeError, ValueError, AttributeError, LookupError),
        )

    def extended(self, keywords: dict[str, Any]) -> Any:
        left_to_the_page = dict.fromkeys(("pattern", "patternProperties", "$dynamicRef", "format"), _accepted)
        return self._extend(self._base, validators={**left_to_the_page, **keywords})


@cache
def _library() -> _Library:
    return _Library()


def _accepted(*_: Any) -> tuple[()]:
    return ()
