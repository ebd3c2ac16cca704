"""Lists of actions: their validation as a whole, and the secrets in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from stillframe.errors import ActionInvalid
from stillframe.model.actions import KINDS, Action, BaseAction
from stillframe.model.secret import Secret
from stillframe.model.suggest import unknown
from stillframe.model.validation import json_names, own_error, read_problem

ALIASES: dict[str, str] = {
    "click": "click_element",
    "dblclick": "double_click",
    "drag_and_drop": "drag_to",
    "fill": "set_value",
    "goto": "navigate",
    "press": "press_key",
    "press_sequentially": "type_text",
    "set_input_files": "upload_file",
    "tap": "tap_element",
    "type": "type_text",
    "wait_for_selector": "wait_for",
}
"""Playwright's names of actions, where they differ from ours. Only the name is an alias: the fields are ours."""


def parse_actions(actions: Sequence[Action | Mapping[str, Any]]) -> tuple[Action, ...]:
    """Validate a whole list of actions, Structs and mappings mixed, before any of them runs.

    A Struct was validated when it was constructed. Raises ActionInvalid with the index and the field of the first
    action that is wrong.
    """
    return tuple(parsed_actions(actions))


def parsed_actions(actions: Sequence[Action | Mapping[str, Any]]) -> Iterator[Action]:
    """Yield the actions of a list one by one, each as soon as it is valid; raises as `parse_actions` does."""
    if isinstance(actions, (str, bytes)) or not isinstance(actions, Sequence):
        raise ActionInvalid(f"actions must be a list, not {type(actions).__name__}")
    if not actions:
        raise ActionInvalid("actions is empty: give at least one action")
    for index, action in enumerate(actions):
        yield _parse(index, action)


def _parse(index: int, action: Any) -> Action:
    if isinstance(action, BaseAction):
        return cast("Action", action)
    if not isinstance(action, Mapping):
        raise ActionInvalid(
            f"action {index} must be an action such as Click or an object, not {type(action).__name__}", index=index
        )
    name, kind = _kind(index, action)
    fields = {**_in_json(kind, action), "action": kind.__struct_config__.tag}
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise _invalid(index, name, kind, error) from None


def _in_json(kind: type[Action], action: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields under their JSON names; a name given in both forms stays, and is an unknown field."""
    names = json_names(kind)
    return {key if names.get(key) in action else names.get(key, key): value for key, value in action.items()}


def _kind(index: int, action: Mapping[str, Any]) -> tuple[str, type[Action]]:
    name = action.get("action")
    if name is None:
        raise ActionInvalid(
            f"action {index} has no `action`: name its kind, one of {', '.join(KINDS)}", index=index, field="action"
        )
    kind = KINDS.get(ALIASES.get(name, name)) if isinstance(name, str) else None
    if kind is None:
        reason = unknown("action", name, [*KINDS, *ALIASES])
        raise ActionInvalid(f"action {index}: {reason}", index=index, field="action")
    return name, kind


def _invalid(index: int, name: str, kind: type[Action], error: msgspec.ValidationError) -> ActionInvalid:
    fields = kind.__struct_encode_fields__
    field, reason = read_problem(error, kind, {field: field for field in fields})
    own = own_error(error)
    if own is not None:
        reason = str(own)
    if isinstance(own, ActionInvalid) and own.field is not None:
        field = json_names(kind).get(own.field, own.field)
    return ActionInvalid(
        f"action {index} ({name}): {reason}; its fields are {', '.join(fields)}", index=index, field=field
    )


def secrets_of(action: Action) -> tuple[Secret, ...]:
    """Return the secrets that an action holds or refers to."""
    values = (getattr(action, name) for name in type(action).__struct_fields__)
    return tuple(value for value in values if isinstance(value, Secret))


def secret_names(actions: Iterable[Action]) -> tuple[str, ...]:
    """Return the names of the declared secrets that some actions refer to, each once."""
    names = (secret.name for action in actions for secret in secrets_of(action))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def texts_of(secrets: Iterable[Secret]) -> tuple[str, ...]:
    """Return the texts of secrets, longest first."""
    texts = {secret.reveal() for secret in secrets if secret.reveal()}
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


RARE: dict[str, frozenset[str]] = {
    "click_element": frozenset({"delay_ms"}),
    "double_click": frozenset({"button", "delay_ms"}),
    "press_key": frozenset({"delay_ms"}),
    "type_text": frozenset({"delay_ms"}),
    "navigate": frozenset({"referer"}),
    **dict.fromkeys(("hover", "tap_element"), frozenset({"modifiers"})),
    **dict.fromkeys(("check", "uncheck"), frozenset({"position"})),
}
"""Fields of each kind that only programs need. Models read the list of fields with every request, so it may leave these
out; they are taken all the same."""


def fields_by_kind(names: Iterable[str] = KINDS, *, rare: bool = False) -> str:
    """Return the fields of each kind, optional ones with a question mark, without `timeoutMs`, which all have.

    Those of `RARE` are there only with `rare`.
    """
    kinds: dict[str, list[str]] = {}
    for name in names:
        shown = listed_fields(name, rare=rare)
        fields = ", ".join(field.encode_name if field.required else f"{field.encode_name}?" for field in shown)
        kinds.setdefault(fields, []).append(name)
    return "; ".join(f"{'/'.join(names)}({fields})" for fields, names in kinds.items())


def listed_fields(name: str, *, rare: bool = False) -> list[msgspec.structs.FieldInfo]:
    """Return the fields of one kind that `fields_by_kind` lists."""
    left_out = {"timeout_ms"} if rare else {"timeout_ms"} | RARE.get(name, frozenset())
    return [field for field in msgspec.structs.fields(KINDS[name]) if field.name not in left_out]
