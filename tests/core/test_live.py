"""Snapshots of a real page: every selector names its element in the browser too (oracle 12)."""

from __future__ import annotations

import json

import pytest
from captures import PAGE, all_ids, put

from stillframe.api.browser import Page
from stillframe.core import Snapshot

UNIQUE = """selectors => selectors.map(selector => {
  const found = document.querySelectorAll(selector);
  window.__found = window.__found || [];
  window.__found.push(found[0]);
  return found.length;
})"""


async def test_selectors_are_unique_and_right_in_the_browser(page: Page) -> None:
    await put(page, PAGE)
    snapshot = await page.snapshot()
    ids = await all_ids(page)
    selectors = [snapshot.selector("", node) for node in ids]
    assert None not in selectors
    counts = await page.evaluate(f"({UNIQUE})({json.dumps(selectors)})")
    assert dict(zip(selectors, counts, strict=True)) == dict.fromkeys(selectors, 1)
    places = await page.evaluate("window.__found.map(e => [...document.querySelectorAll('*')].indexOf(e))")
    assert places == list(range(len(ids)))


async def test_an_idle_page_has_the_same_digests(page: Page) -> None:
    await put(page, PAGE)
    one, other = await page.snapshot(), await page.snapshot()
    assert one.digests == other.digests
    assert not one.diff(other)


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_shadow_trees_are_part_of_the_page(page: Page, mode: str) -> None:
    await put(page, "<div id='host'></div>")
    await page.evaluate(
        f"window.root = document.getElementById('host').attachShadow({{mode: '{mode}'}});"
        "root.innerHTML = '<p>one</p><div><p>two</p></div>'; 0"
    )
    before = await page.snapshot()
    await page.evaluate("root.querySelector('p').textContent = 'three'; 0")
    delta = before.diff(await page.snapshot())
    (row,) = delta.changed
    assert (row.selector, row.from_, row.to) == ("#host p:not(* > *)", "one", "three")
    roots = before.closed_shadow_roots()
    assert len(roots) == (1 if mode == "closed" else 0)


async def test_hidden_and_shown(page: Page) -> None:
    await put(
        page, "<style>.on .box { display: block } .box { display: none }</style><div id='w'><p class='box'>Hi</p></div>"
    )
    before = await page.snapshot()
    await page.evaluate("document.getElementById('w').className = 'on'")
    shown = await page.snapshot()
    delta = before.diff(shown)
    assert [row.selector for row in delta.appeared] == [".box"]
    await page.evaluate("document.querySelector('.box').style.visibility = 'hidden'")
    delta = shown.diff(await page.snapshot())
    assert [row.text for row in delta.disappeared] == ["Hi"]
    assert isinstance(before, Snapshot)
