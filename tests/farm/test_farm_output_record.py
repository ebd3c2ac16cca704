"""The record of a page: what it holds, its limits, and the records of failures."""

from __future__ import annotations

import base64
import json

import pytest

from stillframe import Page, Signature
from stillframe.errors import NavigationFailed, SessionLost
from stillframe.farm.output import PageRecord, PageTimings, failed_page, read_page
from stillframe.farm.output.record import whole
from stillframe.testing import PageServer


@pytest.mark.browser
async def test_the_record_of_a_page(page: Page, site: PageServer) -> None:
    body = (
        '<h1>Shop</h1><p style="display:none">hidden</p><a href="/b#x">b</a><a href="/b#y">b</a>'
        '<a href="mailto:a@b">m</a>'
        '<svg><a href="/svg"></a></svg><script>setTimeout(() => document.body.append("late"), 30)</script>'
    )
    url = site.html("/a", body, title="A shop")
    await page.goto(url, settle=True)
    record = await read_page(page, url, depth=2, timings=PageTimings(total_ms=12.5))
    taken = page.captures.taken
    assert (await read_page(page, url)).signature == record.signature
    assert page.captures.taken == taken, "reading a page does not make its snapshot stale"
    found = json.loads(record.to_json())
    assert found["url"] == found["finalUrl"] == url
    assert (found["status"], found["title"], found["depth"]) == (200, "A shop", 2)
    assert "late" in found["text"]
    assert "hidden" not in found["text"]
    assert found["links"] == [site.url("/b"), site.url("/svg")]
    assert found["contentType"] == "text/html"
    assert found["verdict"]["stable"] is True
    assert found["timings"] == {"totalMs": 12.5}
    assert "error" not in found
    Signature.from_bytes(base64.b64decode(found["signature"]))


@pytest.mark.browser
async def test_fragments_of_links_stay_if_they_are_routes(page: Page, site: PageServer) -> None:
    routes = ("#/guide", "#!news", "#/find?q=x", "#/guide/")
    places = ("#", "#/", "#!", "#part", "#/a/id", "/b#part")
    links = "".join(f'<a href="{href}">x</a>' for href in (*routes, *places, *routes))
    url = site.html("/a", f"<p id=/a/id></p>{links}")
    await page.goto(url)
    assert (await read_page(page, url)).links == (*(url + route for route in routes), url, site.url("/b"))


SHADOWS = """<p>light</p><my-menu><i>slotted</i></my-menu><p><a href=/b>b</a></p>
<div style="display:none"><my-link></my-link></div><script>
const define = (name, html) => customElements.define(name, class extends HTMLElement {
  constructor() { super().attachShadow({mode: "open"}).innerHTML = html; } });
define("my-menu", `<style>p { color: red }</style><p>menu</p><p hidden>hidden</p>bare <slot></slot>
  <div style="display:contents"><my-link></my-link></div><svg><a href="/svg"></a></svg>`);
define("my-link", "<nav><a href='/deep#x'>deep</a></nav>");
</script>"""


@pytest.mark.browser
async def test_open_shadow_trees_are_read(page: Page, site: PageServer) -> None:
    url = site.html("/a", SHADOWS)
    await page.goto(url)
    record = await read_page(page, url)
    assert record.text is not None
    assert record.text.split() == ["light", "menu", "bare", "slotted", "deep", "b"]
    assert record.links == (site.url("/deep"), site.url("/svg"), site.url("/b"))


@pytest.mark.browser
async def test_limits_and_half_surrogates(page: Page, site: PageServer) -> None:
    links = "".join(f'<a href="/{n}">{n}</a>' for n in range(20))
    url = site.html("/a", f"<script>document.write('\\ud83d' + 'x'.repeat(100))</script>{links}")
    await page.goto(url)
    record = await read_page(page, url, text_characters=50, max_links=5)
    assert record.text is not None
    assert len(record.text) == 50
    assert record.text_truncated
    assert record.links_truncated
    assert len(record.links) == 5
    json.loads(record.to_json())


@pytest.mark.browser
async def test_a_page_that_is_gone(page: Page, site: PageServer) -> None:
    other = await page.context.new_page()
    await other.close()
    with pytest.raises(SessionLost):
        await read_page(other, "http://a/")


def test_the_record_of_a_failure() -> None:
    error = NavigationFailed("could not load", url="http://a/", reason="net::ERR_NAME_NOT_RESOLVED")
    assert json.loads(failed_page("http://a/", error, attempts=3).to_json()) == {
        "url": "http://a/",
        "attempts": 3,
        "error": {"kind": "navigation_failed", "message": "could not load"},
    }
    assert failed_page("http://a/", ValueError("x")).error.kind == "ValueError"  # type: ignore[union-attr]


def test_half_surrogates_are_replaced() -> None:
    value = {"a": ["\ud800x", "😀", 1, None]}
    assert whole(value) == {"a": ["\ufffdx", "😀", 1, None]}
    assert PageRecord(url=whole("\udfff")).to_json()
