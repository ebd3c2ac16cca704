"""Selectors of DevTools and of stillframe, in both directions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.recorder.devtools_selectors import MAX_ALTERNATIVES, Place, frame_scope, from_devtools, to_devtools
from stillframe.tab.locating.selectors import AccessibleId, Role, parse

PAIRS: list[tuple[str | tuple[str, ...], list[str]]] = [
    ("#buy", ["#buy"]),
    ("css/#buy", ["#buy"]),
    ("pierce/#list > li:nth-of-type(2)", ["#list > li:nth-of-type(2)"]),
    ('a[title="x >> y"]', ['a[title="x >> y"]']),
    ('xpath///*[@id="buy"]', ['xpath=//*[@id="buy"]']),
    ("text/Add to", ["text=Add to"]),
    ("text/Say  \n hi", ["text=Say hi"]),
    ('text/"quoted', [r'text="\"quoted"']),
    ("text/a >> b", ['text="a >> b"']),
    ("aria/Buy", ['~"Buy"', 'text="Buy"']),
    ('aria/Say "hi"', [r'~"Say \"hi\""', r'text="Say \"hi\""']),
    ('aria/Buy[role="button"]', ['role=button[name="Buy"]']),
    ("aria/[name='Buy now'][role='link']", ['role=link[name="Buy now"]']),
    ('aria/[role="link"]', ["role=link"]),
    ('aria/Buy[role="StaticText"]', ['text="Buy"']),
    (("my-card", "#buy"), ["my-card >> #buy"]),
    (("my-card", 'aria/Buy[role="button"]'), ['my-card >> role=button[name="Buy"]']),
    (("aria/Buy", 'aria/[role="generic"]'), ['~"Buy"', 'text="Buy"']),
    ("my-card >>>> #buy", ["my-card >> #buy"]),
    ("main >>> #buy", ["main >> #buy"]),
    (r"#count::-p-text(1 \(one\))", ['#count >> has-text="1 (one)"']),
]


@pytest.mark.parametrize(("selector", "ours"), PAIRS, ids=[str(selector) for selector, _ in PAIRS])
def test_a_selector_of_devtools(selector: str | tuple[str, ...], ours: list[str]) -> None:
    assert from_devtools([selector]) == ours


@pytest.mark.parametrize("selector", ["", "aria/", "text/ ", "a[", "::-p-text(a)", "pierce/", "#a >>", "b" * 1001])
def test_a_selector_that_cannot_be_used_is_left_out(selector: str) -> None:
    assert from_devtools([selector, "#a"]) == ["#a"]


def test_what_a_selector_may_mean_besides_comes_last() -> None:
    assert from_devtools(["aria/Buy", "#buy", "pierce/#buy"]) == ['~"Buy"', "#buy", 'text="Buy"']


def test_there_are_as_many_as_a_recording_keeps() -> None:
    assert len(from_devtools([f"#a{n}" for n in range(30)])) == MAX_ALTERNATIVES


@given(st.text(min_size=1, max_size=30))
def test_any_name_stays_one_name(name: str) -> None:
    plain = " ".join(name.split())
    if not plain or set(plain) & set("[]"):
        return

    (by_role,) = from_devtools([f'aria/{name}[role="button"]'])
    by_id = from_devtools([f"aria/{name}"])[0]

    assert parse(by_role).steps == (Role("button", plain, True, {}),)
    assert parse(by_id).steps == (AccessibleId(plain),)


def test_a_frame_is_the_number_of_a_child() -> None:
    scope = frame_scope([1, 0])

    assert scope == "frame=iframe, frame >> nth=1 >> frame=iframe, frame >> nth=0 >> "
    assert to_devtools(from_devtools(["#a"], scope)) == (Place("main", (1, 0)), [["#a"], ["pierce/#a"]])


def test_a_frame_of_another_process_has_a_url() -> None:
    url = 'https://pay.test/card?a="b"'
    scope = frame_scope([2], url)

    assert scope == r'frame=url="https://pay.test/card?a=\"b\"" >> frame=iframe, frame >> nth=2 >> '
    assert to_devtools(from_devtools(["#a"], scope))[0] == Place(url, (2,))
    assert (frame_scope([]), frame_scope([], "main")) == ("", "")


BACK = [
    ("#buy", [["#buy"], ["pierce/#buy"]]),
    ("xpath=//a", [["xpath///a"]]),
    ("text=Buy", [["text/Buy"]]),
    ('role=button[name="Buy"]', [['aria/Buy[role="button"]']]),
    ("role=link", [['aria/[role="link"]']]),
    ('label="Card number"', [["aria/Card number"]]),
    ('~"Buy"', [["aria/Buy"]]),
    ('placeholder="Your name"', [['[placeholder="Your name"]']]),
    (r'alt="A \"b\""', [[r'[alt="A \22 b\22 "]']]),
    ("title=Help", [['[title*="Help" i]']]),
    ("my-card >> #buy", [["my-card", "#buy"], ["my-card #buy"], ["pierce/my-card #buy"]]),
    ("my-card >> text=Buy", [["my-card", "text/Buy"]]),
    ("frame=iframe >> #a", [["#a"], ["pierce/#a"]]),
    ('li >> has-text="1 (one)"', [[r"li::-p-text(1 \(one\))"]]),
]


@pytest.mark.parametrize(("ours", "selectors"), BACK, ids=[ours for ours, _ in BACK])
def test_a_selector_for_devtools(ours: str, selectors: list[list[str]]) -> None:
    assert to_devtools([ours])[1] == selectors


def test_a_test_id_may_be_in_any_of_its_attributes() -> None:
    ((found,),) = to_devtools(["testid=pay"])[1]

    assert found.split(", ")[:2] == ['[data-testid="pay"]', '[data-test-id="pay"]']


@pytest.mark.parametrize(
    "ours",
    [
        *("li >> nth=2", "li, a >> has-text=Ann", "li:visible", "ref=e12", "label=Card", 'role=button[name*="Bu"]'),
        *("role=checkbox[checked]", "frame=#pay >> #a", "frame=name=pay >> #a", "frame=url=pay* >> #a", "a["),
        "frame=iframe >> nth=-1 >> #a",
    ],
)
def test_what_devtools_has_no_selector_for_is_left_out(ours: str) -> None:
    assert to_devtools([ours])[1] == []
    assert to_devtools([ours, "#a"])[1] == [["#a"], ["pierce/#a"]]


def test_the_first_selector_decides_the_frame() -> None:
    assert to_devtools(["frame=iframe >> #a", "#b"]) == (Place("main", (0,)), [["#a"], ["pierce/#a"]])


def test_a_whole_text_is_the_last_resort() -> None:
    assert to_devtools(['text="Buy"', "#buy"])[1] == [["#buy"], ["pierce/#buy"]]
    assert to_devtools(['text="Buy"'])[1] == [["text/Buy"]]
