"""Names and roles of what no author meant: they come at once, and nothing overflows."""

from __future__ import annotations

import pytest

from accname.answers import TWIN
from sampling import sampled
from stillframe.api.browser import Page
from stillframe.cdp_types import performance

SECONDS = 20.0
"""CPU seconds of the page, far more than any of these takes; what is quadratic takes minutes."""

HANG_S = 300.0
"""With a tenth of a core, as beside 15 processes on two, the page takes ten times as long; only a hang takes this."""

DEEP = """(tag) => {
  let inner = document.createElement("input");
  for (let i = 0; i < 2500; i++) {
    const outer = document.createElement(tag);
    outer.append("x", inner);
    inner = outer;
  }
  document.body.replaceChildren(inner);
}"""
"""Deeper than scripts can recurse through; the parser itself nests no deeper than 512."""

ASK = """(selector) => {
  __twin.lookAgain();
  const element = document.querySelector(selector);
  return [__twin.roleOf(element), __twin.nameOf(element), __twin.descriptionOf(element)];
}"""
ASK_ALL = """() => {
  __twin.lookAgain();
  for (const element of document.querySelectorAll("*")) __twin.nameOf(element);
  return true;
}"""


async def cpu_seconds(page: Page) -> float:
    """Return the CPU time of the page's main thread: other processes on the machine do not lengthen it."""
    await page.cdp_session.send(performance.Enable())
    metrics = (await page.cdp_session.send(performance.GetMetrics())).metrics
    return next(metric.value for metric in metrics if metric.name == "ThreadTime")


async def ask(page: Page, body: str, selector: str = "#target") -> list[str]:
    """Show a body and return role, name and description of an element."""
    await page._tab.frames.main.evaluate(TWIN)
    await page._tab.frames.main.call("(body) => document.body.setHTMLUnsafe(body)", body)
    return await page._tab.frames.main.call(ASK, selector)  # type: ignore[no-any-return]


NESTED = [(tag, count) for count in (150, 10_000) for tag in ("label", "a", "header", "fieldset", "ul", "treeitem")]


@pytest.mark.every_row
@pytest.mark.parametrize(("tag", "count"), sampled(NESTED, (("label", 10_000), ("treeitem", 150))))
async def test_thousands_of_nested_elements(page: Page, tag: str, count: int) -> None:
    begun = await cpu_seconds(page)
    opening = f"<div role={tag}>x" if tag == "treeitem" else f"<{tag}>x"
    role, name, _ = await ask(page, opening * count + "<input>", "input")
    assert role == "textbox"
    assert name == ("x" * len(name) if tag == "label" else "")
    assert await page._tab.frames.main.call(ASK_ALL, timeout=HANG_S)
    assert await cpu_seconds(page) - begun < SECONDS


async def test_elements_deeper_than_a_script_recurses(page: Page) -> None:
    await page._tab.frames.main.evaluate(TWIN)
    await page._tab.frames.main.call(DEEP, "label")
    assert (await page._tab.frames.main.call(ASK, "input"))[1].startswith("xxx")
    assert await page._tab.frames.main.call(ASK_ALL)


async def test_a_name_of_a_megabyte(page: Page) -> None:
    words = "word\u00a0 " * 200_000
    begun = await cpu_seconds(page)
    assert (await ask(page, f"<button id=target>{words}</button>"))[1] == "word\u00a0 " * 199_999 + "word"
    assert (await ask(page, f'<p id=target aria-label="{words}">x</p>'))[1].startswith("word")
    assert await cpu_seconds(page) - begun < SECONDS


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("<button id=target aria-labelledby=target>self</button>", "self"),
        ("<button id=target aria-labelledby=b>x</button><b id=b aria-labelledby=target>b</b>", "b"),
        ("<div role=button id=target aria-owns=target>x</div>", "x"),
        ("<div role=button id=target aria-owns=b>x</div><b id=b aria-owns=target>y</b>", "x y"),
        ("<div id=a aria-owns=target><div role=button id=target aria-owns=a>x</div></div>", "x"),
        ("<input id=target aria-labelledby='target l'><b id=l>l</b>", "l"),
        ("<label id=l for=target>a <input id=target aria-labelledby=l></label>", "a"),
    ],
)
async def test_references_that_go_round(page: Page, body: str, name: str) -> None:
    assert (await ask(page, body))[1] == name


@pytest.mark.parametrize(
    ("given", "role"),
    [
        ("x" * 1_000_000, ""),
        (" ".join(f"garbage{i}" for i in range(100_000)), ""),
        ("button\u00a0link", ""),
        ("constructor", ""),
        ("__proto__ toString link", "link"),
        ("🙂 Link", "link"),
        ("iframe", ""),
        ("command widget structure", ""),
    ],
)
async def test_roles_of_garbage(page: Page, given: str, role: str) -> None:
    assert (await ask(page, f'<div id=target role="{given}">x</div>'))[0] == role


async def test_ten_thousand_references(page: Page) -> None:
    ids = " ".join(f"i{i}" for i in range(10_000))
    body = f"<button id=target aria-labelledby='{ids}' aria-describedby='{ids}' aria-owns='{ids}'>x</button>"
    body += "".join(f"<b id=i{i}>{i}</b>" for i in range(10_000))
    begun = await cpu_seconds(page)
    assert (await ask(page, body))[1].startswith("0 1 2 3")
    assert await cpu_seconds(page) - begun < SECONDS


async def test_a_form_that_hides_its_own_properties(page: Page) -> None:
    fields = "".join(
        f"<input name={name}>" for name in ("parentNode", "localName", "labels", "children", "title", "id")
    )
    role, name, _ = await ask(page, f"<form id=target aria-label=f>{fields}</form>", "form")
    assert (role, name) == ("form", "f")


async def test_generated_content_of_every_kind(page: Page) -> None:
    content = {
        "url(x.png)": "x",
        "url(x.png) / 'pic'": "pic x",
        "counter(c) '.' counters(d, '-')": ".x",
        "'\\201C' attr(title) '\\\\ \\\"'": '“tip\\ "x',
        "'a' / attr(title) ' b'": "tip b x",
        "none": "x",
        "linear-gradient(red, blue)": "x",
    }
    for value, name in content.items():
        body = f"<style>#target::before {{ content: {value} }}</style><button id=target title=tip>x</button>"
        assert (await ask(page, body))[1] == name, value
