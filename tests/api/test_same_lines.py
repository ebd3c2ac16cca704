"""Calls that people write as with Playwright, and that had other parameters or names here."""

from __future__ import annotations

import re

import pytest

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import ElementUnsuitable, OptionInvalid
from stillframe.tab.network.requests import Request
from stillframe.tab.network.routing import Route

SELECT = "<select id=s><option value=x>X<option value=y>Y<option>z</select><p id=p>p</p>"


async def test_options_are_chosen_by_label_and_by_index(page: Page, site: Site) -> None:
    await page.goto(site.html("/select", SELECT))
    await page.locator("#s").select_option(label="Y")
    assert await page.input_value("#s") == "y"
    await page.select_option("#s", index=2)
    assert await page.input_value("#s") == "z"
    await page.select_option("#s", index=[0])
    assert await page.input_value("#s") == "x"
    for wrong in ({}, {"value": "x", "label": "X"}, {"index": 1, "label": "X"}):
        with pytest.raises(OptionInvalid, match="exactly one of value, label and index"):
            await page.select_option("#s", **wrong)
    with pytest.raises(ElementUnsuitable, match="not a <select> with an option at index 7"):
        await page.select_option("#s", index=7)
    with pytest.raises(ElementUnsuitable, match="not a <select> with an option at index 0"):
        await page.select_option("#p", index=0)


COOKIES = [("one", "/"), ("two", "/"), ("three", "/deep")]


async def test_some_cookies_are_listed_and_deleted(page: Page, site: Site) -> None:
    await page.goto(site.html("/cookies", "cookies"))
    cookies = [{"name": name, "value": "1", "domain": "127.0.0.1", "path": path} for name, path in COOKIES]
    await page.context.add_cookies(cookies)

    async def names(*urls: str) -> set[str]:
        return {cookie["name"] for cookie in await page.context.cookies(*urls)}

    assert await names(site.url("/")) == {"one", "two"}
    assert await names(site.url("/deep/er")) == {"one", "two", "three"}
    assert await names(site.url("/deeper")) == {"one", "two"}
    assert await names("http://elsewhere.test/") == set()
    await page.context.clear_cookies(name="one", path="/deep")
    assert await names() == {"one", "two", "three"}
    await page.context.clear_cookies(name=re.compile("^t"), domain="127.0.0.1", path="/")
    assert await names() == {"one", "three"}
    await page.context.clear_cookies(path="/deep")
    assert await names() == {"one"}
    await page.context.clear_cookies()
    assert await names() == set()


async def test_a_locator_handler_need_not_take_the_locator(page: Page, site: Site) -> None:
    cover = "<div id=cover style='position: fixed; inset: 0; background: white'>cover</div>"
    await page.goto(site.html("/cover", f"{cover}<button onclick=\"document.title = 'hit'\">go</button>"))
    await page.add_locator_handler(page.locator("#cover"), lambda: page.evaluate("cover.remove()"))
    await page.click("button")
    assert await page.title() == "hit"


async def test_a_file_dialog_takes_files_from_memory(page: Page, site: Site) -> None:
    await page.goto(site.html("/files", "<input id=f type=file>"))
    async with page.expect_file_chooser() as chosen:
        await page.click("#f")
    payload = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"abc"}
    await (await chosen.value).set_files([payload])
    assert await page.evaluate("f.files[0].text()") == "abc"


async def test_frames_and_browsers_have_the_names_of_playwright(page: Page, site: Site) -> None:
    site.html("/inner", "inner")
    await page.goto(site.html("/outer", "<iframe src=/inner></iframe>"))
    (inner,) = page.main_frame.child_frames
    assert inner.parent_frame == page.main_frame
    assert page.main_frame.parent_frame is None
    assert inner.is_detached() is False
    await page.evaluate("document.querySelector('iframe').remove()")
    await page.evaluate("1")
    assert inner.is_detached() is True
    assert page.browser.is_connected() is True
    assert page.browser.info.product.endswith(f"/{page.browser.version}")
    assert page.browser.version.partition(".")[0].isdecimal()


