"""Selectors of native elements: what they match, and what an error says about those that match nothing or several."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.native.native_selectors import MAX_CHARS, matching, parse_selector, the_one
from stillframe.adb.native.ui_tree import NativeElement
from stillframe.errors import AmbiguousSelector, ElementNotFound, SelectorInvalid


def element(class_name: str, depth: int, *, text: str = "", desc: str = "", id: str = "") -> NativeElement:
    role = {"Button": "button", "ListView": "list", "EditText": "textbox"}.get(class_name, "generic")
    return NativeElement(
        class_name=f"android.widget.{class_name}",
        role=role,
        name=text or desc,
        text=text,
        content_desc=desc,
        resource_id=f"com.example.shop:id/{id}" if id else "",
        package="com.example.shop",
        depth=depth,
    )


SCREEN = [
    element("FrameLayout", 0),
    element("EditText", 1, id="user", desc="E-mail"),
    element("ListView", 1, id="lamps"),
    element("Row", 2),
    element("TextView", 3, text="Ember"),
    element("Button", 3, text="Add to cart", id="add"),
    element("Row", 2),
    element("TextView", 3, text="Ember\n  XL"),
    element("Button", 3, text="Add to cart", id="add"),
    element("ListView", 1, id="cart"),
    element("Button", 2, text="Open", desc='The "open" sign', id="open"),
    element("Button", 1, text="LOG IN", desc="Log in", id="login"),
]


def indices(selector: str) -> list[int]:
    return [next(at for at, each in enumerate(SCREEN) if each is found) for found in matching(SCREEN, selector)]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("~Log in", [11]),
        ("~ Log in ", [11]),
        ('~"Log in"', [11]),
        ("~log in", []),
        ("~Log", []),
        ('~The "open" sign', [10]),
        (r'~"The \"open\" sign"', [10]),
        ("id=login", [11]),
        ("id=com.example.shop:id/login", [11]),
        ("resource-id=login", [11]),
        ("id=log", []),
        ("text=log in", [11]),
        ("text=LOG", [11]),
        ("text=ember", [4, 7]),
        ('text="Ember"', [4]),
        ('text="ember"', []),
        ('text="Ember XL"', [7]),
        ("text=ember   xl", [7]),
        ("class=ListView", [2, 9]),
        ("class=android.widget.ListView", [2, 9]),
        ("class=List", []),
        ("role=list", [2, 9]),
        ("role=button", [5, 8, 10, 11]),
        ('role=button[name="Open"]', [10]),
        ("role=button[ name = Open ]", [10]),
        ('role=button[name="Ope"]', []),
        ("id=lamps >> role=button", [5, 8]),
        ("id=lamps>>role=button>>nth=1", [8]),
        ("id=lamps >> role=button >> nth=-1", [8]),
        ("id=lamps >> role=button >> nth=2", []),
        ("id=lamps >> role=button >> nth=-3", []),
        ("class=Row >> nth=1 >> role=button", [8]),
        ("class=FrameLayout >> class=ListView >> role=button", [5, 8, 10]),
        ("class=FrameLayout >> role=list", [2, 9]),
        ("id=lamps >> id=lamps", []),
        ('text="a >> b" >> nth=0', []),
    ],
)
def test_a_selector_matches(selector: str, found: list[int]) -> None:
    assert indices(selector) == found


def test_scopes_inside_scopes_give_each_element_once() -> None:
    nested = [element("Box", depth) for depth in range(4)]
    assert matching(nested, "class=Box >> class=Box") == nested[1:]


@pytest.mark.parametrize(
    ("selector", "reason"),
    [
        ("", "empty"),
        ("~", "value is empty"),
        ("id=", "value is empty"),
        ('text=""', "value is empty"),
        ("login", "no prefix"),
        ("#login", "web pages only"),
        ("//android.widget.Button", "web pages only"),
        ("xpath=//x", "web pages only"),
        ("css=a", "web pages only"),
        ("label=x", "web pages"),
        ("content-desc=x", "write ~name"),
        ("accessibility id=x", "write ~name"),
        ("clas=Button", "did you mean 'class'"),
        ("zzzzzz=1", "zzzzzz= is unknown"),
        ("nth=0", "must follow"),
        ("id=a >> nth=first", "not a whole number"),
        ("id=a >> ", "empty"),
        (">> id=a", "empty"),
        ("role=Button!", "a role is one word"),
        ("role=button[label=x]", "a role is one word"),
        ("~" + "x" * MAX_CHARS, "limit"),
    ],
)
def test_what_is_not_a_selector_is_refused_with_the_reason(selector: str, reason: str) -> None:
    with pytest.raises(SelectorInvalid, match=reason) as caught:
        parse_selector(selector)
    assert caught.value.selector == selector
    assert "~name" in str(caught.value)


@given(st.text(alphabet='~idtexclasron=" \\[]>#/-0', max_size=40))
def test_any_text_is_a_selector_or_refused(text: str) -> None:
    with suppress(SelectorInvalid):
        assert all(found in SCREEN for found in matching(SCREEN, text))


@given(st.text(min_size=1, max_size=40).filter(str.strip))
def test_a_quoted_value_finds_exactly_its_text(text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    screen = [element("TextView", 0, text=text), element("TextView", 0, text=f"{text} and more", desc=text)]
    assert matching(screen, f'text="{quoted}"') == [screen[0]]
    assert matching(screen, f'~"{quoted}"') == [screen[1]]


def test_the_one_is_returned() -> None:
    assert the_one(SCREEN, "id=login") is SCREEN[11]


def test_several_matches_are_listed() -> None:
    with pytest.raises(AmbiguousSelector) as caught:
        the_one(SCREEN, "id=add")
    assert caught.value.count == 2
    assert caught.value.matches == ('button id=add text="Add to cart"',) * 2
    assert "id=add matches 2 native elements" in str(caught.value)
    assert "nth=" in str(caught.value)


def test_many_matches_are_counted() -> None:
    with pytest.raises(AmbiguousSelector, match="and 3 more"):
        the_one([element("Button", 0, text=f"{n}") for n in range(8)], "role=button")


@pytest.mark.parametrize(
    ("selector", "nearest"),
    [
        ("~Log im", 'button ~"Log in" id=login text="LOG IN"'),
        ("id=logon", 'button ~"Log in" id=login text="LOG IN"'),
        ("text=Ad to cart", 'button id=add text="Add to cart"'),
        ("class=ListVew", "list id=lamps"),
        ('role=textbox[name="Email"]', 'textbox ~"E-mail" id=user'),
        ("id=lamps >> ~e-mail", 'textbox ~"E-mail" id=user'),
    ],
)
def test_no_match_names_the_nearest(selector: str, nearest: str) -> None:
    with pytest.raises(ElementNotFound) as caught:
        the_one(SCREEN, selector, seconds=2)
    assert caught.value.candidates[0] == nearest
    assert len(caught.value.candidates) <= 3
    assert "12 native elements of com.example.shop within 2 s" in str(caught.value)


def test_nothing_near_makes_no_suggestion() -> None:
    with pytest.raises(ElementNotFound) as caught:
        the_one(SCREEN, "~zzzzzzzzzzzz")
    assert caught.value.candidates == ()
    assert "nearest" not in str(caught.value)


def test_an_empty_screen_says_so() -> None:
    with pytest.raises(ElementNotFound, match="0 native elements of no app"):
        the_one([], "~x")


def test_nth_beyond_the_matches_suggests_nothing() -> None:
    with pytest.raises(ElementNotFound) as caught:
        the_one(SCREEN, "id=add >> nth=7")
    assert caught.value.candidates == ()
