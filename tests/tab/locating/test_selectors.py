"""Selector parsing: every form, every refusal, and no other exception than SelectorInvalid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import SelectorInvalid
from stillframe.tab.locating import selectors
from stillframe.tab.locating.selectors import (
    AccessibleId,
    And,
    Css,
    FrameName,
    FrameUrl,
    Group,
    Has,
    HasText,
    Label,
    Nth,
    Or,
    Ref,
    Role,
    TestId,
    Text,
    XPath,
    parse,
)
from stillframe.tab.locating.writing import quoted


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
        ('text="log   in"i', Text("log in", exact=False)),
        ("text=/a b|c{2}/i", Text("a b|c{2}", exact=False, pattern=("a b|c{2}", "i"))),
        ("text=/a >> [/] \\/b/", Text("a >> [/] \\/b", exact=False, pattern=("a >> [/] \\/b", ""))),
        ("label=/x/su", Label("x", exact=False, pattern=("x", "su"))),
        ("testid=/^pay-/", TestId("^pay-", ("^pay-", ""))),
        (
            "role=button[name=/[a-z\\]]+/i][disabled]",
            Role("button", "[a-z\\]]+", False, {"disabled": True}, ("[a-z\\]]+", "i")),
        ),
        ("role=button[include-hidden]", Role("button", None, True, {}, hidden=True)),
        ("role=button[include-hidden=false]", Role("button", None, True, {}, hidden=False)),
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


B = css_of("b", ["b"])
NESTED: dict[str, list[selectors.Step]] = {
    "b >> has=text=x": [B, Has((Text("x", exact=False),))],
    "b >> has= 'text=\"a >> b\"'": [B, Has((Text("a >> b", exact=True),))],
    'b >> has-not="b >> nth=0"': [B, Has((B, Nth(0)), wanted=False)],
    "b >> has=role=button[name='a >> b'] >> nth=1": [B, Has((Role("button", "a >> b", True, {}),)), Nth(1)],
    "b >> has-not-text=/x/": [B, HasText("x", ("x", ""), wanted=False)],
    "b >> and=b": [B, And((B,))],
    "b >> nth=0 >> or=b >> nth=1": [Or((B, Nth(0)), (B,)), Nth(1)],
    "b >> or=b >> or='b >> nth=2'": [Or((Or((B,), (B,)),), (B, Nth(2)))],
    "ref=e1 >> or=b": [Ref("e1"), Or((), (B,))],
    "ref=e1 >> b >> or=b": [Ref("e1"), Or((B,), (B,))],
    'b >> chain="b >> nth=0"': [B, Group((B, Nth(0)))],
    r"""b >> has="b >> has=\"b >> has='b >> nth=0'\"" """: [B, Has((B, Has((B, Has((B, Nth(0)))))))],
}


@pytest.mark.parametrize(("text", "steps"), NESTED.items())
def test_selectors_inside_selectors(text: str, steps: list[selectors.Step]) -> None:
    assert list(parse(text).steps) == steps


def test_selectors_inside_selectors_are_few() -> None:
    deep = "b >> has=" + "has=" * 2000 + "b"
    with pytest.raises(SelectorInvalid, match="more than 5 deep"):
        parse(deep)
    nested = "b"
    for _ in range(6):
        nested = f"b >> has={quoted(nested)}"
    with pytest.raises(SelectorInvalid, match="more than 5 deep"):
        parse(nested)


def test_a_frame_may_be_one_of_two() -> None:
    selector = parse("main >> frame=#a >> or=#b >> text=x")
    (hop,) = selector.hops
    main, a, b = css_of("main", ["main"]), css_of("#a", ["#a"]), css_of("#b", ["#b"])
    assert hop.path.steps == (Or((main, a), (b,)),)
    assert selector.steps == (Text("x", exact=False),)


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
        ("text=/save/g", "flag 'g', which means nothing here"),
        ("text=/save/ii", "flag 'i'"),
        ("role=button[name*=/save/i]", "not a regular expression"),
        ("role=button[include-hidden=perhaps]", "true or false"),
        ("role=button[hidden]", "did you mean 'include-hidden'"),
        ("has=img", "`has=` filters the matches of a part before it"),
        ("or=img", "`or=` filters the matches of a part before it"),
        ("li >> has=", "`has=` needs a value"),
        ("li >> has=frame=#pay", "enter the frame first"),
        ("li >> has=ref=e3", "it can only begin a chain"),
        ("li >> has='text=\"a'", "does not end with it"),
        ("li >> has=has-text=x", "`has-text=` filters the matches of a part before it"),
        ("li >> hass=img", "did you mean 'has'"),
        ("~/login/i", "not a regular expression"),
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
