"""Names of keys, as adb, Playwright and DOM events write them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.native.keycodes import ALIASES, KEYCODES, keycode
from stillframe.errors import OptionInvalid


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("BACK", 4),
        ("back", 4),
        ("KEYCODE_BACK", 4),
        ("keycode_home", 3),
        ("Home", 3),
        ("ENTER", 66),
        ("Enter", 66),
        ("Tab", 61),
        ("Escape", 111),
        ("Backspace", 67),
        ("Delete", 112),
        ("ArrowUp", 19),
        ("DpadUp", 19),
        ("VolumeDown", 25),
        ("AppSwitch", 187),
        ("MOVE_HOME", 122),
        ("a", 29),
        ("Z", 54),
        ("7", 14),
        ("F12", 142),
        ("WAKEUP", 224),
        ("PASTE", 279),
        (" MENU ", 82),
        ("187", 187),
        (187, 187),
    ],
)
def test_a_key_has_several_names(key: str | int, number: int) -> None:
    assert keycode(key) == number


def test_the_table_has_the_numbers_of_android() -> None:
    # One of each stretch of the table: a missing name would move all that follow.
    known = {
        "HOME": 3,
        "A": 29,
        "ENTER": 66,
        "PAGE_DOWN": 93,
        "F1": 131,
        "NUMPAD_ENTER": 160,
        "YEN": 216,
        "WAKEUP": 224,
    }
    assert {name: KEYCODES[name] for name in known} == known


def test_every_other_name_stands_for_a_key() -> None:
    assert set(ALIASES.values()) <= KEYCODES.keys()
    assert not ALIASES.keys() & KEYCODES.keys()


@pytest.mark.parametrize(("key", "hint"), [("ENTR", "'ENTER'"), ("KEYCODE_WAKE", "'WAKEUP'")])
def test_an_unknown_key_is_refused_with_the_nearest_one(key: str, hint: str) -> None:
    with pytest.raises(OptionInvalid, match=hint) as caught:
        keycode(key)
    assert caught.value.option == "key"


@pytest.mark.parametrize("key", [0, -4, 100_000, "0000", "", "KEYCODE_", "é", "²²"])
def test_what_is_not_a_key_is_refused(key: str | int) -> None:
    with pytest.raises(OptionInvalid):
        keycode(key)


@given(st.text(max_size=20))
def test_any_text_is_a_key_or_refused(text: str) -> None:
    with suppress(OptionInvalid):
        assert 0 <= keycode(text) <= 1000
