"""A list of actions is validated as a whole, by index and field, before any of them runs."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import ActionInvalid, InputError
from stillframe.model.action_list import (
    ALIASES,
    RARE,
    fields_by_kind,
    parse_actions,
    secret_names,
    secrets_of,
    texts_of,
)
from stillframe.model.actions import (
    KINDS,
    Action,
    Click,
    DoubleClick,
    DragTo,
    Navigate,
    Offset,
    PressKey,
    SetValue,
    Tap,
    TypeText,
    UploadFile,
    WaitFor,
)
from stillframe.model.secret import Secret

DESIGN_NAMES = [
    "set_value",
    "click_element",
    "tap_element",
    "navigate",
    "scroll",
    "scroll_to",
    "swipe",
    "press_key",
    "type_text",
    "hover",
    "double_click",
    "right_click",
    "select_option",
    "check",
    "uncheck",
    "upload_file",
    "drag_to",
    "focus",
    "blur",
    "dispatch_event",
    "select_text",
    "long_press",
    "go_back",
    "go_forward",
    "reload",
    "wait_for",
    "answer_dialog",
    "mouse_move",
    "mouse_click",
    "mouse_drag",
    "mouse_wheel",
    "key_down",
    "key_up",
    "insert_text",
    "upload_content",
    "drop_files",
]
"""The JSON names of all actions, as the sequence contract lists them."""

MINIMAL: dict[str, dict[str, Any]] = {
    "set_value": {"selector": "#a", "value": "x"},
    "navigate": {"url": "https://a.test/"},
    "scroll": {},
    "dispatch_event": {"selector": "#a", "type": "ping"},
    "scroll_to": {"edge": "bottom"},
    "mouse_move": {"x": 1, "y": 2},
    "mouse_click": {"x": 1, "y": 2},
    "mouse_drag": {"x": 1, "y": 2, "toX": 3, "toY": 4},
    "mouse_wheel": {"x": 1, "y": 2, "deltaY": 3},
    "swipe": {"direction": "up"},
    "press_key": {"key": "Enter"},
    "type_text": {"text": "x"},
    "select_option": {"selector": "#a", "value": "x"},
    "upload_file": {"selector": "#a", "paths": "x.txt"},
    "key_down": {"key": "Shift"},
    "key_up": {"key": "Shift"},
    "insert_text": {"text": "x"},
    "upload_content": {"selector": "#a", "files": [{"name": "x", "mimeType": "text/plain", "buffer": "eA=="}]},
    "drop_files": {"selector": "#a", "paths": "x.txt"},
    "drag_to": {"selector": "#a", "target": "#b"},
    "go_back": {},
    "go_forward": {},
    "reload": {},
    "wait_for": {"selector": "#a"},
    "answer_dialog": {"accept": True},
}
"""The required fields of each kind; those that are not listed need a selector."""


def minimal(kind: str) -> dict[str, Any]:
    return {"action": kind, **MINIMAL.get(kind, {"selector": "#a"})}


def refused(*actions: Any) -> ActionInvalid:
    with pytest.raises(ActionInvalid) as caught:
        parse_actions(list(actions))
    return caught.value


def test_the_names_of_the_actions_are_those_of_the_contract() -> None:
    assert list(KINDS) == DESIGN_NAMES


@pytest.mark.parametrize("kind", DESIGN_NAMES)
def test_every_action_is_taken_as_a_dict_and_as_a_struct(kind: str) -> None:
    (parsed,) = parse_actions([minimal(kind)])
    assert type(parsed) is KINDS[kind]
    assert parsed.kind == kind
    assert parse_actions([parsed]) == (parsed,)


@pytest.mark.parametrize("kind", DESIGN_NAMES)
def test_every_required_field_is_asked_for_by_its_name(kind: str) -> None:
    for field in MINIMAL.get(kind, {"selector": "#a"}):
        if kind == "wait_for":
            continue
        action = minimal(kind)
        del action[field]
        error = refused(action)
        assert error.index == 0
        assert field in str(error)
        assert kind in str(error)


@pytest.mark.parametrize("kind", DESIGN_NAMES)
def test_an_unknown_field_is_refused_by_its_name(kind: str) -> None:
    error = refused(minimal(kind) | {"selektor": "#a"})
    assert "selektor" in str(error)
    assert "its fields are" in str(error)


@pytest.mark.parametrize("kind", DESIGN_NAMES)
def test_the_names_of_python_and_of_json_are_both_taken(kind: str) -> None:
    assert parse_actions([minimal(kind) | {"timeout_ms": 7}]) == parse_actions([minimal(kind) | {"timeoutMs": 7}])
    assert refused(minimal(kind) | {"timeout_ms": 7, "timeoutMs": 7}).field == "timeout_ms"


@pytest.mark.parametrize("actions", [None, 7, "click", b"click", {"action": "reload"}, {1, 2}, (a for a in ())])
def test_w25_what_is_not_a_list_is_refused(actions: Any) -> None:
    with pytest.raises(ActionInvalid, match="must be a list"):
        parse_actions(actions)


def test_w25_an_empty_list_is_refused() -> None:
    with pytest.raises(ActionInvalid, match="at least one action"):
        parse_actions([])


def test_w25_an_unknown_action_is_refused_with_the_nearest_name() -> None:
    error = refused(minimal("reload"), {"action": "click_elment", "selector": "#a"})
    assert (error.index, error.field) == (1, "action")
    assert "did you mean 'click_element'?" in str(error)
    assert "drag_to" in str(error)


@pytest.mark.parametrize("name", [7, None, ["click_element"], {}, ""])
def test_w25_an_action_whose_name_is_not_a_name_is_refused(name: Any) -> None:
    assert refused({"action": name, "selector": "#a"}).field == "action"


def test_w25_a_missing_value_is_refused_at_its_index() -> None:
    error = refused(minimal("reload"), minimal("reload"), {"action": "set_value", "selector": "#a"})
    assert error.index == 2
    assert "action 2 (set_value)" in str(error)
    assert "value" in str(error)


@pytest.mark.parametrize("action", [None, 1, "reload", ["reload"], object()])
def test_w25_an_action_that_is_not_an_object_is_refused(action: Any) -> None:
    assert refused(action).index == 0


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ({"action": "click_element", "selector": ""}, "selector"),
        ({"action": "click_element", "selector": 5}, "selector"),
        ({"action": "click_element", "selector": "#a", "modifiers": ["Hyper"]}, "modifiers"),
        ({"action": "click_element", "selector": "#a", "timeoutMs": 0}, "timeoutMs"),
        ({"action": "click_element", "selector": "#a", "timeoutMs": 10**9}, "timeoutMs"),
        ({"action": "set_value", "selector": "#a", "value": 5}, "value"),
        ({"action": "set_value", "selector": "#a", "value": None}, "value"),
        ({"action": "scroll", "direction": "sideways"}, "direction"),
        ({"action": "scroll", "pixels": -1}, "pixels"),
        ({"action": "scroll", "pixels": 1.5}, "pixels"),
        ({"action": "swipe", "direction": "up", "percent": 0}, "percent"),
        ({"action": "swipe", "direction": "up", "percent": 1.01}, "percent"),
        ({"action": "press_key", "key": "Enter", "times": 0}, "times"),
        ({"action": "press_key", "key": "Enter", "times": 101}, "times"),
        ({"action": "navigate", "url": ""}, "url"),
        ({"action": "wait_for", "selector": "#a", "state": "gone"}, "state"),
    ],
)
def test_a_wrong_value_is_refused_by_its_field(action: dict[str, Any], field: str) -> None:
    error = refused(action)
    assert error.field is not None
    assert error.field.startswith(field)
    assert field in str(error)


@pytest.mark.parametrize("fields", [{}, {"selector": "#a", "text": "x"}, {"text": "x", "url": "y"}])
def test_wait_for_takes_exactly_one_thing(fields: dict[str, Any]) -> None:
    error = refused(minimal("reload"), {"action": "wait_for", **fields})
    assert "exactly one of selector, text and url" in str(error)
    assert error.index == 1


@pytest.mark.parametrize(
    "action",
    [
        Click("#a", modifiers=["Shift"], timeout_ms=5),
        PressKey("#a", "Enter"),
        DragTo("#a", offset=Offset(1, 2)),
        UploadFile("#a", Path("x.txt")),
    ],
)
def test_a_struct_was_validated_when_it_was_constructed_and_is_taken_as_it_is(action: Action) -> None:
    (parsed,) = parse_actions([action])
    assert parsed is action


@pytest.mark.parametrize(
    ("alias", "fields", "action"),
    [
        ("click", {"selector": "#a"}, Click("#a")),
        ("dblclick", {"selector": "#a"}, DoubleClick("#a")),
        ("drag_and_drop", {"selector": "#a", "target": "#b"}, DragTo("#a", "#b")),
        ("fill", {"selector": "#a", "value": "x"}, SetValue("#a", "x")),
        ("goto", {"url": "about:blank"}, Navigate("about:blank")),
        ("press", {"selector": "#a", "key": "Enter"}, PressKey("#a", "Enter")),
        ("press_sequentially", {"selector": "#a", "text": "x"}, TypeText("#a", "x")),
        ("set_input_files", {"selector": "#a", "paths": ["x"]}, UploadFile("#a", ["x"])),
        ("tap", {"selector": "#a"}, Tap("#a")),
        ("type", {"text": "x"}, TypeText("x")),
        ("wait_for_selector", {"selector": "#a", "state": "hidden"}, WaitFor("#a", state="hidden")),
    ],
)
def test_playwrights_names_of_actions_are_accepted(alias: str, fields: dict[str, Any], action: Action) -> None:
    assert parse_actions([{"action": alias, **fields}]) == (action,)
    assert alias in ALIASES


def test_every_alias_names_an_action_and_hides_none() -> None:
    assert len(ALIASES) == 11
    assert set(ALIASES.values()) <= set(KINDS)
    assert not set(ALIASES) & set(KINDS)


@pytest.mark.parametrize(("name", "meant"), [("dbclick", "dblclick"), ("set_input_file", "set_input_files")])
def test_a_misspelt_alias_is_recognised(name: str, meant: str) -> None:
    assert f"did you mean {meant!r}?" in str(refused({"action": name, "selector": "#a"}))


def test_an_error_calls_an_action_by_the_name_that_was_given() -> None:
    assert "action 0 (fill): field value is missing" in str(refused({"action": "fill", "selector": "#a"}))


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"action": "click", "selektor": "#a", "selector": "#a"}, "unknown field 'selektor'; did you mean 'selector'?"),
        ({"action": "reload", "timeout": 3}, "unknown field 'timeout'; did you mean 'timeoutMs' (milliseconds)?"),
        ({"action": "reload", "timeoutMs": "3s"}, "field timeoutMs (milliseconds): expected `float | null`, got `str`"),
        (
            {"action": "reload", "timeoutMs": 0.5},
            "timeout_ms (milliseconds): 0.5 is less than a millisecond; write 500 for 0.5 seconds",
        ),
        ({"action": "type", "text": {}}, "a secret has either a text (secret) or a name (secretName)"),
        ({"action": "scroll", "direction": "dwn"}, "unknown value 'dwn'; did you mean 'down'?"),
        (
            {"action": "drag_to", "selector": "#a", "offset": {"x": 1, "y": 1}, "targetPosition": {"x": 1, "y": 1}},
            "only",
        ),
    ],
)
def test_a_refusal_names_the_nearest_and_the_unit(action: dict[str, Any], said: str) -> None:
    error = refused(action)
    assert said in str(error)
    assert error.field in action or error.field == "timeout"


def test_names_are_camel_case_in_json() -> None:
    (parsed,) = parse_actions([{"action": "long_press", "selector": "#a", "durationMs": 700, "timeoutMs": 9}])
    assert (parsed.duration_ms, parsed.timeout_ms) == (700, 9)  # type: ignore[attr-defined]
    assert '"durationMs":700.0' in msgspec.json.encode(parsed).decode()


def test_input_errors_are_value_errors_too() -> None:
    assert issubclass(ActionInvalid, InputError)
    assert issubclass(InputError, ValueError)


def test_secrets_are_found_in_every_field_longest_first() -> None:
    plan = parse_actions(
        [
            {"action": "set_value", "selector": "#a", "value": {"secret": "abc"}},
            {"action": "type_text", "text": {"secret": "abcdef"}},
            {"action": "set_value", "selector": "#a", "value": {"secret": ""}},
            {"action": "set_value", "selector": "#a", "value": "open"},
            {"action": "type_text", "text": {"secretName": "pin"}},
            {"action": "set_value", "selector": "#a", "value": {"secretName": "pin"}},
        ]
    )
    secrets = [secret for action in plan for secret in secrets_of(action)]
    assert texts_of(secrets) == ("abcdef", "abc")
    assert secret_names(plan) == ("pin",)


def test_a_refusal_does_not_quote_a_secret() -> None:
    for action in (
        {"action": "set_value", "selector": "#a", "value": {"secret": "hunter2", "extra": 1}},
        {"action": "set_value", "value": {"secret": "hunter2"}},
        {"action": "set_valeu", "selector": "#a", "value": {"secret": "hunter2"}},
    ):
        assert "hunter2" not in str(refused(action))
    with pytest.raises(ActionInvalid) as caught:
        SetValue("", Secret("hunter2"))
    assert "hunter2" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    sorted({name for kind in KINDS.values() for name in kind.__struct_encode_fields__} | {"action", "selektor"})
)


@given(st.lists(JSON | st.dictionaries(FIELDS, JSON | st.sampled_from(DESIGN_NAMES), max_size=5), max_size=4))
def test_any_json_is_parsed_or_refused_by_type(actions: list[Any]) -> None:
    try:
        parsed = parse_actions(actions)
    except ActionInvalid as error:
        index = error.index
    else:
        # What was taken means the same when it is sent on as JSON.
        assert parse_actions(msgspec.json.decode(msgspec.json.encode(parsed))) == parsed
        index = len(parsed) - 1
    assert index is None or 0 <= index < len(actions)


@given(st.sampled_from(DESIGN_NAMES), st.text(string.ascii_lowercase + "_", min_size=1, max_size=12))
def test_a_field_of_no_action_is_never_taken(kind: str, field: str) -> None:
    action = minimal(kind)
    if field in KINDS[kind].__struct_encode_fields__:
        return
    assert field in str(refused(action | {field: "x"}))


def test_models_are_not_shown_what_only_programs_need() -> None:
    for kind, names in RARE.items():
        optional = {field.name for field in msgspec.structs.fields(KINDS[kind]) if not field.required}
        assert names <= optional
    assert fields_by_kind(["hover", "press_key"]) == "hover(selector, position?); press_key(selector?, key, times?)"
    assert fields_by_kind(["hover"], rare=True) == "hover(selector, position?, modifiers?)"
    parse_actions([{"action": "press_key", "key": "a", "delayMs": 5}])
