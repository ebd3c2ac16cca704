"""Chords and typed text as events; what a real page receives is in test_actions_keyboard.py."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import ActionInvalid
from stillframe.tab.input.keyboard import Chord, chord_events, parse_chord, text_events
from stillframe.tab.input.keys import KEYS, MODIFIERS


@pytest.mark.parametrize(
    ("text", "chord"),
    [
        ("a", Chord((), "a")),
        ("A", Chord((), "A")),
        ("+", Chord((), "+")),
        ("Control++", Chord(("Control",), "+")),
        ("enter", Chord((), "Enter")),
        ("Esc", Chord((), "Escape")),
        ("Control+A", Chord(("Control",), "a")),
        ("ctrl+shift+a", Chord(("Control", "Shift"), "A")),
        ("Shift+1", Chord(("Shift",), "!")),
        ("Shift+Tab", Chord(("Shift",), "Tab")),
        ("cmd+cmd+ArrowLeft", Chord(("Meta",), "ArrowLeft")),
        ("Space", Chord((), " ")),
        ("Alt+F4", Chord(("Alt",), "F4")),
        ("NumpadEnter", Chord((), "NumpadEnter")),
        ("KeyA", Chord((), "a")),
        ("Digit5", Chord((), "5")),
        ("Backquote", Chord((), "`")),
        ("Shift+Digit5", Chord(("Shift",), "%")),
        ("ControlLeft+KeyA", Chord(("Control",), "a")),
        ("ShiftRight+KeyA", Chord(("ShiftRight",), "A")),
        ("ControlRight", Chord((), "ControlRight")),
        ("controlormeta+a", Chord(("Meta" if sys.platform == "darwin" else "Control",), "a")),
    ],
)
def test_chords(text: str, chord: Chord) -> None:
    assert parse_chord(text) == chord


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Entr", "did you mean 'Enter'"),
        ("Contrl+a", "did you mean 'Control'"),
        ("a+b", "not a modifier"),
        ("ü", "use type_text"),
        ("", "unknown key ''"),
        ("Control+", "unknown key ''"),
    ],
)
def test_unknown_keys_say_which_is_near(text: str, part: str) -> None:
    with pytest.raises(ActionInvalid) as caught:
        parse_chord(text)
    assert part in str(caught.value)
    assert caught.value.field == "key"


@given(st.one_of(st.text(max_size=20), st.text(alphabet="+aControlShiftAltMeta ", max_size=20)))
def test_any_text_is_a_chord_or_refused(text: str) -> None:
    try:
        chord = parse_chord(text)
    except ActionInvalid:
        return
    assert chord.key in KEYS
    assert {KEYS[name].key for name in chord.modifiers} <= set(MODIFIERS)


@given(st.lists(st.sampled_from(sorted(MODIFIERS)), unique=True), st.sampled_from(sorted(KEYS)))
def test_a_chord_lets_go_of_all_it_presses(modifiers: list[str], key: str) -> None:
    down: list[str] = []
    for event in chord_events(Chord(tuple(modifiers), key)):
        assert isinstance(event, cdp_input.DispatchKeyEvent)
        assert event.code is not None
        if event.type == "keyUp":
            down.remove(event.code)
        else:
            down.append(event.code)
        if event.text:
            assert not set(modifiers) - {"Shift"}
    assert down == []


@given(st.text())
def test_typing_loses_no_character(text: str) -> None:
    typed = "".join(event.text or {"Tab": "\t"}.get(getattr(event, "key", ""), "") for event in _downs(text))
    assert typed.replace("\r", "\n") == text.replace("\r\n", "\n").replace("\r", "\n")


def _downs(text: str) -> list[cdp_input.DispatchKeyEvent | cdp_input.InsertText]:
    return [event for event in text_events(text) if getattr(event, "type", "") != "keyUp"]


def test_runs_without_keys_are_inserted_whole() -> None:
    events = list(text_events("a日本👩‍💻b"))
    assert [event.text for event in events if isinstance(event, cdp_input.InsertText)] == ["日本👩‍💻"]
