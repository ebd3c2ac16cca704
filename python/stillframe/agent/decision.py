"""What a model decides in one turn: its JSON, its bounds, and the typed actions in it.

A reply is data. Commands become the actions of `stillframe.model.actions`, tools are looked up by name, and nothing in
a reply is ever evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from stillframe.agent.errors import DecisionInvalid
from stillframe.errors import ActionInvalid
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import Action
from stillframe.model.validation import json_names, read_problem

Status = Literal["continue", "complete", "stuck", "infeasible"]
ReEvaluationIssue = Literal["prior_incomplete", "already_done", "wrong_order"]
MAX_CHARS = 200_000
"""Characters of a whole reply as JSON. Models write some thousands; a longer one is an accident or an attack."""
MAX_FIELD_CHARS = 10_000
"""Characters of one text of a command, such as a selector or a value."""
MAX_COMMANDS = 100
"""Commands to parse at most; `Limits.max_commands_per_iteration` says how many of them run."""
Prose = Annotated[str, msgspec.Meta(max_length=10_000)]
Short = Annotated[str, msgspec.Meta(max_length=1_000)]


class DecisionPart(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What all parts of a decision share: an unknown key is a mistake that the model has to read about."""


Part = TypeVar("Part", bound=DecisionPart)
CALL_NAMES = {"name": "tool", "params": "arguments", "parameters": "arguments"}
"""Other names of the keys of a tool call, which many models write out of habit."""
MEMORY_NAMES = frozenset({"action", "observation", "extractedData"})
"""The keys of a memory update that says what was done and seen, besides the data to keep."""


class ToolCall(DecisionPart, frozen=True):
    """A tool to call, by its name, with its arguments."""

    tool: Short
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class SelfReflection(DecisionPart, frozen=True):
    """What the model tells itself for its next turn."""

    guidance_for_next: Prose = ""
    detecting_loop: bool = False
    loop_reasoning: Prose = ""


class BlockerDetected(DecisionPart, frozen=True):
    """Something in the way, such as a cookie banner; its commands run before all others."""

    description: Prose
    clearing_commands: tuple[dict[str, Any], ...] = ()


class StepReEvaluation(DecisionPart, frozen=True):
    """What is wrong with the current step itself."""

    detected: bool
    issue: ReEvaluationIssue | None = None
    explanation: Prose = ""


class Decision(DecisionPart, frozen=True):
    """One turn of the model. Only `status` is required; in JSON the keys are camelCase.

    `commands` are actions as JSON objects until `parse_commands` turns them into actions. `memory_update` maps names to
    extracted data, or has the keys `action`, `observation` and `extractedData`; `memory` reads both forms.
    """

    status: Status
    status_reasoning: Prose = ""
    reasoning: Prose = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_reasoning: Prose = ""
    needs_tool_results: bool = False
    commands: tuple[dict[str, Any], ...] = ()
    command_reasoning: Prose = ""
    self_reflection: SelfReflection | None = None
    experiences: tuple[Prose, ...] = ()
    memory_update: dict[str, Any] = msgspec.field(default_factory=dict)
    blocker_detected: BlockerDetected | None = None
    step_re_evaluation: StepReEvaluation | None = None
    note_to_future_self: Prose = ""
    site_learnings: tuple[Prose, ...] = ()

    @property
    def memory(self) -> Memory:
        """What the memory update says."""
        return read_memory(self.memory_update)


class Memory(NamedTuple):
    """What a turn adds to the memory: data by name, and what the model did and saw in its own words."""

    extracted: Mapping[str, Any]
    observation: str = ""


def read_memory(update: Mapping[str, Any]) -> Memory:
    """Return what a memory update says, in either of its forms.

    One with the keys of MEMORY_NAMES only describes the turn if it has `extractedData`, or both of the others; any
    other one maps names to data.
    """
    described = "extractedData" in update or {"action", "observation"} <= set(update)
    if not described or not set(update) <= MEMORY_NAMES:
        return Memory(update)
    extracted = update.get("extractedData")
    told = [str(update[name]) for name in ("action", "observation") if update.get(name)]
    if extracted is not None and not isinstance(extracted, Mapping):
        extracted = {"extractedData": extracted}
    return Memory(extracted or {}, ": ".join(told))


