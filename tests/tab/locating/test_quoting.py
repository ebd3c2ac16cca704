"""Cutting selectors: beside slow and obvious twins, over anything, and in time that grows with the length."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import SelectorInvalid
from stillframe.security.redaction import Redaction
from stillframe.tab.locating.quoting import MAX_STEPS, SHOWN, collapse, masked, shortened, split_chain
from stillframe.tab.locating.selectors import parse

PARTS = [
    "#two",
    "li > a",
    'a[title="x >> y"]',
    "a[title='\\'>>']",
    ":is(a, b)",
    "css=li:not([x='>>'])",
    "text=Open me",
    "text=it's",
    'text="a >> b"',
    "text='it\\'s >> so'",
    'text="say \\"x\\" >> now"',
    'text=say "x"',
    '"x >> y"',
    'role=button[name="OK >> go"]',
    "role=button[name=it's][disabled]",
    "role=checkbox[checked=mixed]",
    "xpath=//a[. = 'x >> \"y']",
    "//a[@t='it']",
    "..",
    "label=Card (number",
    'label="[>>"',
    "placeholder=> x",
    "testid=a[b",
    "~log in",
    "nth=-2",
    'has-text="]>>["',
    "visible=false",
    'li:has-text(">>")',
    "li:visible",
]

LOOSE = st.text(alphabet="ab1 =\"'\\[]()>~+,*.#:/-framevisblotxnud\n", max_size=40)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6), st.data())
def test_a_chain_is_its_parts(parts: list[str], data: st.DataObject) -> None:
    arrows = [data.draw(st.sampled_from([" >> ", ">> ", " >>\n"])) for _ in parts[1:]]
    chain = parts[0] + "".join(arrow + part for arrow, part in zip(arrows, parts[1:], strict=True))
    assert split_chain(chain) == parts
    alone = parse("body >> " + parts[0]).steps[1:]
    assert parse("body >> " + chain).steps[1 : 1 + len(alone)] == alone
    assert parse("frame=#f >> body >> " + chain).steps == parse("body >> " + chain).steps


def slowly_masked(source: str) -> str | None:
    """Return what `masked` says, one letter at a time."""
    out, owed, at = "", "", 0
    while at < len(source):
        char = source[at]
        if char == "\\":
            out += "x" * len(source[at : at + 2])
            at += 2
            continue
        before = owed
        if owed and char == owed[-1]:
            owed = owed[:-1]
        elif char in "\"'" and owed[-1:] not in ("'", '"'):
            owed += char
        elif char in "[(" and owed[-1:] not in ("'", '"'):
            owed += {"[": "]", "(": ")"}[char]
        out += "x" if before or owed else char
        at += 1
    return None if owed else out


@given(LOOSE)
def test_masks_are_those_of_the_slow_twin(source: str) -> None:
    try:
        mask = masked(source, source)
    except SelectorInvalid:
        assert slowly_masked(source) is None
        return
    assert mask == slowly_masked(source)
    assert len(mask) == len(source)


@given(st.one_of(st.text(), LOOSE, LOOSE.map("a >> {}".format), LOOSE.map("role=a[name={}".format)))
def test_whatever_it_is_it_parses_or_is_refused(text: str) -> None:
    try:
        selector = parse(text)
    except SelectorInvalid:
        return
    assert selector.steps
    assert len(selector.chain.sources) == len(selector.steps)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a >> ", "after the last `>>`"),
        (">> a", "before the first `>>`"),
        ("a >> >> b", "after 'a'"),
        ("a >>> b", "`>>>` is not a combinator"),
        ("a >> foo=b", "unknown prefix `foo=`"),
        ("a >> labl=b", "did you mean 'label'"),
        ("a >> frame=#f", "must be followed by"),
        ("frame= >> a", "the selector is empty"),
        ("frame=name= >> a", "`name=` needs a value"),
        ("nth=1", "filters the matches of a part before it"),
        ("frame=name=f >> nth=1 >> a", "filters the matches of a part before it"),
        ("a >> nth=x", "nth= takes a number"),
        ("a >> nth=1.5", "nth= takes a number"),
        ("a >> visible=yes", "true or false"),
        ("a >> has-text=", "needs a value"),
        ('a >> text="b', "does not end with it"),
        ("a >> ref=e1", "can only begin a chain"),
        ("a >> b[c", "] is missing"),
        ("role=a[expanded=mixed]", "true or false, not"),
        ("li:has-text(x)", ':has-text("…")'),
        ('li:has-text("x"), a', "in a list of selectors"),
        (":nth-match(li, 0)", "a number from 1"),
        ("a > :nth-match(li, 1)", "must begin the selector"),
        (" >> ".join(["a"] * (MAX_STEPS + 1)), f"more than {MAX_STEPS} parts"),
        (" >> ".join(["a"] * 1000), f"more than {MAX_STEPS} parts"),
    ],
)
def test_errors_say_how_to_write_it(text: str, part: str) -> None:
    with pytest.raises(SelectorInvalid) as caught:
        parse(text)
    assert part in str(caught.value)
    assert len(str(caught.value)) < 600


LONG = 20_000
NASTY = [
    "a" * LONG,
    "[" * LONG,
    "'" * (LONG + 1),
    "\\" * LONG,
    " " * LONG + "a",
    "a" + " " * LONG + "b",
    "text=" + '"' * LONG,
    'text="' + 'a" ' * LONG,
    "text=" + "a >" * LONG,
    "role=button[name=" + "a " * LONG,
    "role=button[name=" + " " * LONG,
    'role=button[name="' + '\\"' * LONG,
    "role=button" + "[checked]" * (LONG // 9),
    "//a['" + '"' * LONG,
    ":visible" * (LONG // 8),
    ":nth-match(" + "," * LONG,
    "li" + ':has-text("x")' * (LONG // 14),
    "a," * LONG + "b",
    ">>" * LONG,
]


@pytest.mark.parametrize("text", NASTY, ids=lambda text: text[:18])
def test_time_grows_with_the_length(text: str) -> None:
    """A million steps take about a second; what is quadratic takes minutes."""
    start = time.process_time()
    with suppress(SelectorInvalid):
        parse(text)
    assert time.process_time() - start < 8


def test_words_are_collapsed() -> None:
    assert collapse(" a \n\u00a0 b ") == "a b"


@pytest.mark.parametrize("fill", range(170, 200))
def test_a_message_cuts_no_secret_in_half(fill: int) -> None:
    redaction = Redaction()
    redaction.add("correct-horse-battery")
    shown = shortened(f"text={'x' * fill} correct-horse-battery {'y' * 40}")
    assert "correct" not in shown
    assert len(shown) <= SHOWN + 1
