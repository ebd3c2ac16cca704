"""Public frames: the tree, reading and acting in one of them, in whatever process it is."""

from __future__ import annotations

import asyncio

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ElementNotFound, OptionInvalid

INNER = "<button id=go onclick='this.textContent = \"{name} went\"'>go</button>"


async def framed(page: Page, site: Site) -> None:
    """Load a page with a frame of its own process and, in another process, a frame that holds one."""
    deep = site.html("/deep", INNER.format(name="deep"), title="deep")
    site.html("/other", INNER.format(name="other") + f"<iframe name=deep src={deep}></iframe>", title="other")
    other = site.url("/other").replace("127.0.0.1", "localhost")
    same = site.html("/same", INNER.format(name="same"), title="same")
    body = f"<button id=go>top</button><iframe name=same src={same}></iframe><iframe name=other src={other}></iframe>"
    await page.goto(site.html("/start", body, title="start"))


async def test_the_tree(page: Page, site: Site) -> None:
    await framed(page, site)
    top = page.main_frame
    assert (top.url, top.name, top.parent, top.detached) == (page.url, "", None, False)
    assert [frame.name for frame in page.frames] == ["", "same", "other", "deep"]
    assert [frame.name for frame in top.children] == ["same", "other"]
    other = page.frame(name="other")
    assert other is not None
    assert (other.parent, other.children) == (top, [page.frame(name="deep")])
    assert page.frame(url="localhost*/other") == other
    assert page.frame(name="gone") is None
    assert len({*page.frames, *page.frames}) == 4
    for wrong in ({}, {"name": "same", "url": "same"}):
        with pytest.raises(OptionInvalid):
            page.frame(**wrong)


async def test_the_element_of_a_frame_is_in_the_frame_around_it(page: Page, site: Site) -> None:
    await framed(page, site)
    for name, around in (("same", "start"), ("other", "start"), ("deep", "other")):
        frame = page.frame(name=name)
        assert frame is not None
        async with await frame.frame_element() as element:
            read = "e => [e.localName, e.name, e.ownerDocument.title]"
            assert await element.evaluate(read) == ["iframe", name, around]
    with pytest.raises(OptionInvalid, match="the main frame has no element"):
        await page.main_frame.frame_element()
    same = page.frame(name="same")
    assert same is not None
    await page.evaluate("document.querySelector('iframe').remove()")
    with pytest.raises(ElementNotFound, match="the frame has left the page"):
        await same.frame_element()


async def test_reading_and_acting_stay_in_the_frame(page: Page, site: Site) -> None:
    await framed(page, site)
    for name in ("same", "other", "deep"):
        frame = page.frame(name=name)
        assert frame is not None
        assert await frame.title() == name
        assert await frame.evaluate("location.pathname") == f"/{name}"
        assert f"<title>{name}</title>" in await frame.content()
        await frame.click("#go")
        assert await frame.locator("#go").text() == f"{name} went"
        await frame.locator("#go").click()
    assert await page.main_frame.locator("#go").text() == "top"
    assert await page.main_frame.title() == "start"


async def test_a_frame_outlives_its_documents_and_ends_with_its_element(page: Page, site: Site) -> None:
    await framed(page, site)
    frame = page.frame(name="same")
    assert frame is not None
    await frame.evaluate(f"location.href = '{site.url('/other').replace('127.0.0.1', 'localhost')}'")
    await frame.wait_for("text=other went", state="detached")
    await frame.locator("frame=name=deep >> #go").text(timeout_ms=10_000)
    assert await frame.title() == "other"
    await page.evaluate("document.querySelector('iframe').remove(), 1")
    await page.settle()
    assert frame.detached
    assert frame not in page.frames
    assert frame.url.endswith("/other")
    for call in (lambda: frame.click("#go"), frame.title, frame.content, frame.locator("#go").text):
        with pytest.raises(ElementNotFound, match="left the page"):
            await call()
    assert await frame.locator("#go").count() == 0
    for state in ("visible", "attached"):
        with pytest.raises(ElementNotFound):
            await frame.wait_for("#go", state=state, action_timeout_ms=60_000)  # type: ignore[arg-type]
    await frame.wait_for("#go", state="hidden")


async def test_a_wait_ends_when_its_frame_leaves_the_page(page: Page, site: Site) -> None:
    await framed(page, site)
    frame = page.frame(name="same")
    assert frame is not None
    await page.evaluate("setTimeout(() => document.querySelector('iframe').remove(), 150), 1")
    with pytest.raises(ElementNotFound, match="left the page"):
        await frame.wait_for("#never", action_timeout_ms=60_000)


@pytest.mark.parametrize("reading", sampled(("title", "content"), ("content",)))
async def test_a_document_that_is_replaced_meanwhile_is_read_again(page: Page, site: Site, reading: str) -> None:
    await page.goto(site.html("/start", "<p>there</p>", title="start"))
    frame = page._tab.frames.main
    frame.drop_world()
    frame.world().start()
    reads = asyncio.create_task(getattr(page, reading)())
    await asyncio.sleep(0)  # it waits for the world
    frame.drop_world()
    assert "start" in await reads


async def test_content_has_the_doctype(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", "<p>it</p>"))
    content = await page.content()
    assert content.lower().startswith("<!doctype html>")
    assert "<p>it</p>" in content
    assert content == await page.main_frame.content()