def parse_decision(reply: Mapping[str, Any]) -> Decision:
    """Return a reply of a model as a Decision.

    Raises DecisionInvalid with a message that the model can act on: the field, what is wrong with it, and what it
    takes.
    """
    _check_size(reply)
    decision = convert_reply(_with_call_names(reply), Decision)
    _check_consistency(decision)
    for field, commands in _command_lists(decision):
        parse_commands(commands, field)
    return decision


def _with_call_names(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a reply with the keys of its tool calls called as `ToolCall` calls them."""
    calls = reply.get("toolCalls")
    if not isinstance(calls, list | tuple):
        return reply
    return {**reply, "toolCalls": [_renamed(call) if isinstance(call, Mapping) else call for call in calls]}


def _renamed(call: Mapping[str, Any]) -> Mapping[str, Any]:
    taken = {name for name in call if name not in CALL_NAMES}
    return {
        name if CALL_NAMES.get(name, name) in taken else CALL_NAMES.get(name, name): value
        for name, value in call.items()
    }


def convert_reply(reply: Mapping[str, Any], kind: type[Part]) -> Part:
    """Return a reply as a value of a type; raises DecisionInvalid with the key that is wrong."""
    try:
        return msgspec.convert(dict(reply), kind)
    except msgspec.ValidationError as error:
        problem = read_problem(error, kind, {name: name for name in json_names(kind).values()}, what="key")
        raise DecisionInvalid(problem.reason, field=problem.field) from None


def parse_commands(commands: tuple[dict[str, Any], ...], field: str = "commands") -> tuple[Action, ...]:
    """Return commands as actions; none for an empty list. Raises DecisionInvalid with the index of a wrong one."""
    for index, command in enumerate(commands):
        for name, value in command.items():
            if isinstance(value, str) and len(value) > MAX_FIELD_CHARS:
                raise DecisionInvalid(
                    f"{field}[{index}].{name} has {len(value):,} characters; at most {MAX_FIELD_CHARS:,} are allowed",
                    field=f"{field}[{index}].{name}",
                )
    try:
        return parse_actions(commands) if commands else ()
    except ActionInvalid as error:
        raise DecisionInvalid(f"{field}: {error}", field=f"{field}[{error.index}]") from None


def _check_size(reply: Mapping[str, Any]) -> None:
    try:
        size = len(msgspec.json.encode(reply))
    except (TypeError, ValueError, RecursionError) as error:
        raise DecisionInvalid(f"the reply is not JSON: {error}") from None
    if size > MAX_CHARS:
        raise DecisionInvalid(f"the reply has {size:,} characters, and at most {MAX_CHARS:,} are allowed: write less")


def _check_consistency(decision: Decision) -> None:
    """Refuse what contradicts itself, because either reading could be the wrong one."""
    if decision.needs_tool_results and not decision.tool_calls:
        raise DecisionInvalid("needsToolResults is true and toolCalls is empty: name the tools", field="toolCalls")
    if decision.status == "infeasible" and decision.commands:
        raise DecisionInvalid(
            "status is infeasible and commands is not empty: run commands with continue, or give up without them",
            field="status",
        )
    for field, commands in _command_lists(decision):
        if len(commands) > MAX_COMMANDS:
            raise DecisionInvalid(f"{field} has {len(commands)} commands: decide on the next few only", field=field)


def _command_lists(decision: Decision) -> list[tuple[str, tuple[dict[str, Any], ...]]]:
    blocker = decision.blocker_detected
    clearing = [("blockerDetected.clearingCommands", blocker.clearing_commands)] if blocker else []
    return [*clearing, ("commands", decision.commands)]
