"""A reply as a decision: what is one, what is wrong with it, and nothing but DecisionInvalid for any JSON."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe.agent.decision import MAX_CHARS, MAX_COMMANDS, Decision, ToolCall, parse_commands, parse_decision
from stillframe.errors import DecisionInvalid
from stillframe.model.actions import KINDS, Click

CLICK = {"action": "click_element", "selector": "#save"}


def test_only_the_status_is_required() -> None:
    assert parse_decision({"status": "complete"}) == Decision(status="complete")


def test_commands_become_actions() -> None:
    decision = parse_decision({"status": "continue", "commands": [CLICK]})
    assert parse_commands(decision.commands) == (Click("#save"),)
    assert parse_commands(()) == ()


INVALID: list[tuple[dict[str, Any], str, str]] = [
    ({}, "status", ""),
    ({"status": "done"}, "done", "status"),
    ({"status": "continue", "thoughts": ""}, "thoughts", "thoughts"),
    ({"status": "continue", "commands": "click"}, "commands", "commands"),
    ({"status": "continue", "commands": [CLICK, {"action": "teleport"}]}, "teleport", "commands[1]"),
    ({"status": "continue", "commands": [{**CLICK, "selector": 3}]}, "selector", "commands[0]"),
    ({"status": "continue", "commands": [{**CLICK, "selector": "a" * 10_001}]}, "10,001", "commands[0].selector"),
    ({"status": "continue", "commands": [CLICK] * (MAX_COMMANDS + 1)}, "101 commands", "commands"),
    ({"status": "continue", "needsToolResults": True}, "name the tools", "toolCalls"),
    ({"status": "infeasible", "commands": [CLICK]}, "infeasible", "status"),
    ({"status": "continue", "reasoning": "a" * MAX_CHARS}, "characters", ""),
    ({"status": "continue", "reasoning": "a" * 10_001}, "10000", "reasoning"),
    ({"status": "continue", "toolCalls": [{}]}, "tool", "toolCalls"),
    ({"status": "continue", "blockerDetected": {"description": "x", "clearingCommands": [{"action": "x"}]}},
     "blockerDetected", "blockerDetected.clearingCommands[0]"),
    ({"status": "continue", "memoryUpdate": {1: object()}}, "not JSON", ""),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "told", "field"), INVALID)
def test_what_is_wrong_is_reported_with_its_field(reply: dict[str, Any], told: str, field: str) -> None:
    with pytest.raises(DecisionInvalid, match=told.replace("[", r"\[")) as caught:
        parse_decision(reply)
    assert (caught.value.field or "").startswith(field)
    assert len(str(caught.value)) < 2_000


MEMORIES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {}, ""),
    ({"price": 3, "name": "Ann"}, {"price": 3, "name": "Ann"}, ""),
    (
        {"action": "read it", "observation": "it costs 3", "extractedData": {"price": 3}},
        {"price": 3},
        "read it: it costs 3",
    ),
    ({"action": "opened it", "observation": "empty"}, {}, "opened it: empty"),
    ({"extractedData": {"price": 3}}, {"price": 3}, ""),
    ({"observation": "", "extractedData": None}, {}, ""),
    ({"extractedData": ["a", "b"]}, {"extractedData": ["a", "b"]}, ""),
    # One key of these, or another key beside them, is data of that name.
    ({"action": "buy"}, {"action": "buy"}, ""),
    ({"action": "buy", "observation": "x", "price": 3}, {"action": "buy", "observation": "x", "price": 3}, ""),
]


@pytest.mark.parametrize(("update", "extracted", "observation"), MEMORIES)
def test_both_forms_of_a_memory_update(update: dict[str, Any], extracted: dict[str, Any], observation: str) -> None:
    memory = parse_decision({"status": "continue", "memoryUpdate": update}).memory
    assert (memory.extracted, memory.observation) == (extracted, observation)


CALL = ToolCall(tool="recall_history", arguments={"query": "lamp"})


@pytest.mark.parametrize("tool", ["tool", "name"])
@pytest.mark.parametrize("arguments", ["arguments", "params", "parameters"])
def test_other_names_of_a_tool_call(tool: str, arguments: str) -> None:
    reply = {"status": "continue", "toolCalls": [{tool: "recall_history", arguments: {"query": "lamp"}}]}
    assert parse_decision(reply).tool_calls == (CALL,)


def test_two_names_of_one_key_are_refused() -> None:
    call = {"tool": "recall_history", "name": "inspect_page"}
    with pytest.raises(DecisionInvalid, match="name"):
        parse_decision({"status": "continue", "toolCalls": [call]})


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=8,
)
CASES = settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 40)
"""Values that are made of many others take long to make; `make test-all` has more of them."""
COMMAND = st.dictionaries(
    st.sampled_from(["selector", "value", "url", "paths", "timeoutMs", "key", "x"]), ANYTHING, max_size=3
).flatmap(lambda fields: st.sampled_from([*KINDS, "x"]).map(lambda kind: {"action": kind, **fields}))
FIELDS = [field for field in (*Decision.__struct_encode_fields__, "x") if field not in ("status", "commands")]
REPLY = st.fixed_dictionaries(
    {"status": st.sampled_from(["continue", "complete", "infeasible"]) | ANYTHING},
    optional={"commands": st.lists(COMMAND | ANYTHING, max_size=3), **dict.fromkeys(FIELDS, ANYTHING)},
)


@CASES
@given(st.dictionaries(st.text(), ANYTHING, max_size=5) | REPLY)
def test_any_json_is_a_decision_or_decision_invalid(reply: dict[str, Any]) -> None:
    with suppress(DecisionInvalid):
        assert isinstance(parse_decision(reply), Decision)


@CASES
@given(st.lists(COMMAND, max_size=3))
def test_any_commands_are_actions_or_decision_invalid(commands: list[dict[str, Any]]) -> None:
    with suppress(DecisionInvalid):
        assert len(parse_commands(tuple(commands))) == len(commands)
