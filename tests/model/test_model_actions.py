"""Actions validate when they are constructed: a wrong value is an error where it is written."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import ActionInvalid
from stillframe.model import actions as model
from stillframe.model.actions import (
    KINDS,
    Action,
    Click,
    DragTo,
    LongPress,
    MouseClick,
    MouseWheel,
    Navigate,
    Offset,
    Position,
    PressKey,
    Reload,
    Scroll,
    ScrollTo,
    SelectOption,
    SetValue,
    Swipe,
    TypeText,
    UploadFile,
    WaitFor,
)
from stillframe.model.secret import Secret

WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str, str | None]] = [
    (Click, ("",), {}, "Click: field selector: expected `str` of length >= 1", "selector"),
    (Click, (3,), {}, "Click: field selector: expected `str`, got `int`", "selector"),
    (Click, (), {}, "Click: field selector is missing", "selector"),
    (Click, ("#a",), {"selector": "#b"}, "Click: field selector is given twice", "selector"),
    (Click, ("#a",), {"selektor": "#a"}, "Click: unknown field 'selektor'; did you mean 'selector'?", "selektor"),
    (Click, ("#a",), {"timeout": 3}, "did you mean 'timeout_ms' (milliseconds)?", "timeout"),
    (
        Click,
        ("#a",),
        {"timeout_ms": 0.5},
        "timeout_ms (milliseconds): 0.5 is less than a millisecond; write 500 for 0.5 seconds",
        "timeout_ms",
    ),
    (Click, ("#a",), {"timeout_ms": float("nan")}, "field timeout_ms (milliseconds): expected", "timeout_ms"),
    (Click, ("#a",), {"timeout_ms": True}, "field timeout_ms (milliseconds): expected", "timeout_ms"),
    (Click, ("#a",), {"timeout_ms": "3s"}, "expected `float | null`, got `str`", "timeout_ms"),
    (Click, ("#a",), {"modifiers": ["shift"]}, "unknown value 'shift'; did you mean 'Shift'?", "modifiers[0]"),
    (Click, ("#a",), {"modifiers": "Shift"}, "field modifiers: expected `array`, got `str`", "modifiers"),
    (Click, ("#a",), {"click_count": 11}, "field click_count: expected `int` <= 10", "click_count"),
    (
        Click,
        ("#a",),
        {"position": (1, 2)},
        "field position: give Position(x=…, y=…) or an object with x and y, not a list or a tuple",
        "position",
    ),
    (DragTo, ("#a",), {"offset": "1,2"}, "field offset: give Offset(x=…, y=…) or an object with x and y", "offset"),
    (Click, ("#a",), {"position": {"x": -1, "y": 0}}, "field position.x: expected `float` >= 0.0", "position.x"),
    (SetValue, ("#a", object()), {}, "field value: expected", "value"),
    (SetValue, ("#a",), {}, "SetValue: field value is missing", "value"),
    (Scroll, (), {"direction": "sideways"}, "unknown value 'sideways'. Known: down, left, right, up", "direction"),
    (Scroll, (), {"direction": "dwn"}, "unknown value 'dwn'; did you mean 'down'?", "direction"),
    (Scroll, ("#a", "down"), {}, "Scroll: too many positional arguments (2); it takes selector", None),
    (Scroll, (), {"pixels": 1.5}, "field pixels: expected `int`", "pixels"),
    (ScrollTo, (), {}, "a selector, an edge, or both", None),
    (ScrollTo, (), {"edge": "end"}, "unknown value 'end'", "edge"),
    (MouseClick, (-1, 2), {}, "field x: expected `float` >= 0.0", "x"),
    (MouseClick, (1,), {}, "field y is missing", "y"),
    (MouseWheel, (1, 2), {}, "delta_x or a delta_y", "delta_y"),
    (Swipe, ("#a",), {}, "Swipe: field direction is missing", "direction"),
    (Swipe, (), {"direction": "up", "percent": 50}, "field percent: expected `float` <= 1.0", "percent"),
    (PressKey, (), {}, "PressKey: field key is missing", "key"),
    (PressKey, ("#a", "Enter", 2), {}, "PressKey: too many positional arguments (3); it takes selector, key", None),
    (TypeText, ("#a", None), {}, "field text: expected", "text"),
    (
        LongPress,
        ("#a",),
        {"duration_ms": 0.7},
        "field duration_ms (milliseconds): 0.7 is less than a millisecond",
        "duration_ms",
    ),
    (Secret, (5,), {}, "Secret: field secret: expected", "secret"),
    (Secret, (), {}, "either a text (secret) or a name (secretName)", None),
    (UploadFile, ("#a", 3), {}, "field paths: expected `str | array`, got `int`", "paths"),
    (UploadFile, ("#a", [3]), {}, "field paths[0]: expected `str`, got `int`", "paths[0]"),
    (Navigate, ("",), {}, "field url: expected `str` of length >= 1", "url"),
    (Reload, ("#a",), {}, "Reload: too many positional arguments (1); it takes none", None),
    (DragTo, ("#a",), {}, "exactly one of target and offset", None),
    (
        DragTo,
        ("#a",),
        {"offset": Offset(1, 1), "target_position": Position(1, 1)},
        "only with a target",
        "target_position",
    ),
    (WaitFor, (), {}, "exactly one of selector, text and url", None),
    (Position, (-1, 0), {}, "Position: field x: expected `float` >= 0.0", "x"),
    (Offset, (0, 1e9), {}, "Offset: field y: expected `float` <= 33554432.0", "y"),
]


@pytest.mark.parametrize(("kind", "arguments", "fields", "said", "field"), WRONG)
def test_a_wrong_action_is_refused_where_it_is_written(
    kind: Callable[..., Any], arguments: tuple[Any, ...], fields: dict[str, Any], said: str, field: str | None
) -> None:
    with pytest.raises(ActionInvalid) as caught:
        kind(*arguments, **fields)
    assert said in str(caught.value)
    assert caught.value.field == field
    assert caught.value.index is None


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (PressKey("Enter"), {"selector": None, "key": "Enter", "times": 1}),
        (PressKey("#a", "Enter", times=2), {"selector": "#a", "key": "Enter", "times": 2}),
        (PressKey("#a", key="Enter"), {"selector": "#a", "key": "Enter"}),
        (PressKey(None, "Enter"), {"selector": None, "key": "Enter"}),
        (PressKey(selector="#a", key="Enter"), {"selector": "#a", "key": "Enter"}),
        (TypeText("Ann"), {"selector": None, "text": "Ann"}),
        (TypeText("#a", "Ann"), {"selector": "#a", "text": "Ann"}),
        (TypeText("#a", Secret("s")), {"selector": "#a", "text": Secret("s")}),
        (Scroll("#a", direction="up"), {"selector": "#a", "direction": "up", "pixels": 500}),
        (Swipe("#a", direction="up"), {"selector": "#a", "direction": "up", "percent": 0.5}),
        (DragTo("#a", "#b"), {"selector": "#a", "target": "#b"}),
        (SelectOption("#a", ["x", "y"]), {"selector": "#a", "value": ("x", "y")}),
        (UploadFile("#a", Path("x")), {"paths": "x"}),
        (UploadFile("#a", [Path("x"), "y"]), {"paths": ("x", "y")}),
        (Click("#a", modifiers=["Shift"]), {"modifiers": ("Shift",)}),
        (Click("#a", timeout_ms=2.5), {"timeout_ms": 2.5}),
    ],
)
def test_the_selector_comes_first_and_values_are_immutable(action: Action, fields: dict[str, Any]) -> None:
    assert {name: getattr(action, name) for name in fields} == fields
    hash(action)


@pytest.mark.parametrize(
    "action",
    [Click("#a", modifiers=["Shift"], timeout_ms=5), PressKey("#a", "Enter"), TypeText("x"), Scroll(pixels=5)],
)
def test_actions_copy_and_pickle(action: Action) -> None:
    assert pickle.loads(pickle.dumps(action)) == copy.copy(action) == copy.deepcopy(action) == action
    with pytest.raises(AttributeError):
        action.timeout_ms = 3  # type: ignore[misc]


def test_a_constructor_validates_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    convert = msgspec.convert
    monkeypatch.setattr(msgspec, "convert", lambda *args: calls.append(args) or convert(*args))
    Click("#a", timeout_ms=5)
    assert len(calls) == 1


@given(st.text(max_size=30))
def test_the_repr_of_an_action_shows_no_secret(text: str) -> None:
    assert repr(SetValue("#field", Secret(text))) == repr(SetValue("#field", Secret("another")))


def test_every_public_action_is_in_the_union() -> None:
    found = {
        kind
        for kind in vars(model).values()
        if isinstance(kind, type) and issubclass(kind, model.BaseAction) and kind is not model.BaseAction
    }
    assert found == set(KINDS.values())
