"""Pages that lead elsewhere by themselves while they load: followed to where they end, or given up in time."""

from __future__ import annotations

import asyncio
import time

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import NavigationFailed
from stillframe.model.actions import Navigate
from stillframe.model.result import NavigationResult
from stillframe.tab.navigation import loading
from stillframe.tab.navigation.loading import WaitUntil

LEADS = {
    "href": "<script>location.href='/end'</script>",
    "replace": "<script>location.replace('/end')</script>",
    "assign": "<script>location.assign('/end')</script>",
    "in the body, before a picture": "<p>wait<script>location.href='/end'</script><img src='/gate/never'>",
    "to a slow page": "<script>location.href='/late'</script>",
    "meta refresh": "<meta http-equiv=refresh content='0;url=/end'>",
    "meta refresh after a slow picture": "<meta http-equiv=refresh content='0;url=/end'><img src='/slow?ms=100'>",
    "a form": "<form action=/end method=post></form><script>document.forms[0].submit()</script>",
    "a form, on load": "<form action=/end method=post></form><body onload='document.forms[0].submit()'>",
    "a click": "<a href=/end>on</a><script>document.querySelector('a').click()</script>",
    "onload": "<body onload=\"location.href='/end'\">",
    "DOMContentLoaded": "<script>addEventListener('DOMContentLoaded', () => location.href = '/end')</script>",
    "a task after the load": "<script>onload = () => setTimeout(() => location.href = '/end')</script>",
    "a promise": "<script>Promise.resolve().then(() => location.href = '/end')</script>",
    "a reload": "<script>if (!sessionStorage.n) { sessionStorage.n = 1; location.reload() }"
    "else location.href = '/end'</script>",
    "a redirect to a redirect": "<script>location.href='/redirect?to=/replaces'</script>",
    "a window of its own name": "<script>open('/end', '_self')</script>",
    "top": "<iframe srcdoc=\"<script>parent.location.href = '/end'</script>\"></iframe>",
    "written again": "<script>onload = () => { document.open();"
    "document.write('<script>location.href = \"/end\"</scr' + 'ipt>'); document.close() }</script>",
}


def leading(site: Site, body: str) -> str:
    site.html("/end", "<p>the end")
    site.html("/replaces", LEADS["replace"])

    async def late(_: web.Request) -> web.Response:
        await asyncio.sleep(0.15)  # the page is slow, not the test
        raise web.HTTPFound("/end")

    site.route("/late", late)
    return site.html("/start", body)


@pytest.mark.parametrize("body", LEADS.values(), ids=LEADS)
async def test_goto_follows(page: Page, site: Site, body: str) -> None:
    response = await page.goto(leading(site, body))
    assert response == NavigationResult(url=site.url("/end"), status=200)
    assert await page.evaluate("document.readyState + document.body.innerText") == "completethe end"


@pytest.mark.parametrize("until", sampled(("domcontentloaded", "load"), ("domcontentloaded",)))
async def test_goto_follows_to_either_end(page: Page, site: Site, until: WaitUntil) -> None:
    assert (await page.goto(leading(site, LEADS["href"]), until=until)).url == site.url("/end")


async def test_the_action_follows_and_its_row_says_where_to(page: Page, site: Site) -> None:
    result = await page.execute_sequence([Navigate(leading(site, LEADS["replace"]))], verbose=True)
    assert result.stable
    assert result.steps is not None
    assert (result.steps[0].url, result.steps[0].status) == (site.url("/end"), 200)


async def test_a_new_page_follows_and_keeps_the_response(browser: Browser, site: Site) -> None:
    url = leading(site, LEADS["href"])
    async with await browser.new_context() as context:
        page = await context.new_page(url)
        assert (page.url, page.response) == (site.url("/end"), NavigationResult(url=site.url("/end"), status=200))


async def test_reload_and_the_history_follow_too(page: Page, site: Site) -> None:
    end = site.html("/end", "<p>end")
    # A document with an unload handler does not go into the back/forward cache, where its script would not run again.
    back = "<script>onunload = () => 0; if (sessionStorage.seen) location.replace('/end')</script>"
    await page.goto(site.html("/first", back))
    await page.goto(site.html("/second", "<script>sessionStorage.seen = 1</script>"))
    assert (await page.go_back()).url == end
    site.html("/end", "<script>location.replace('/second')</script>")
    assert (await page.reload()).url == site.url("/second")


async def test_another_process_is_followed(page: Page, site: Site) -> None:
    end = site.html("/end", "<img src='/slow?ms=100'>")
    there = end.replace("127.0.0.1", "localhost")
    response = await page.goto(site.html("/start", f"<script>location.href = '{there}'</script>"))
    assert response.url == page.url == there
    assert await page.evaluate("document.readyState") == "complete"


