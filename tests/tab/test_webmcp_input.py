"""The input of a page's tool is checked by the schema of the page, which may be wrong or made to hang its reader."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.errors import OptionInvalid, WebMCPInputInvalid
from stillframe.tab import webmcp_input
from stillframe.tab.webmcp_input import check, plain_input

SCHEMA = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "enum": ["Oslo", "Rome"]},
        "seats": {"type": "integer", "minimum": 1},
        "who": {"type": "array", "items": {"$ref": "#/$defs/person"}},
    },
    "required": ["to"],
    "additionalProperties": False,
    "$defs": {"person": {"type": "object", "required": ["name"]}},
}


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("given", "path", "reason"),
    [
        ({}, "", "'to' is a required property"),
        ({"to": 1}, "to", "1 is not"),
        ({"to": "Bonn"}, "to", r"'Bonn' is not one of \['Oslo', 'Rome'\]"),
        ({"to": "Rome", "seats": 0}, "seats", "0 is less than the minimum of 1"),
        ({"to": "Rome", "who": [{"name": "A"}, {}]}, r"who[1]", "'name' is a required property"),
        ({"to": "Rome", "when": "now"}, "", r"Additional properties are not allowed \('when' was unexpected\)"),
    ],
)
def test_what_does_not_match_is_named_with_its_place(given: dict[str, Any], path: str, reason: str) -> None:
    with pytest.raises(WebMCPInputInvalid, match=reason) as error:
        check("book", SCHEMA, given)
    assert (error.value.tool, error.value.path) == ("book", path)
    assert "the tool was not called" in str(error.value)


def test_what_matches_passes() -> None:
    check("book", SCHEMA, {"to": "Rome", "seats": 2, "who": [{"name": "A"}]})
    check("book", None, {"anything": 1})


DOUBLING = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(60)} | {"l60": {}}


@pytest.mark.every_row
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/l0", "$defs": DOUBLING},
        {"properties": {"a": {"pattern": "^(a+)+$"}}},
        {"$ref": "https://example.org/schema.json"},
        {"$ref": "#/nowhere"},
        {"$dynamicRef": "#x"},
        {"type": "strnig"},
        {"properties": 7},
        {"required": 3},
        {"properties": {"a": {"minLength": "x"}}},
    ],
    ids=["circle", "doubling", "regex", "elsewhere", "nowhere", "dynamic", "unknown type", "number", "no list", "text"],
)
def test_a_schema_that_cannot_be_followed_is_left_to_the_page(schema: dict[str, Any]) -> None:
    check("tool", schema, {"a": "a" * 200 + "!"})


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([1], "must be an object with its arguments, not list"),
        ("{}", "must be an object with its arguments, not str"),
        ({"a": object()}, "is not JSON"),
        ({"a": "\ud800"}, "is not JSON"),
    ],
    ids=["list", "text", "object", "surrogate"],
)
def test_an_input_that_is_not_a_json_object_is_refused(given: Any, reason: str) -> None:
    with pytest.raises(WebMCPInputInvalid, match=reason):
        plain_input("tool", given)


def test_inputs_become_plain_json() -> None:
    assert plain_input("tool", None) == {}
    assert plain_input("tool", {"a": (1, 2)}) == {"a": [1, 2]}


def test_without_jsonschema_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(webmcp_input, "import_module", missing)
    monkeypatch.setattr(webmcp_input, "_library", webmcp_input._library.__wrapped__)
    with pytest.raises(OptionInvalid, match=r"stillframe\[webmcp\].*validate=False"):
        check("tool", {"type": "object"}, {})
