"""Captures that are spared: whatever happens to a page, the next snapshot shows it just as a fresh one does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import dom, emulation, input, performance, runtime
from stillframe.core import Snapshot
from stillframe.model.result import CaptureCounts
from stillframe.tab import page_version as marks
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import caller_scripts
from stillframe.testing import FrameLog, tap

PAGE = "/captures.html"
PATIENCE = 20
"""How often a page that has only just come is looked at until it stands still."""


class Change(NamedTuple):
    """Something that happens to the page; `shows` whether a snapshot is another one by it."""

    name: str
    script: str = ""
    frame: str = ""
    do: Callable[[Page], Awaitable[Any]] | None = None
    shows: bool = True

    def __repr__(self) -> str:
        return self.name


async def set_media(page: Page) -> None:
    await page.cdp_session.send(emulation.SetEmulatedMedia(media="print"))


async def unset_media(page: Page) -> None:
    await page.cdp_session.send(emulation.SetEmulatedMedia(media=""))


async def narrow(page: Page) -> None:
    await page.set_viewport(400, 600)


async def point(page: Page) -> None:
    box = await page._tab.frames.main.evaluate("document.getElementById('hovered').getBoundingClientRect().toJSON()")
    await page.cdp_session.send(input.DispatchMouseEvent(type="mouseMoved", x=box["x"] + 5, y=box["y"] + 5))


async def unpoint(page: Page) -> None:
    await page.cdp_session.send(input.DispatchMouseEvent(type="mouseMoved", x=1, y=1))


async def type_text(page: Page) -> None:
    await page._tab.frames.main.evaluate("document.getElementById('area').focus()")
    await page.cdp_session.send(input.InsertText(text="typed"))


async def press_space(page: Page) -> None:
    await page._tab.frames.main.evaluate("document.getElementById('box').focus()")
    for kind in ("keyDown", "keyUp"):
        await page.cdp_session.send(input.DispatchKeyEvent(type=kind, key=" ", text=" ", code="Space"))


async def scroll_inside(page: Page) -> None:
    await page.cdp_session.send(runtime.Evaluate(expression="scroller.scrollTop = 50"))
    # Scrolling is told in the next frame, and a picture has one.
    await page.screenshot()


async def add_frame(page: Page) -> None:
    attributes = "{onload: done, src: '/near'}"
    script = f"new Promise(done => document.body.append(Object.assign(document.createElement('iframe'), {attributes})))"
    await page.cdp_session.send(runtime.Evaluate(expression=script, await_promise=True))


async def set_attribute(page: Page) -> None:
    root = await page.cdp_session.send(dom.GetDocument(depth=0))
    node = await page.cdp_session.send(dom.QuerySelector(node_id=root.root.node_id, selector="#plain"))
    await page.cdp_session.send(dom.SetAttributeValue(node_id=node.node_id, name="data-by", value="protocol"))


async def meddle(page: Page) -> None:
    await page.evaluate("plain.onclick = () => {}")


async def meddle_in_a_frame(page: Page) -> None:
    near = next(frame for frame in page._tab.frames if frame.url.endswith("/near"))
    await caller_scripts.evaluate(near, "document.querySelector('p').onclick = () => {}", deadline=Deadline(30))


CHANGES = [
    Change("text", "document.getElementById('text').firstChild.data = 'other'"),
    Change("an element", "document.getElementById('text').after(document.createElement('hr'))"),
    Change("an attribute without a style", "plain.setAttribute('data-x', '1')"),
    Change("an attribute by the protocol", do=set_attribute),
    Change("an inline style", "plain.style.display = 'none'"),
    Change("a class far up", "document.documentElement.className = 'dark'"),
    Change("a rule by CSSOM", "document.styleSheets[0].insertRule('#loose { display: none }')"),
    Change("a rule's style by CSSOM", "document.styleSheets[0].cssRules[0].style.display = 'inline'"),
    Change("an adopted style sheet", "const s = new CSSStyleSheet(); s.replaceSync('#tail { visibility: hidden }');"
        "document.adoptedStyleSheets = [s]"),
    Change("a disabled style sheet", "document.styleSheets[0].disabled = true"),
    Change("an enabled style sheet", "document.styleSheets[0].disabled = false"),
    Change("emulated media", do=set_media),
    Change("media as before", do=unset_media),
    Change("a narrow viewport", do=narrow),
    Change("a value", "value.value = 'new'"),
    Change("a value not rendered", "none.value = 'new'"),
    Change("a hidden value", "hidden.value = 'new'"),
    Change("a date", "date.value = '2026-11-22'"),
    Change("a textarea", "area.value = 'new'"),
    Change("typed text", do=type_text),
    Change("a checkbox", "box.checked = true"),
    Change("a checkbox by its key", do=press_space),
    Change("a checkbox not rendered", "nobox.checked = true"),
    Change("a radio button", "r2.checked = true"),
    Change("a selected option", "one.selectedIndex = 1"),
    Change("several selected options", "many.options[0].selected = many.options[1].selected = true"),
    Change("details", "details.open = true"),
    Change("a popover", "popover.showPopover()"),
    Change("a popover gone", "popover.hidePopover()"),
    Change("a modal dialog", "dialog.showModal()"),
    Change("no dialog", "dialog.close()"),
    Change("a canvas", "canvas.getContext('2d').fillRect(0, 0, 9, 9)", shows=False),
    Change("the pointer over", do=point),
    Change("the pointer elsewhere", do=unpoint),
    Change("the focus", "focused.focus()"),
    Change("scrolling", "scrollTo(0, 300)"),
    Change("back on top", "scrollTo(0, 0)"),
    Change("scrolling inside", do=scroll_inside),
    Change("the history", "history.pushState(null, '', '/elsewhere')"),
    Change("a fragment and its target", "location.hash = 'target'"),
    Change("the title", "document.title = 'Another'"),
    Change("an animation", "plain.removeAttribute('style'); loose.className = 'moving'"),
    Change("an open root", "bare.attachShadow({mode: 'open'}).innerHTML = '<p>late</p>'"),
    Change("text in an open root", "ajar.shadowRoot.firstChild.textContent = 'other'"),
    Change("a value in an open root", "ajar.shadowRoot.lastChild.value = 'other'"),
    Change("text in a closed root", "shut.firstChild.textContent = 'other'"),
    Change("a value in a closed root", "shut.lastChild.value = 'other'"),
    Change("text in a closed root of a plain element", "secret.firstChild.textContent = 'other'"),
    Change("text in a frame", "document.querySelector('p').textContent = 'other'", frame="/near"),
    Change("a value in a frame", "document.querySelector('input').value = 'other'", frame="/near"),
    Change("a title in a frame", "document.title = 'Other'", frame="/near"),
    Change("text in a frame of another process", "document.querySelector('p').textContent = 'other'", frame="/far"),
    Change("a value in a frame of another process", "document.querySelector('input').value = 'x'", frame="/far"),
    Change("a class in a frame of another process", "document.body.className = 'dark'", frame="/far"),
    Change("a hidden frame", "near.style.display = 'none'"),
    Change("a frame gone", "near.remove()"),
    Change("a new frame", do=add_frame),
    Change("a frame of another process gone", "far.remove()"),
    Change("a listener by a script of the caller", do=meddle),
    Change("a listener in a frame by a script of the caller", do=meddle_in_a_frame),
    Change("a listener in a promise's reaction", "void document.fonts.ready.then(() => { wide.onclick = () => {} })"),
    Change("a written document", "document.open(); document.write('<p>all new</p>'); document.close()"),
]  # fmt: skip
"""In an order in which each still has what it needs; it begins with the page as it was loaded."""


async def until_spared(page: Page) -> Snapshot:
    """Capture until nothing has happened between two captures, as on every page that stands still."""
    before = await page.snapshot()
    for _ in range(PATIENCE):
        reused = page.captures.reused
        before = await page.snapshot()
        if page.captures.reused > reused:
            return before
        # Loading, collecting garbage and the like come to an end; real time is all there is to wait for.
        await asyncio.sleep(0.05)
    raise AssertionError(f"never the same: {await page._tab.captures._versions.read(Deadline(1))}")


async def run(page: Page, change: Change, *, later: bool) -> None:
    if change.do is not None:
        await change.do(page)
        return
    script = f"{{ {change.script} }}"
    if later:
        script = f"new Promise(done => setTimeout(() => {{ {script}; done() }}))"
    if change.frame and (frame := next(f for f in page._tab.frames if f.url.endswith(change.frame))).parent is not None:
        if frame.is_process_root:
            await frame.session.send(runtime.Evaluate(expression=script, await_promise=later))
        else:
            script = script.replace("document", "frames[0].document")
            await page.cdp_session.send(runtime.Evaluate(expression=script, await_promise=later))
        return
    answer = await page.cdp_session.send(runtime.Evaluate(expression=script, await_promise=later))
    assert answer.exception_details is None, answer.exception_details


@pytest.fixture
async def catalogue(page: Page, site: Site) -> Page:
    """A page with all that is in the list."""
    frame = "<style>.dark p { display: none }</style><p>frame</p><input style='display:none'>"
    site.html("/near", frame)
    site.html("/far", frame)
    await page.goto(site.url(PAGE))
    await page.settle()
    return page


# A timer runs in the page, as its own scripts do.
@pytest.mark.parametrize("later", sampled((False, True), (True,)), ids=["by the protocol", "by a timer"])
async def test_whatever_changes_is_captured(catalogue: Page, later: bool) -> None:
    page = catalogue
    for change in CHANGES:
        before = await until_spared(page)
        await run(page, change, later=later)
        shown = await page.snapshot()
        fresh = await page.snapshot(fresh=True)
        assert shown.parts == fresh.parts, change.name
        assert (shown is not before) is change.shows, change.name


async def test_a_page_that_stands_still_is_captured_once(page: Page, site: Site) -> None:
    await page.goto(site.html("/still", "<p id=p>still</p>"))
    first = await until_spared(page)
    before = page.captures
    assert await page.snapshot() is first
    assert page.captures - before == CaptureCounts(reused=1)


async def test_fresh_asks_chrome_in_any_case_and_the_same_bytes_are_the_same_snapshot(page: Page, site: Site) -> None:
    await page.goto(site.html("/still", "<p id=p>still</p>"))
    first = await until_spared(page)
    before = page.captures
    assert await page.snapshot(fresh=True) is first
    assert (page.captures - before).taken == 1
    assert (page.captures - before).bytes == sum(len(part.raw) for part in first.parts)
    assert not first.diff(first)


async def test_a_script_that_changes_nothing_costs_a_capture_and_no_snapshot(page: Page, site: Site) -> None:
    await page.goto(site.html("/still", "<p id=p>still</p>"))
    first = await until_spared(page)
    before = page.captures
    await page.cdp_session.send(runtime.Evaluate(expression="new Promise(setTimeout)", await_promise=True))
    assert await page.snapshot() is first
    assert page.captures - before == CaptureCounts(taken=1, bytes=sum(len(part.raw) for part in first.parts))


async def test_a_page_that_moves_is_captured_every_time(page: Page, site: Site) -> None:
    turns = "<style>@keyframes turn { to { rotate: 1turn } } p { animation: turn 1s infinite }</style><p>turns</p>"
    await page.goto(site.html("/turns", turns))
    for _ in range(3):
        await page.snapshot()
    assert (page.captures.taken, page.captures.reused) == (3, 0)


async def test_observing_the_protocol_asks_the_page_nothing(browser: Browser, site: Site) -> None:
    async with (
        await browser.new_context(observe="protocol") as context,
        await context.new_page(site.html("/", "<p>x")) as page,
    ):
        with FrameLog(page.cdp_session.channel) as wire:
            one, other = await page.snapshot(), await page.snapshot()
        assert other is one
        assert page.captures.taken == 2
        assert "Performance.getMetrics" not in {frame.method for frame in wire.frames}


async def test_another_document_is_another_snapshot(page: Page, site: Site) -> None:
    url = site.html("/still", "<p id=p>still</p>")
    await page.goto(url)
    first = await until_spared(page)
    await page.reload()
    assert await page.snapshot() is not first
    await page.goto("about:blank")
    assert (await page.snapshot()).url == "about:blank"


async def test_the_probe_is_small_and_an_idle_page_is_silent(page: Page, site: Site, browser: Browser) -> None:
    await page.goto(site.html("/still", "<p id=p>still</p>"))
    await until_spared(page)
    with FrameLog(page.cdp_session.channel) as wire:
        await page.snapshot()
    assert wire.round_trips == 2
    assert sum(frame.size for frame in wire.frames if frame.sent or not frame.method) < 2500, wire.by_method()
    loud = asyncio.Event()
    # Chrome may send news of the document, as long as nobody has asked for it.
    with (
        tap(page.cdp_session.channel, lambda _: loud.set(), lambda frame: b"Performance." in frame and loud.set()),
        pytest.raises(TimeoutError),
    ):
        await asyncio.wait_for(loud.wait(), 0.3)


async def test_a_busy_page_is_captured_when_it_answers(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "SECONDS", 0.05)
    await page.goto(site.html("/still", "<p id=p>still</p>"))
    await until_spared(page)
    page.cdp_session.post(runtime.Evaluate(expression="for (const t = Date.now() + 300; Date.now() < t;); p.id = 'q'"))
    assert (await page.snapshot()).selector("", await _node(page, "p")) == "#q"


async def _node(page: Page, tag: str) -> int:
    handle = await page._tab.frames.main.world().call_handle(f"() => document.querySelector('{tag}')")
    return await handle.backend_node_id()


async def test_captures_at_the_same_time_do_not_mix(page: Page, site: Site) -> None:
    await page.goto(site.html("/still", "<p id=p>0</p>"))
    for number in range(5):
        await page.evaluate(f"p.firstChild.data = 'number {number}'")
        taken = await asyncio.gather(*(page.snapshot() for _ in range(4)))
        assert all(b"number %d" % number in snapshot.parts[0].raw for snapshot in taken)


async def test_chrome_has_the_counters(page: Page) -> None:
    """A counter that is renamed would be missed in silence."""
    await page.cdp_session.send(performance.Enable())
    told = await page.cdp_session.send(performance.GetMetrics())
    assert {metric.name for metric in told.metrics} >= marks.COUNTERS


async def test_a_browser_knows_what_all_its_pages_cost(browser: Browser, site: Site) -> None:
    before = browser.captures
    async with await browser.new_context() as context, await context.new_page(site.html("/", "<p>x")) as page:
        await page.snapshot()
        assert browser.captures - before == page.captures
    assert browser.captures - before == page.captures
    assert (browser.captures - before).taken == 1