async def test_a_page_with_options_of_a_context_has_one_of_its_own(browser: Browser, site: Site) -> None:
    url, before = site.html("/size", "size"), len(browser.contexts)
    page = await browser.new_page(url, viewport={"width": 500, "height": 400}, locale="de-DE", settle=True)
    assert await page.evaluate("[innerWidth, navigator.language]") == [500, "de-DE"]
    assert len(browser.contexts) == before + 1
    await page.close()
    assert len(browser.contexts) == before
    for wrong, given in (
        ({"viewport": 5}, None),
        ({"stability_ms": 5, "locale": "de"}, None),
        ({"locale": "de"}, True),
    ):
        with pytest.raises(OptionInvalid):
            await browser.new_page(url, browser.default_context if given else None, **wrong)
        assert len(browser.contexts) == before


async def test_a_route_with_two_values_gets_the_request(page: Page, site: Site) -> None:
    told: list[str] = []

    async def whole(route: Route, request: Request) -> None:
        told.append(request.url)
        await route.fulfill(body="<title>routed</title>", content_type="text/html")

    await page.route("**/routed", whole)
    await page.goto(site.url("/routed"))
    assert (told, await page.title()) == ([site.url("/routed")], "routed")
    await page.unroute("**/routed", whole)
    # What has a default is the caller's own.
    await page.route("**/routed", lambda route, title="mine": route.fulfill(body=title))
    await page.goto(site.url("/routed"))
    assert await page.inner_text("body") == "mine"


async def test_a_request_that_failed_has_what_requests_have(page: Page, site: Site) -> None:
    await page.route("**/gone", lambda route: route.abort())
    await page.goto(site.html("/", ""))
    async with page.expect_event("requestfailed") as failed:
        await page.evaluate("void fetch('/gone', { method: 'POST', body: 'x' }).catch(() => 0)")
    request = await failed.value
    assert (request.method, request.post_data, request.failure) == ("POST", "x", "net::ERR_FAILED")
    with pytest.raises(AttributeError, match="'Request' object has no attribute 'nothing'"):
        request.nothing  # noqa: B018  reading it raises


async def test_frames_are_found_by_an_expression_or_a_function_of_their_url(page: Page, site: Site) -> None:
    site.html("/inner", "")
    await page.goto(site.html("/outer", "<iframe src=/inner></iframe>"))
    inner = page.frames[1]
    assert page.frame(url=re.compile("/in+er$")) == page.frame(url=lambda url: url.endswith("inner")) == inner
    assert page.frame(url=re.compile("nothing")) is None
    with pytest.raises(OptionInvalid, match="option url: 5 is not a text"):
        page.frame(url=5)  # type: ignore[arg-type]


async def test_what_belongs_to_a_page_leads_back_to_it(page: Page, site: Site) -> None:
    site.html("/inner", "<p>in it")
    await page.goto(site.html("/outer", "<iframe id=owner src=/inner></iframe><input type=file id=f>"))
    for part in (page.main_frame, page.frames[1], page.locator("p"), page.frames[1].locator("p")):
        assert part.page is page
    async with page.expect_file_chooser() as chosen:
        await page.click("#f")
    assert (await chosen.value).page is page


async def test_the_tree_of_an_element_is_read_as_that_of_a_page(page: Page, site: Site) -> None:
    site.html("/inner", "<ul id=list><li>one</ul><p>other</p>")
    await page.goto(site.html("/outer", "<h1>Top</h1><iframe src=/inner></iframe><viewport>a tag</viewport>"))
    listed = await page.frame_locator("iframe").locator("#list").aria_snapshot()
    assert "one" in listed.text
    assert "other" not in listed.text
    assert "Top" not in listed.text
    tag = await page.locator("viewport").aria_snapshot()
    assert "a tag" in tag.text
    assert "Top" not in tag.text
    with pytest.raises(OptionInvalid, match="budget"):
        await page.locator("#list").aria_snapshot(budget=1)
