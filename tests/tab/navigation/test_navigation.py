"""Loading URLs, and what is refused before anything is sent."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stillframe
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import ActionFailed, NavigationFailed, UrlRefused
from stillframe.model.actions import Click, GoBack, Navigate
from stillframe.security.policy import UrlPolicy
from stillframe.security.urls import ALLOWED_SCHEMES, check_url


@pytest.mark.parametrize(
    "url", ["http://a/", "https://a.b/c?d#e", "about:blank", "data:text/html,x", "HTTP://A/", "http:///x"]
)
def test_web_urls_are_allowed(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://version", "javascript:1", "ftp://a/", "view-source:x"])
def test_other_schemes_are_refused_with_the_way_to_allow_them(url: str) -> None:
    with pytest.raises(UrlRefused, match="allow_schemes") as caught:
        check_url(url)
    assert caught.value.url == url


@pytest.mark.parametrize("url", ["", "example.org", "/path", "http://", "http:///", "http://[::1", "http://a b/"])
def test_what_is_not_a_url_is_refused(url: str) -> None:
    with pytest.raises(UrlRefused):
        check_url(url)


@given(st.text())
def test_any_text_is_allowed_or_refused(text: str) -> None:
    try:
        check_url(text)
    except UrlRefused:
        return
    assert text.split(":")[0].strip().lower() in ALLOWED_SCHEMES


async def test_goto_waits_for_the_load_of_images(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "<img src='/slow?ms=150'>"))
    assert await page.evaluate("document.readyState") == "complete"


async def test_a_page_is_loaded_with_a_referer(page: Page, site: Site) -> None:
    url, here, other = site.html("/a", "a"), site.url("/from?x=1"), "http://elsewhere.test/from?x=1"
    for referer, shown in ((here, here), (other, "http://elsewhere.test/"), (None, "")):
        async with page.expect_request(url) as sent:
            await page.goto(url, referer=referer)
        assert await page.evaluate("document.referrer") == shown
        assert (await (await sent.value).all_headers()).get("referer", "") == shown
    await page.execute_sequence([Navigate(url, referer=here)], check=True)
    assert await page.evaluate("document.referrer") == here


async def test_goto_can_stop_at_the_commit(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "<img src='/gate/never'>"), until="commit")
    assert page.url == site.url("/a")
    site.open("never")


async def test_a_redirect_ends_where_it_leads(page: Page, site: Site) -> None:
    site.html("/end", "end")
    await page.goto(site.url("/redirect?to=/end"))
    assert page.url == site.url("/end")


async def test_a_fragment_alone_loads_nothing(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "a"))
    loader = page._tab.frames.main.loader_id
    await page.goto(site.url("/a#part"))
    assert page.url == site.url("/a#part")
    assert page._tab.frames.main.loader_id == loader


@pytest.mark.slow
async def test_a_port_that_nobody_holds_is_named_with_the_net_error(page: Page) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with pytest.raises(NavigationFailed, match="ERR_CONNECTION_REFUSED") as caught:
            await page.goto(url)
    assert (caught.value.url, caught.value.reason) == (url, "net::ERR_CONNECTION_REFUSED")


@pytest.mark.slow
async def test_a_server_that_never_answers_ends_at_the_timeout(page: Page, site: Site) -> None:
    with pytest.raises(NavigationFailed, match="did not load within") as caught:
        await page.goto(site.url("/hang"), timeout_ms=300)
    assert caught.value.reason == "timeout"
    await page.goto(site.html("/after", "the page is still usable"))


async def test_history_goes_both_ways_and_says_when_it_ends(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "a"))
    await page.goto(site.html("/b", "b"))
    await page.go_back()
    assert page.url == site.url("/a")
    await page.go_forward()
    assert page.url == site.url("/b")
    with pytest.raises(ActionFailed, match="cannot go forward"):
        await page.go_forward()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_history_goes_through_the_pages_of_a_frame(page: Page, site: Site, host: str) -> None:
    site.html("/one", "<a href=two>Two</a>")
    site.html("/two", "<p>second</p>")
    await page.goto(site.html("/out", f"<iframe src={site.url('/one', host=host)}></iframe>"))
    await page.click("frame=iframe >> text=Two")
    assert (await page.go_back(timeout_ms=5000)).url == site.url("/out")
    await page.wait_for("frame=iframe >> text=Two")
    await page.go_forward(timeout_ms=5000)
    await page.wait_for("frame=iframe >> text=second")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_step_back_waits_for_a_frame_that_is_leaving_its_page(page: Page, site: Site, host: str) -> None:
    site.html("/one", "<a href='/slow?ms=300&type=text/html&body=second'>Two</a>")
    await page.goto(site.html("/before", "before"))
    await page.goto(site.html("/out", f"<iframe src={site.url('/one', host=host)}></iframe>"))
    result = await page.execute_sequence([Click("frame=iframe >> text=Two"), GoBack()])
    assert result.failed is None
    assert page.url == site.url("/out")
    await page.wait_for("frame=iframe >> text=Two")


async def test_reload_makes_a_new_document(page: Page, site: Site) -> None:
    await page.goto(site.html("/a", "a"))
    loader = page._tab.frames.main.loader_id
    await page.reload()
    assert page._tab.frames.main.loader_id != loader


@pytest.mark.browser
async def test_a_scheme_can_be_allowed(site: Site, tmp_path: object) -> None:
    file = tmp_path / "x.html"  # type: ignore[operator]
    file.write_text("<title>from a file</title>")
    async with stillframe.launch(allow_schemes={"file"}) as browser:
        page = await browser.new_page(file.as_uri())
        assert await page.title() == "from a file"


# -- with a policy ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    sampled(
        ("http://denied.test/", "http://2130706433:1/", "file:///etc/hostname", "http://[::1]/"), ("http://[::1]/",)
    ),
)
async def test_our_own_navigations_ask_the_policy_before_anything_is_sent(
    browser: Browser, site: Site, url: str
) -> None:
    policy = UrlPolicy(allowed_hosts=["127.0.0.1"], denied_hosts=["127.0.0.1:1"])
    async with await browser.new_context(policy=policy) as context:
        page = await context.new_page(site.html("/start", "<p>start"))
        with pytest.raises(UrlRefused) as caught:
            await page.goto(url)
        assert caught.value.url == url
        assert caught.value.rule
        with pytest.raises(UrlRefused):
            await page.execute_sequence([Click("p"), Navigate(url)])
        with pytest.raises(UrlRefused):
            await context.new_page(url)
        assert len(context.pages) == 1
        assert page.url == site.url("/start")
