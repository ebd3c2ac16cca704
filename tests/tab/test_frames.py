"""The frame tree of real pages: same-process frames, frames of other processes, frames that come, move and go."""

from __future__ import annotations

import asyncio

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import CdpError, ContextLost, EvaluationFailed
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import Frame
from stillframe.tab.javascript import caller_scripts


def frame_at(page: Page, part: str) -> Frame:
    return next(frame for frame in page._tab.frames if part in frame.url)


@pytest.fixture
async def framed(page: Page, site: Site) -> Page:
    """A page with a frame of its own process and one of another site."""
    site.html("/near", "<p id=near>near</p>")
    site.html("/far", "<p id=far>far</p>")
    far = site.url("/far", host="localhost")
    await page.goto(site.html("/top", f"<h1>top</h1><iframe name=n src=/near></iframe><iframe src='{far}'></iframe>"))
    return page


async def test_frames_of_both_kinds_are_in_one_tree(framed: Page) -> None:
    near, far = frame_at(framed, "/near"), frame_at(framed, "/far")
    assert [frame.is_main for frame in framed._tab.frames] == [True, False, False]
    assert near.session is framed.cdp_session
    assert far.session is not framed.cdp_session
    assert (near.process_key, far.process_key) == ("", far.id)
    assert near.name == "n"


@pytest.mark.slow
async def test_each_frame_evaluates_in_its_own_document(framed: Page) -> None:
    texts = [await frame.evaluate("document.body.innerText.trim()") for frame in framed._tab.frames]
    assert texts == ["top", "near", "far"]


async def test_the_isolated_world_sees_the_document_but_not_the_pages_variables(framed: Page) -> None:
    for frame in framed._tab.frames:
        await caller_scripts.evaluate(frame, "globalThis.marked = 1", deadline=Deadline(30))
        assert await caller_scripts.evaluate(frame, "globalThis.marked", deadline=Deadline(30)) == 1
        assert await frame.evaluate("typeof globalThis.marked") == "undefined"


@pytest.mark.parametrize(
    ("script", "value"),
    [
        ("let kept = 2; kept * 2", 4),
        ("const last = 1\n// the end", None),
        ("{ a: 1 }", 1),
        ("function double(n) { return 2 * n }; double(3)", 6),
        ("Promise.resolve(5)", 5),
    ],
)
@pytest.mark.every_row
async def test_every_frame_takes_statements(framed: Page, script: str, value: object) -> None:
    for frame in framed._tab.frames:
        assert await caller_scripts.evaluate(frame, script, deadline=Deadline(30)) == value
        with pytest.raises(EvaluationFailed, match="Error: that"):
            await caller_scripts.evaluate(frame, "throw new Error('that')", deadline=Deadline(30))


@pytest.mark.slow
async def test_a_removed_frame_leaves_the_tree(framed: Page) -> None:
    near = frame_at(framed, "/near")
    await framed.evaluate("document.querySelector('iframe').remove()")
    await framed.cdp_session.drain_events()
    assert near.detached
    assert near not in list(framed._tab.frames)


@pytest.mark.slow
async def test_a_frame_that_changes_process_stays_the_same_frame(framed: Page, site: Site) -> None:
    near = frame_at(framed, "/near")
    there = site.url("/far", host="localhost")
    async with asyncio.timeout(10):
        await framed.evaluate(f"document.querySelector('iframe').src = '{there}'")
        while near.session is framed.cdp_session or not near.url.endswith("/far"):
            await framed.cdp_session.drain_events()
    assert not near.detached
    assert await near.evaluate("document.body.innerText.trim()") == "far"


async def test_a_throwing_expression_says_what_was_thrown(page: Page) -> None:
    with pytest.raises(EvaluationFailed, match="TypeError: Cannot read"):
        await page.evaluate("null.x")


async def test_a_call_in_flight_ends_when_its_document_is_replaced(page: Page, site: Site) -> None:
    await page.goto(site.html("/one", "one"))
    waiting = asyncio.ensure_future(page._tab.frames.main.evaluate("new Promise(() => {})"))
    await page._tab.frames.main.evaluate("1")
    await page.goto(site.html("/two", "two"))
    with pytest.raises(ContextLost):
        await waiting
    assert await page._tab.frames.main.evaluate("document.body.innerText.trim()") == "two"


async def test_a_handle_names_the_same_node_as_its_backend_id(page: Page, site: Site) -> None:
    await page.goto(site.html("/one", "<p id=a>text</p>"))
    world = page._tab.frames.main.world()
    handle = await world.call_handle("function() { return document.querySelector('#a') }")
    again = await page._tab.frames.main.handle(await handle.backend_node_id())
    assert await again.call("function() { return this.id }") == "a"
    await handle.release()
    with pytest.raises(CdpError):
        await handle.call("function() { return this.id }")


async def test_a_binding_calls_back_with_its_frame(framed: Page) -> None:
    got: list[tuple[str, str]] = []
    framed._tab.frames.scripts.bindings["tell"] = lambda frame, payload: got.append((frame.url, payload))
    for frame in framed._tab.frames:
        frame.drop_world()
        await frame.evaluate("tell('hello')")
        await frame.session.drain_events()
    assert got == [(frame.url, "hello") for frame in framed._tab.frames]


async def test_a_frame_keeps_its_scripts_when_its_parent_first_reaches_into_it(page: Page, site: Site) -> None:
    await page.goto(site.html("/reaches", '<iframe id=f srcdoc="<p>no script"></iframe>'))
    frame = frame_at(page, "srcdoc")
    await frame.evaluate("void (globalThis.first = [__sf, globalThis.__sfSettle])")
    assert await page.evaluate("f.contentDocument.body.innerText") == "no script"
    assert await frame.evaluate("[__sf === first[0], globalThis.__sfSettle === first[1]]") == [True, True]
