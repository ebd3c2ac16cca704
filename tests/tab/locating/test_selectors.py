"""Selector parsing: every form, every refusal, and no other exception than SelectorInvalid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import SelectorInvalid
from stillframe.tab.locating import selectors
from stillframe.tab.locating.selectors import AccessibleId, Css, FrameName, FrameUrl, Ref, Role, Text, XPath, parse


def css_of(css: str, *parts: list[str]) -> Css:
    """CSS without tests: each link begins with its combinator, if it has one."""
    links = [
        tuple((one[0], one[1:], "", ()) if one[0] in " >+~" else ("", one, "", ()) for one in part) for part in parts
    ]
    return Css(css, tuple(links))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("#user", css_of("#user", ["#user"])),
        ("css=a, b", css_of("a, b", ["a"], ["b"])),
        ("main  .row > a", css_of("main  .row > a", ["main", " .row", ">a"])),
        ('a[title="x > y, z"] b', css_of('a[title="x > y, z"] b', ['a[title="x > y, z"]', " b"])),
        ("#a\\,b", css_of("#a\\,b", ["#a\\,b"])),
        ("xpath=//a", XPath("//a")),
        ("//a[1]", XPath("//a[1]")),
        ("(//a)[1]", XPath("(//a)[1]")),
        ("text=log   in", Text("log in", exact=False)),
        ('text="Log in"', Text("Log in", exact=True)),
        ("text='it\\'s'", Text("it's", exact=True)),
        ("role=button", Role("button", None, True, {})),
        ('role=button[name="Save  all"]', Role("button", "Save all", True, {})),
        ("role=heading[name*=news][level=2]", Role("heading", "news", False, {"level": 2})),
        ("role=checkbox[checked][disabled=false]", Role("checkbox", None, True, {"checked": True, "disabled": False})),
        ("role=image", Role("img", None, True, {})),
        ("role=doc-chapter[name*=Two]", Role("doc-chapter", "Two", False, {})),
        ('text="/usr/"', Text("/usr/", exact=True)),
        ("text=/usr/share", Text("/usr/share", exact=False)),
        ('role=link[name="a ] b"]', Role("link", "a ] b", True, {})),
        ("~loginButton", AccessibleId("loginButton")),
        ("ref=e12", Ref("e12")),
    ],
)
def test_each_form(text: str, target: selectors.Target) -> None:
    assert parse(text).target == target
    assert parse(f"  {text} ").target == target


REFS: list[tuple[str, bool, str]] = [
    ("ref=e12", True, ""),
    (" ref=e12 ", True, ""),
    ("ref=e12 >> text=Open", True, "text=Open"),
    ("#list >> ref=e3", True, "#list"),
    ("ref=total", False, "ref=total"),
    ('text="ref=e1 >> x"', False, 'text="ref=e1 >> x"'),
    ("#save", False, "#save"),
    ("#save >> ", False, "#save >>"),
]


@pytest.mark.parametrize(("text", "expected", "rest"), REFS)
def test_refs_in_a_selector(text: str, expected: bool, rest: str) -> None:
    assert selectors.has_ref(text) == expected
    assert selectors.without_refs(text) == rest


def test_frames_nest_outermost_first() -> None:
    selector = parse('frame=iframe[name="a >> b"] >> frame=name=inner >> frame=url=*/pay >> text="a >> b"')
    assert selector.frames == (
        css_of('iframe[name="a >> b"]', ['iframe[name="a >> b"]']),
        FrameName("inner"),
        FrameUrl("*/pay"),
    )
    assert selector.target == Text("a >> b", exact=True)
    assert selector.kind == "text"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "the selector is empty"),
        ("   ", "the selector is empty"),
        ("css=", "empty selector"),
        ("a,", "empty selector"),
        ("a[b", "] is missing"),
        ('a[b="c]', '" is missing'),
        ("~", "needs a value"),
        ("text=", "needs a value"),
        ('text="open', "does not end with it"),
        ('text="', "does not end with it"),
        ("xpath=", "needs a value"),
        ("rol=button", "did you mean 'role'"),
        ("id=user", "unknown prefix `id=`"),
        ("role=", "as role=button"),
        ("role=button[", "expected [name="),
        ("role=button[name]", "as name="),
        ("role=button[chekced]", "did you mean 'checked'"),
        ("role=heading[level=x]", "number from 1 to 99"),
        ("role=checkbox[checked=maybe]", "true or false"),
        ("role=bouton", "did you mean 'button'"),
        ("role=h2", "did you mean 'heading[level=2]'"),
        ("role=input[name=Mail]", "did you mean 'textbox'"),
        ("role=navigaton", "did you mean 'navigation'"),
        ("role=button[level=3]", "roles with it: heading, listitem, row, treeitem"),
        ("role=textbox[checked=false]", "never has the state 'checked'"),
        ("role=generic", "without a role"),
        ("text=/save/i", 'text="/save/i"'),
        ("role=button[name=/save/i]", "not a regular expression"),
        ("li >> has-text=/x/", "not a regular expression"),
        ("label=/x/", "not a regular expression"),
        ("ref=12", "as ref=e12"),
        ("frame=#pay", "must be followed by"),
        ("frame= >> a", "the selector is empty"),
        ("frame=#pay >> ", "a part is empty"),
        (":not(" * 11 + "a b" + ")" * 11, "nested more than 10 deep"),
    ],
)
def test_what_does_not_parse_says_why(text: str, part: str) -> None:
    with pytest.raises(SelectorInvalid) as caught:
        parse(text)
    assert part in str(caught.value)
    assert caught.value.selector == text


SYNTAX = st.text(alphabet="ab1 =\"'\\[]()>~+,*.#:/-frameroltxnud", max_size=40)


@given(st.one_of(st.text(), SYNTAX, SYNTAX.map(lambda s: f"role={s}"), SYNTAX.map(lambda s: f"frame={s}")))
def test_anything_parses_or_is_refused(text: str) -> None:
    try:
        selector = parse(text)
    except SelectorInvalid:
        return
    assert selector.text == text


@given(st.lists(st.sampled_from(["a", ".b", '[c=">, "]', ":not(d, e)"]), min_size=1, max_size=5), st.data())
def test_links_cover_the_selector(compounds: list[str], data: st.DataObject) -> None:
    combinators = [data.draw(st.sampled_from([" ", " > ", ">", "+", " ~ "])) for _ in compounds[1:]]
    css = compounds[0] + "".join(a + b for a, b in zip(combinators, compounds[1:], strict=True))
    links = [f"{combinator.strip() or ' '}{one}" for combinator, one in zip(combinators, compounds[1:], strict=True)]
    assert parse(f"css={css}").target == css_of(css, [compounds[0], *links])


def test_what_may_cross_shadow_roots_is_apart() -> None:
    """The browser matches the rest of a compound, and pseudo-classes whose lists have no combinators."""
    inner = (("", "b", "", ()), (" ", "c", "", ()))
    has = ("has", (((">", "d", "", ()),),))
    assert parse(":is(a, b):is(b c)[e]:has(> d)").target == Css(
        ":is(a, b):is(b c)[e]:has(> d)",
        ((("", ":is(a, b):is(b c)[e]:has(> d)", ":is(a, b)[e]", (("is", (inner,)), has)),),),
    )
    assert parse("a >> :scope:not(b c)").target == Css(
        ":scope:not(b c)", ((("", ":scope:not(b c)", "*", (("scope", ()), ("not", (inner,)))),),)
    )
    assert parse("x:not(* > *)").target == css_of("x:not(* > *)", ["x:not(* > *)"])
