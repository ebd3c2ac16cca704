"""Structs with the metaclass `Validated` validate in their constructor, and the problems of others are read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest

from stillframe.errors import InputError, OptionInvalid
from stillframe.model.validation import Validated, milliseconds_problem, own_error, python_names, read_problem


class Point(msgspec.Struct, frozen=True, rename="camel", metaclass=Validated):
    x_px: int
    y_px: Annotated[int, msgspec.Meta(ge=0)] = 0

    invalid = staticmethod(lambda message, field: OptionInvalid(message, option=field))


class Line(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, metaclass=Validated):
    style: Literal["solid", "dotted"] | None = None
    end: Point | None = None
    width_ms: float = 1

    OPERANDS = ("style", "end")

    invalid = staticmethod(lambda message, field: OptionInvalid(message, option=field))

    @staticmethod
    def plain(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: 0 if value == "zero" else value for name, value in fields.items()}

    def __post_init__(self) -> None:
        if self.width_ms > 9:
            raise OptionInvalid("too wide", option="width_ms")


def refused(kind: Any, *arguments: Any, **fields: Any) -> OptionInvalid:
    with pytest.raises(OptionInvalid) as caught:
        kind(*arguments, **fields)
    return caught.value


def test_positional_arguments_are_the_first_fields() -> None:
    assert (Point(1, 2).x_px, Point(1).y_px) == (1, 0)
    assert "too many positional arguments (3); it takes x_px, y_px" in str(refused(Point, 1, 2, 3))


def test_fewer_operands_are_the_last_ones() -> None:
    end = Point(1)
    assert (Line(end).style, Line(end).end) == (None, end)
    assert Line("solid", end) == Line(style="solid", end=end) == Line("solid", end=end)


def test_nested_structs_may_be_mappings_with_their_json_names() -> None:
    assert Line(end={"xPx": 3}).end == Point(3)
    assert refused(Line, end={"xPx": -1, "yPx": -1}).option == "end.yPx"


def test_plain_turns_what_callers_write_into_what_is_stored() -> None:
    assert Line(width_ms="zero").width_ms == 0


@pytest.mark.parametrize(
    ("kind", "fields", "said", "option"),
    [
        (Point, {}, "Point: field x_px is missing", "x_px"),
        (Point, {"x_px": "1"}, "Point: field x_px: expected `int`, got `str`", "x_px"),
        (Point, {"x_px": 1, "z": 2}, "Point: unknown field 'z'", "z"),
        (Line, {"style": "doted"}, "unknown value 'doted'; did you mean 'dotted'? Known: dotted, solid", "style"),
        (Line, {"width": 2}, "unknown field 'width'; did you mean 'width_ms' (milliseconds)?", "width"),
        (Line, {"width_ms": "2"}, "Line: field width_ms (milliseconds): expected `float`, got `str`", "width_ms"),
        (Line, {"width_ms": 10}, "too wide", "width_ms"),
        (Line, {"end": {}}, "Line: field end.xPx is missing", "end.xPx"),
    ],
)
def test_a_problem_names_the_field_and_why(kind: Any, fields: dict[str, Any], said: str, option: str) -> None:
    error = refused(kind, **fields)
    assert said in str(error)
    assert error.option == option


def test_the_problem_of_a_decoded_value_has_the_callers_name() -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"xPx": 1, "yPx": -1}, Point)
    assert own_error(caught.value) is None
    problem = read_problem(caught.value, Point, python_names(Point), what="option")
    assert problem == ("y_px", "option y_px: expected `int` >= 0")


def test_the_error_of_a_constructor_is_found() -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"widthMs": 10}, Line)
    assert isinstance(own_error(caught.value), InputError)


def test_a_fraction_of_a_millisecond_is_taken_for_seconds() -> None:
    assert milliseconds_problem("timeout_ms", 0) is None
    assert milliseconds_problem("timeout_ms", 1) is None
    assert milliseconds_problem("timeout_ms", 0.25) == (
        "field timeout_ms (milliseconds): 0.25 is less than a millisecond; write 250 for 0.25 seconds"
    )
