"""The schemas of the tools, as clients read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest

from stillframe.mcp import descriptions
from stillframe.mcp.capabilities import EVERY
from stillframe.mcp.tool_row import ToolRow
from stillframe.mcp.tools import every_tool, tool_table
from stillframe.model.actions import KINDS
from stillframe.model.options import SequenceOptions

MOST_CHARS = 13_600
"""The schemas have 13,520 characters; the points, buttons and click counts of pointer actions take 600 of them, the
order of rows and the messages that are gone 140, the controls of rows and those nearby 200, the text of replies 70, the
note on old browsers 70, the text of aria_snapshot 40, the resource of a screenshot 60, scroll_to 140, what caused an
outcome 140."""
MOST_CHARS_TAKEN = 9_000
"""Of names, descriptions and input schemas, which every client hands to its model with each request."""
MOST_TOOLS = 6
READING = {
    *("aria_snapshot", "screenshot", "wait_for"),
    *("console_messages", "network_requests", "network_request", "find"),
    *("marked_screenshot", "save_pdf", "downloads"),
    *("list_webmcp_tools", "ask_user"),
}
"""The tools that change nothing."""


def size(schema: Any) -> int:
    return len(json.dumps(schema, separators=(",", ":"), ensure_ascii=False))


def taken(tool: types.Tool) -> int:
    return len(tool.name) + len(tool.description or "") + size(tool.input_schema)


def test_the_default_tools_are_few_and_their_schemas_short() -> None:
    tools = [row.tool for row in tool_table().shown.values()]
    assert len(tools) <= MOST_TOOLS
    assert sum(size(tool.input_schema) + size(tool.output_schema) for tool in tools) <= MOST_CHARS
    assert sum(taken(tool) for tool in tools) <= MOST_CHARS_TAKEN


def test_every_kind_of_action_has_a_tool() -> None:
    assert set(KINDS) <= set(tool_table(EVERY).shown)


@pytest.mark.parametrize("row", every_tool().values(), ids=lambda row: row.tool.name)
def test_each_schema_can_be_read_by_the_simplest_client(row: ToolRow) -> None:
    tool = row.tool
    assert re.fullmatch(r"[a-z_]{1,64}", tool.name)
    assert tool.title
    assert tool.description
    for schema in (tool.input_schema, tool.output_schema):
        assert schema is not None
        assert schema["type"] == "object"
        text = json.dumps(schema)
        assert not any(word in text for word in ('"$ref"', '"oneOf"', '"anyOf"', '"allOf"'))
    assert tool.input_schema["additionalProperties"] is False
    assert tool.annotations is not None
    assert "sessionId" in tool.input_schema["properties"]


@pytest.mark.parametrize("row", every_tool().values(), ids=lambda row: row.tool.name)
def test_every_field_is_described(row: ToolRow) -> None:
    for schema in (row.tool.input_schema, row.tool.output_schema):
        assert [path for path, field in fields(schema) if not field.get("description")] == []


def fields(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in schema.get("properties", {}).items():
        yield f"{path}.{name}", field
        yield from fields(field, f"{path}.{name}")
        yield from fields(field.get("items", {}), f"{path}.{name}[]")


def test_execute_sequence_takes_every_option_and_every_field_of_every_action() -> None:
    properties = every_tool()["execute_sequence"].tool.input_schema["properties"]
    assert set(SequenceOptions.__struct_encode_fields__) <= set(properties)
    action = properties["actions"]["items"]["properties"]
    assert action["action"]["enum"] == list(KINDS)
    for kind in KINDS.values():
        assert set(kind.__struct_encode_fields__) <= set(action)


def test_annotations_tell_looking_from_acting() -> None:
    notes = {name: row.tool.annotations for name, row in every_tool().items()}
    reading = {name for name, note in notes.items() if note and note.read_only_hint}
    assert reading == READING
    assert all(notes[name].idempotent_hint for name in reading)
    assert notes["execute_sequence"].destructive_hint
    assert notes["execute_sequence"].open_world_hint
    assert notes["sessions"].open_world_hint is False
    assert notes["click_element"].destructive_hint


def test_no_word_about_a_field_is_left_over() -> None:
    used = {path.rpartition(".")[2] for row in every_tool().values() for path, _ in fields(row.tool.input_schema)}
    assert set(descriptions.ARGUMENTS) - used == set()
