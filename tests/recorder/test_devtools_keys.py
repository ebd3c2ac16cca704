"""Keys that go down and up become chords, modifiers of clicks, and texts."""

from __future__ import annotations

import pytest

from stillframe.errors import ActionInvalid
from stillframe.recorder.devtools_import import HeldKeys

CHORDS = [
    ("+Enter -Enter", ["Enter"]),
    ("+a -a", ["a"]),
    ("+Control +a -a -Control", ["Control+a"]),
    ("+ControlLeft +ShiftRight +End -End -ShiftRight -ControlLeft", ["Control+Shift+End"]),
    ("+Control +c -c +v -v -Control", ["Control+c", "Control+v"]),
    ("+Shift +A -A -Shift +b -b", ["Shift+A", "b"]),
    ("+Shift -Shift", ["Shift"]),
    ("+Shift +Shift -Shift -Shift", ["Shift"]),
    ("+ArrowDown +ArrowDown -ArrowDown", ["ArrowDown", "ArrowDown"]),
    ("-x -Shift", []),
    ("+é -é", ["text é"]),
    ("+AltGraph +@ -@ -AltGraph", ["@"]),
    ("+Dead -Dead", []),
    ("+NumpadEnter -NumpadEnter", ["NumpadEnter"]),
    ("+Control ++ -+ -Control", ["Control++"]),
]


@pytest.mark.parametrize(("events", "pressed"), CHORDS)
def test_keys_become_chords(events: str, pressed: list[str]) -> None:
    keys = HeldKeys()

    fields = [(keys.down if event[0] == "+" else keys.up)(event[1:]) for event in events.split(" ")]

    assert [each.get("key") or f"text {each['text']}" for each in fields if each] == pressed


@pytest.mark.parametrize(("name", "key"), [("\r", "Enter"), ("\n", "Enter"), (" ", "Space"), ("KeyA", "KeyA")])
def test_other_names_of_a_key_are_known(name: str, key: str) -> None:
    assert HeldKeys().down(name) == {"key": key}


def test_a_modifier_that_a_click_used_is_not_pressed_by_itself() -> None:
    keys = HeldKeys()
    keys.down("Shift")
    keys.down("Control")

    assert keys.held() == ["Shift", "Control"]
    assert (keys.up("Shift"), keys.held(), keys.up("Control"), keys.held()) == ({}, ["Control"], {}, [])


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(ActionInvalid, match=r"unknown key 'Entr' \(did you mean 'Enter'"):
        HeldKeys().down("Entr")
