"""Texts, lists of texts and classes, compared."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.assertions.matching import Comparison, checked_text, checked_texts, classes_say, say_all, says, shown
from stillframe.errors import OptionInvalid

WHOLE, PART = Comparison(), Comparison(whole=False)


@pytest.mark.parametrize(
    ("actual", "expected", "how", "holds"),
    [
        ("  one \n two ", "one two", WHOLE, True),
        ("one\u200btwo", "one two", WHOLE, True),
        ("one two", "one", WHOLE, False),
        ("one two", "e t", PART, True),
        ("One", "one", WHOLE, False),
        ("One", "one", Comparison(ignore_case=True), True),
        ("STRASSE", "straße", Comparison(ignore_case=True), True),
        (" one", "one", Comparison(collapsed=False), False),
        ("one  two", re.compile("one two"), WHOLE, False),
        ("one two", re.compile("e t"), WHOLE, True),
        ("One", re.compile("^one$"), Comparison(ignore_case=True), True),
        ("One", re.compile("^one$", re.IGNORECASE), Comparison(ignore_case=False), False),
        ("One", re.compile("^one$", re.IGNORECASE), WHOLE, True),
        (None, "", PART, False),
        (None, re.compile(""), PART, False),
    ],
)
def test_texts(actual: Any, expected: Any, how: Comparison, holds: bool) -> None:
    assert says(actual, expected, how) is holds


@pytest.mark.parametrize(
    ("actual", "expected", "how", "holds"),
    [
        (["a", "b"], ["a", "b"], WHOLE, True),
        (["a", "b"], ["b", "a"], WHOLE, False),
        (["a", "b"], ["a"], WHOLE, False),
        (["xay", "z", "xby"], ["a", "b"], PART, True),
        (["xby", "xay"], ["a", "b"], PART, False),
        (["ab"], ["a", "b"], PART, False),
        (["a"], [re.compile("A", re.IGNORECASE)], WHOLE, True),
        ([], [], WHOLE, True),
        (["a"], [], PART, True),
    ],
)
def test_lists(actual: list[Any], expected: list[Any], how: Comparison, holds: bool) -> None:
    assert say_all(actual, expected, how) is holds


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=4))
def test_parts_are_found_in_their_order_if_some_choice_of_elements_has_them(
    actual: list[str], expected: list[str]
) -> None:
    def found(at: int, wanted: list[str]) -> bool:
        return not wanted or any(
            wanted[0] in text and found(place + 1, wanted[1:]) for place, text in enumerate(actual) if place >= at
        )

    assert say_all(actual, expected, PART) is found(0, expected)


def test_classes() -> None:
    assert classes_say("a  b c", "c a")
    assert not classes_say("ab", "a")
    assert not classes_say(None, "a")


@pytest.mark.parametrize("wrong", [3, None, b"a", re.compile(b"a"), ["a"]])
def test_what_is_not_text_is_refused(wrong: Any) -> None:
    with pytest.raises(OptionInvalid, match=r"to_have_text takes a text or a compiled regular expression as expected"):
        checked_text(wrong, "to_have_text", "expected")
    with pytest.raises(OptionInvalid):
        checked_texts([wrong], "to_have_text", "expected")


def test_failures_show_expressions_as_javascript_has_them() -> None:
    assert shown(["a", re.compile("b", re.IGNORECASE), re.compile("c")]) == "['a', /b/i, /c/]"