@pytest.mark.parametrize(
    ("to", "url"),
    [
        ("'about:blank'", "about:blank"),
        pytest.param("URL.createObjectURL(new Blob(['x'], {type: 'text/html'}))", "blob:", marks=pytest.mark.slow),
    ],
)
async def test_a_document_of_no_server_has_no_status(page: Page, site: Site, to: str, url: str) -> None:
    response = await page.goto(site.html("/start", f"<script>location.href = {to}</script>"))
    assert response.url.startswith(url)
    assert (response.status, response.ok) == (None, True)


async def test_a_redirect_in_a_document_that_is_still_arriving_is_followed(page: Page, site: Site) -> None:
    async def slowly(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/html"})
        await answer.prepare(request)
        await answer.write(b"<!doctype html><script>location.href = '/end'</script>" + b"<p>more</p>" * 1000)
        await asyncio.Event().wait()
        return answer

    site.route("/start", slowly)
    site.html("/end", "")
    assert (await page.goto(site.url("/start"))).url == site.url("/end")


@pytest.mark.parametrize("to", sampled(("/none", "/download/a.txt"), ("/download/a.txt",)))
async def test_where_no_document_comes_the_first_one_stays(page: Page, site: Site, to: str) -> None:
    async def none(_: web.Request) -> web.Response:
        return web.Response(status=204)

    site.route("/none", none)
    start = site.html("/start", f"<script>location.href = '{to}'</script>")
    assert await page.goto(start) == NavigationResult(url=start, status=200)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<script>stop()</script>", marks=pytest.mark.slow),
        "<img src='/gate/never'><script>setTimeout(stop, 20)</script>",
    ],
)
async def test_a_page_that_stops_its_own_loading_has_loaded(page: Page, site: Site, body: str) -> None:
    start = site.html("/start", body)
    assert (await page.goto(start)).url == start


async def test_a_page_that_leaves_a_loading_one_is_waited_for(page: Page, site: Site) -> None:
    site.html("/end", "<img src='/slow?ms=150'>")
    for host in ("127.0.0.1", "localhost"):
        await page.goto(site.html("/start", "<img src='/gate/never'>"), until="commit")
        await page.goto(site.url("/end", host=host))
        assert await page.evaluate("document.readyState") == "complete"


async def test_where_it_fails_is_named(page: Page, site: Site) -> None:
    start = site.html("/start", "<script>location.href = 'http://nowhere.invalid/'</script>")
    with pytest.raises(NavigationFailed, match=r"/start led to http://nowhere\.invalid/") as caught:
        await page.goto(start)
    assert (caught.value.url, caught.value.reason) == ("http://nowhere.invalid/", "net::ERR_NAME_NOT_RESOLVED")


async def test_where_no_answer_comes_is_named(page: Page, site: Site) -> None:
    start = site.html("/start", "<script>location.href = '/hang'</script>")
    with pytest.raises(NavigationFailed, match="has not answered") as caught:
        await page.goto(start, timeout_ms=2000)
    assert (caught.value.url, caught.value.reason) == (site.url("/hang"), "timeout")


# -- without end -----------------------------------------------------------------------------------

ENDLESS = {
    "script": "<script>location.href = '/start?' + (Number(location.search.slice(1)) + 1)</script>",
    "to itself": "<script>location.reload()</script>",
    "meta refresh": "<meta http-equiv=refresh content=0>",
    "history": "<script>location.replace('/start?' + Math.random())</script>",
}


# The serial test below has the first of them.
@pytest.mark.every_row
@pytest.mark.parametrize("body", sampled(ENDLESS.values(), (ENDLESS["to itself"],)), ids=ENDLESS)
async def test_scripts_that_lead_on_without_end_are_given_up(
    page: Page, site: Site, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "MAX_DOCUMENTS", 3)
    with pytest.raises(NavigationFailed, match="each navigated on") as caught:
        await page.goto(site.html("/start", body))
    assert caught.value.reason == "redirects"
    assert caught.value.url.startswith(site.url("/start"))
    assert (await page.goto(site.html("/after", ""))).url == site.url("/after")


async def test_http_redirects_without_end_are_given_up(page: Page, site: Site) -> None:
    async def on(request: web.Request) -> web.Response:
        raise web.HTTPFound(f"/start?{int(request.query_string or 0) + 1}")

    site.route("/start", on)
    with pytest.raises(NavigationFailed, match="ERR_TOO_MANY_REDIRECTS") as caught:
        await page.goto(site.url("/start"))
    assert caught.value.url == site.url("/start?19")


@pytest.mark.serial
async def test_redirects_without_end_end_at_the_timeout_too(page: Page, site: Site) -> None:
    start = site.html("/start", ENDLESS["script"])
    began = time.monotonic()
    with pytest.raises(NavigationFailed):
        await page.goto(start, timeout_ms=300)
    assert time.monotonic() - began < 1.3 + 1
    assert (await page.goto(site.html("/after", ""))).url == site.url("/after")
