"""Selectors that the methods of locators write: each parses to what was meant, and is as a person would write it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import SelectorInvalid
from stillframe.tab.locating import writing
from stillframe.tab.locating.quoting import collapse
from stillframe.tab.locating.selectors import HasText, Role, Text, parse

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30).filter(lambda text: collapse(text).strip())


@pytest.mark.parametrize(
    ("text", "exact", "written"),
    [
        ("Log in", False, "text=Log in"),
        ("Log   in ", False, "text=Log in"),
        ("Log in", True, 'text="Log in"'),
        ('say "hi"', True, "text='say \"hi\"'"),
        ("a >> b", False, 'text="a >> b"i'),
        ("/usr/", False, 'text="/usr/"i'),
        ('"quoted"', False, "text='\"quoted\"'i"),
        (re.compile("log ?in", re.IGNORECASE), False, "text=/log ?in/iu"),
    ],
)
def test_texts_look_as_a_person_writes_them(text: str, exact: bool, written: str) -> None:
    assert writing.by_text("text", text, exact=exact) == written


@given(WORDS, st.booleans())
def test_every_text_means_itself(text: str, exact: bool) -> None:
    selector = writing.by_text("text", text, exact=exact)
    assert parse(f"main >> {selector} >> nth=0").steps[1] == Text(collapse(text), exact)


@given(WORDS, st.booleans())
def test_every_name_means_itself(name: str, exact: bool) -> None:
    written = writing.by_role("button", name=name, exact=exact, include_hidden=True, states={"pressed": False})
    expected = Role("button", collapse(name), exact, {"pressed": False}, hidden=True)
    assert parse(f"{written} >> nth=0").steps[0] == expected


@given(WORDS)
def test_selectors_inside_selectors_mean_themselves(text: str) -> None:
    inner = writing.with_text("li", "has-text", text)
    middle = writing.joined("ul", "has", inner)
    selector = writing.joined(middle, "or", writing.by_text("label", text))
    (either,) = parse(selector).steps
    assert either.left[1].steps == parse(inner).steps  # type: ignore[union-attr]
    assert parse(inner).steps[1] == HasText(collapse(text))


PLACES: list[tuple[str, str, str]] = [
    ("#a", "b", "#a >> b"),
    ("#a", "li >> nth=0", '#a >> chain="li >> nth=0"'),
    ("#a", "b >> or=i", '#a >> chain="b >> or=i"'),
    ("frame=#f >> #a", "frame=#f >> b", "frame=#f >> #a >> b"),
    ("frame=#f >> nth=1 >> #a", "frame=#f >> nth=1 >> b", "frame=#f >> nth=1 >> #a >> b"),
    ("frame=#f >> #a", "b", "frame=#f >> #a >> b"),
]


@pytest.mark.parametrize(("place", "inner", "selector"), PLACES)
def test_a_whole_selector_inside_another(place: str, inner: str, selector: str) -> None:
    assert writing.inside(place, inner) == selector
    parse(selector)


def test_selectors_of_two_frames_are_not_combined() -> None:
    for selector in ("#a", "frame=#g >> #a"):
        with pytest.raises(SelectorInvalid, match="in another frame"):
            writing.joined(selector, "has", "frame=#f >> b")


@pytest.mark.parametrize(
    ("selector", "into"),
    [
        ("iframe", "frame=iframe"),
        ("main >> iframe >> nth=0", "main >> frame=iframe >> nth=0"),
        ("iframe.a >> or=iframe.b", "frame=iframe.a >> or=iframe.b"),
        ("frame=#a >> iframe", "frame=#a >> frame=iframe"),
        ('li >> chain="iframe >> nth=0"', 'li >> frame=chain="iframe >> nth=0"'),
        ("ref=e3", "frame=ref=e3"),
    ],
)
def test_into_a_frame_and_back(selector: str, into: str) -> None:
    assert writing.into_frame(selector) == into
    assert writing.owner_of(into) == selector
    parse(f"{into} >> button")
