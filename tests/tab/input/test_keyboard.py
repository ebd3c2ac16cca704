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


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("aB", [("a", "KeyA", "a"), ("B", "KeyB", "B")]),
        ("жЖё", [("ж", "Semicolon", "ж"), ("Ж", "Semicolon", "Ж"), ("ё", "Backquote", "ё")]),
        ("ßñ", [("ß", "Minus", "ß"), ("ñ", "Semicolon", "ñ")]),
        ("Ωé中", [("Ω", "KeyV", "Ω"), ("é", "", "é"), ("中", "", "中")]),
        ("e\u0301x", [("é", "", "e\u0301"), ("x", "KeyX", "x")]),
        ("कि", [("क", "", "क"), ("ि", "", "ि")]),
        ("€°\U00020bb7", [("€", "", "€"), ("°", "", "°"), ("\U00020bb7", "", "\U00020bb7")]),
    ],
)
def test_every_letter_is_a_key(text: str, keys: list[tuple[str, str, str]]) -> None:
    events = _downs(text)
    assert all(isinstance(event, cdp_input.DispatchKeyEvent) for event in events)
    assert [(event.key, event.code, event.text) for event in events] == keys  # type: ignore[union-attr]
    assert [event.modifiers for event in events] == [8 if key == "B" else 0 for key, _, _ in keys]  # type: ignore[union-attr]


@pytest.mark.parametrize("picture", ["👩‍💻", "👍🏽", "❤️", "1️⃣", "🇩🇪", "\u00a0", "👩‍💻🇩🇪"])
def test_what_has_no_key_is_inserted_whole(picture: str) -> None:
    inserted = [event for event in text_events(f"a日{picture}b") if isinstance(event, cdp_input.InsertText)]
    assert [event.text for event in inserted] == [picture]
