"""Texts and gestures become commands that Android's `input` understands."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.native.native_input import (
    TEXT_CHARACTERS,
    current_screen,
    drag_command,
    inner,
    keyboard_shown,
    natural_screen,
    swipe_points,
    tap_command,
    text_commands,
)
from stillframe.adb.native.rect import Rect
from stillframe.errors import OptionInvalid

KEYS = {"66": "\n", "61": "\t"}


def typed(commands: list[str]) -> str:
    """Return what Android types for commands: its `input` puts a space in the place of `%s` and knows no escape."""
    text = ""
    for command in commands:
        program, kind, value = shlex.split(command)
        assert program == "input"
        text += KEYS[value] if kind == "keyevent" else value.replace("%s", " ")
    return text


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("", []),
        ("ann", ["input text ann"]),
        ("Ann Lee", ["input text Ann%sLee"]),
        ("it's", ["input text 'it'\"'\"'s'"]),
        ("$(reboot)", ["input text '$(reboot)'"]),
        ('a;b&c|d>e`f`\\g*?"h"', ["input text 'a;b&c|d>e`f`\\g*?\"h\"'"]),
        ("100%sure", ["input text 100%", "input text sure"]),
        ("%s%s", ["input text %", "input text s%", "input text s"]),
        ("a\tb\nc", ["input text a", "input keyevent 61", "input text b", "input keyevent 66", "input text c"]),
        ("a\r\nb\r", ["input text a", "input keyevent 66", "input text b", "input keyevent 66"]),
        ("-d 1", ["input text -d%s1"]),
        ("~!@#^", ["input text '~!@#^'"]),
    ],
)
def test_a_text_is_typed_by_these_commands(text: str, commands: list[str]) -> None:
    assert text_commands(text) == commands


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from("\n\t%s' "), max_size=500))
def test_what_is_typed_is_the_text(text: str) -> None:
    commands = text_commands(text)
    assert typed(commands) == text
    assert all("\n" not in command for command in commands)


def test_a_long_text_is_typed_in_parts() -> None:
    commands = text_commands("x" * (TEXT_CHARACTERS * 2 + 1))
    assert [len(command) - len("input text ") for command in commands] == [TEXT_CHARACTERS, TEXT_CHARACTERS, 1]


@pytest.mark.parametrize("text", ["naïve", "日本", "😀", "\x00", "\x1b[A", "\x7f", "a\u2028b", "\x85"])
def test_characters_that_input_cannot_type_are_refused(text: str) -> None:
    with pytest.raises(OptionInvalid, match="cannot type") as caught:
        text_commands(text)
    assert caught.value.option == "text"
    assert str(caught.value).isascii()


# -- gestures ------------------------------------------------------------------------------------

SCREEN = Rect(0, 0, 1000, 2000)


@pytest.mark.parametrize(
    ("direction", "start", "end"),
    [
        ("down", (500, 1500), (500, 500)),
        ("up", (500, 500), (500, 1500)),
        ("right", (750, 1000), (250, 1000)),
        ("left", (250, 1000), (750, 1000)),
    ],
)
def test_the_finger_goes_against_the_direction_of_the_content(
    direction: str, start: tuple[int, int], end: tuple[int, int]
) -> None:
    assert swipe_points(direction, SCREEN, 0.5) == (start, end)


@given(
    st.sampled_from(["up", "down", "left", "right"]),
    st.builds(Rect, *[st.integers(-100, 3000)] * 2, *[st.integers(1, 3000)] * 2),
    st.floats(0.01, 1),
)
def test_a_swipe_stays_in_its_area(direction: str, area: Rect, percent: float) -> None:
    for x, y in swipe_points(direction, area, percent):
        assert area.left <= x < area.right
        assert area.top <= y < area.bottom


@pytest.mark.parametrize(("direction", "percent"), [("forward", 0.5), ("", 0.5), ("up", 0), ("up", 1.01), ("up", -1)])
def test_a_wrong_swipe_is_refused(direction: str, percent: float) -> None:
    with pytest.raises(OptionInvalid):
        swipe_points(direction, SCREEN, percent)


def test_edges_of_the_screen_are_left_to_the_system() -> None:
    assert inner(SCREEN) == Rect(100, 200, 800, 1600)


def test_commands_of_gestures() -> None:
    assert tap_command((3, 4)) == "input tap 3 4"
    assert drag_command((1, 2), (3, 4), 600) == "input swipe 1 2 3 4 600"


@pytest.mark.parametrize("duration_ms", [0, -1, 60_001])
def test_a_duration_has_limits(duration_ms: int) -> None:
    with pytest.raises(OptionInvalid, match="60000"):
        drag_command((0, 0), (0, 0), duration_ms)


# -- what dumpsys says ---------------------------------------------------------------------------

DISPLAYS = """WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init=1080x2400 420dpi cur=2400x1080 app=2274x1080 rng=1080x1014-2334x2334
    deferred=false mLayoutNeeded=false
"""


def test_the_screen_is_as_it_is_rotated() -> None:
    assert current_screen(DISPLAYS) == Rect(0, 0, 2400, 1080)
    assert current_screen("Can't find service: window") is None


@pytest.mark.parametrize(
    ("printed", "screen"),
    [
        ("Physical size: 1080x2400\n", Rect(0, 0, 1080, 2400)),
        ("Physical size: 1080x2400\r\nOverride size: 720x1600\r\n", Rect(0, 0, 720, 1600)),
        ("", None),
        ("Physical size: axb", None),
    ],
)
def test_the_size_may_be_overridden(printed: str, screen: Rect | None) -> None:
    assert natural_screen(printed) == screen


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("  mShowRequested=true mInputShown=true\n", True),
        ("  mInputShown=false mDecorViewVisible=false", False),
        ("Can't find service: input_method", None),
    ],
)
def test_the_keyboard_is_shown_or_not(printed: str, shown: bool | None) -> None:
    assert keyboard_shown(printed) is shown
