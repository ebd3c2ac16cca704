"""Settling on real pages: one page per behaviour, each of which marks every change that the click causes.

A page calls `mark()` when a change has been applied. A verdict is right when all marks exist, and good when it comes
soon after the last one. The bounds on the excess are generous, to catch a wrong rule, not a busy machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.engine.settle import expected
from stillframe.errors import ContextLost
from stillframe.model.options import Observe, SequenceOptions, parse_options
from stillframe.model.verdict import Verdict

EXCESS_MS = 1000
"""How long after the last mark or its deadline a verdict may come; the engine's own share is about 70 ms, that of a
busy machine several times as much."""

PAGE = """
<button id=go>Go</button><div id=out></div><div id=spot style="width:50px;height:50px"></div>
<script>
const $ = (id) => document.getElementById(id), marks = [];
const mark = (text = marks.length) => {{ $("out").textContent = "mark " + text; marks.push(Date.now()); }};
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const get = (url, options) => fetch(url, options).then((answer) => answer.text());
{before}
$("go").onclick = async () => {{ {click} }};
</script>
"""

CAUSAL: dict[str, tuple[str, int]] = {
    "nothing": ("", 0),
    "a synchronous write": ("mark()", 1),
    "a microtask": ("await null; mark()", 1),
    "a short timer": ("await later(20); mark()", 1),
    "two frames": ("requestAnimationFrame(() => requestAnimationFrame(() => mark()))", 1),
    "fetch, then render": ("await get('/slow?ms=300'); mark()", 1),
    "fetch, then a fetch": ("await get('/slow?ms=200'); mark(); await get('/slow?ms=400'); mark()", 2),
    "fetch, then a short timer": ("await get('/slow?ms=150'); await later(30); mark()", 1),
    "parallel fetches": ("for (const ms of [50, 120, 350]) get('/slow?ms=' + ms).then(() => mark())", 3),
    "redirects": ("await get('/redirect?to=/slow?ms=200'); mark()", 1),
    "a failing request": ("await get('http://127.0.0.1:1/').catch(() => mark())", 1),
    "xhr": (
        "const x = new XMLHttpRequest(); x.open('GET', '/slow?ms=250'); x.onload = () => mark(); x.send()",
        1,
    ),
    "an image": ("const i = new Image(); i.onerror = () => mark(); i.src = '/slow?ms=200'", 1),
    "a script": (
        "const s = document.createElement('script'); s.src = '/slow?ms=200&type=text/javascript&body=mark()'; "
        "document.head.append(s)",
        1,
    ),
    "pushState, then fetch": ("history.pushState(0, '', '#two'); await get('/slow?ms=200'); mark()", 1),
    "an iframe": (
        "const f = document.createElement('iframe'); f.onload = () => mark(); "
        "f.src = '/slow?ms=250&type=text/html'; document.body.append(f)",
        1,
    ),
    "a finite animation": (
        "$('spot').animate([{opacity: 1}, {opacity: 0.2}], 400).finished.then(() => mark())",
        1,
    ),
    "a transition": (
        "$('spot').style.transition = 'width 300ms'; $('spot').offsetWidth; $('spot').style.width = '90px'; "
        "$('spot').ontransitionend = () => mark()",
        1,
    ),
    "a spinner, then a timer": (
        "$('spot').className = 'loading'; await later(700); $('spot').className = ''; mark()",
        1,
    ),
    "a worker that computes": (
        "const w = new Worker(URL.createObjectURL(new Blob(['onmessage = () => {"
        " const t = Date.now(); while (Date.now() - t < 300); postMessage(1) }'])));"
        "w.onmessage = () => mark(); w.postMessage(1)",
        1,
    ),
    "a worker that fetches": (
        "const w = new Worker(URL.createObjectURL(new Blob([`onmessage = () => "
        "fetch('${location.origin}/slow?ms=300', {mode: 'no-cors'}).then(() => postMessage(1))`])));"
        "w.onmessage = () => mark(); w.postMessage(1)",
        1,
    ),
    "a long task": ("const t = Date.now(); while (Date.now() - t < 400); await later(10); mark()", 1),
    "messages to itself": (
        "const c = new MessageChannel(); let n = 0; "
        "c.port1.onmessage = () => ++n < 25 ? c.port2.postMessage(0) : mark(); c.port2.postMessage(0)",
        1,
    ),
    "a frame of the same site": (
        "const f = document.createElement('iframe'); f.srcdoc = '<p id=p>'; "
        "f.onload = async () => { for (const n of [1, 2, 3, 4]) { await later(45); "
        "f.contentDocument.getElementById('p').textContent = n; marks.push(Date.now()) } }; document.body.append(f)",
        4,
    ),
    "an open shadow root": (
        "const r = $('spot').attachShadow({mode: 'open'}); const p = document.createElement('p'); r.append(p); "
        "for (const n of [1, 2, 3, 4]) { await later(40); p.textContent = n; marks.push(Date.now()) }",
        4,
    ),
}


def options(**given: Any) -> SequenceOptions:
    return parse_options(given)


async def press(page: Page) -> None:
    with contextlib.suppress(ContextLost):  # the page left before it answered
        await page.evaluate("void document.getElementById('go').click()")


async def settle(page: Page, **given: Any) -> Verdict:
    """Press the button of the page and settle."""
    parsed = options(**given)
    async with page._settler.armed(parsed) as settling:
        await press(page)
        return await settling.verdict(expected=expected(page._tab, parsed))


async def show(page: Page, site: Site, click: str = "", *, before: str = "", path: str = "/it.html") -> None:
    await page.goto(site.html(path, PAGE.format(click=click, before=before)))


async def marks(page: Page) -> list[float]:
    return list(await page.evaluate("marks"))


@pytest.mark.parametrize("behaviour", CAUSAL)
async def test_all_that_the_click_causes_is_awaited(page: Page, site: Site, behaviour: str) -> None:
    click, expected = CAUSAL[behaviour]
    await show(page, site, click)
    verdict = await settle(page)
    returned = time.time() * 1000
    seen = await marks(page)
    assert verdict.stable, verdict
    assert len(seen) == expected, f"premature: {verdict}"
    last = seen[-1] if seen else returned - verdict.waited_ms
    assert returned - last <= EXCESS_MS, verdict


async def test_a_click_without_effect_says_so(page: Page, site: Site) -> None:
    await show(page, site)
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason, verdict.pending) == (True, "no_effect", ())


async def test_observing_the_protocol_awaits_what_the_protocol_tells(page: Page, site: Site) -> None:
    await show(page, site, "await get('/slow?ms=300'); mark()")
    verdict = await settle(page, observe="protocol")
    assert (verdict.stable, verdict.reason) == (True, "quiet")
    assert len(await marks(page)) == 1


# -- navigation ----------------------------------------------------------------------------------


async def test_navigation_is_awaited_and_what_the_new_page_does_too(page: Page, site: Site) -> None:
    site.html("/next.html", PAGE.format(before="get('/slow?ms=300').then(() => mark())", click=""))
    await show(page, site, "location = '/redirect?to=/next.html'")
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "navigated")
    assert page.url == site.url("/next.html")
    assert len(await marks(page)) == 1


@pytest.mark.slow
async def test_a_slow_server_is_awaited(page: Page, site: Site) -> None:
    await show(page, site, "location = '/slow?ms=700&type=text/html&body=here'")
    verdict = await settle(page)
    assert verdict.reason == "navigated"
    assert await page.evaluate("document.body.textContent") == "here"


async def test_a_form_that_posts_to_its_own_url(page: Page, site: Site) -> None:
    await show(
        page, site, "const f = document.createElement('form'); f.method = 'post'; document.body.append(f); f.submit()"
    )
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "navigated")


@pytest.mark.serial
async def test_an_answer_without_content_is_not_a_navigation(page: Page, site: Site) -> None:
    async def nothing(_: web.Request) -> web.Response:
        return web.Response(status=204)

    site.route("/nothing", nothing)
    await show(page, site, "location = '/nothing'")
    verdict = await settle(page)
    assert verdict.stable
    assert verdict.waited_ms < 1000


XSL = (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">{more}<xsl:template match="/">'
    "<html><body><p><xsl:value-of select='r'/></p><script>fetch('/slow?ms=150').then(() => document.title = 'done')"
    "</script></body></html></xsl:template></xsl:stylesheet>"
)


@pytest.mark.parametrize("more", ["", '<xsl:include href="/other.xsl"/>'], ids=["alone", "with another"])
@pytest.mark.parametrize("has_length", [True, False])
async def test_a_document_that_a_style_sheet_transforms(page: Page, site: Site, more: str, has_length: bool) -> None:
    """Chrome announces no end of the request for the style sheet."""

    async def style(request: web.Request) -> web.StreamResponse:
        body = XSL.format(more=more if request.path == "/style.xsl" else "").encode()
        if request.path == "/other.xsl":
            body = body.replace(b'match="/"', b'match="none"')
        if has_length:
            return web.Response(body=body, content_type="text/xsl")
        response = web.StreamResponse(headers={"Content-Type": "text/xsl"})
        await response.prepare(request)
        await response.write(body)
        return response

    async def xml(_: web.Request) -> web.Response:
        text = '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/style.xsl"?><r>text</r>'
        return web.Response(text=text, content_type="text/xml")

    for path, handler in {"/style.xsl": style, "/other.xsl": style, "/doc.xml": xml}.items():
        site.route(path, handler)
    await page.goto(site.url("/doc.xml"), settle=True)
    assert page.verdict is not None
    assert page.verdict.stable, page.verdict
    assert await page.title() == "done"
    assert "text" in await page.locator("p").inner_text()


async def test_going_back_through_the_cache(page: Page, site: Site) -> None:
    site.html("/next.html", PAGE.format(before="", click="history.back()"))
    await show(page, site)
    await page.goto(site.url("/next.html"))
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "navigated")
    assert page.url == site.url("/it.html")


async def test_a_frame_of_another_site_is_awaited(page: Page, site: Site) -> None:
    site.html("/frame.html", "<p id=p>no</p><script>fetch('/slow?ms=300').then(() => p.textContent = 'yes')</script>")
    click = f"const f = document.createElement('iframe'); f.src = '{site.url('/frame.html', host='localhost')}'; "
    await show(page, site, click + "document.body.append(f)")
    verdict = await settle(page)
    assert verdict.stable
    (frame,) = page._tab.frames.main.children.values()
    assert await frame.evaluate("document.getElementById('p').textContent") == "yes"


# -- what never ends -----------------------------------------------------------------------------


@pytest.mark.serial
@pytest.mark.parametrize(
    "before",
    [
        "fetch('/hang').catch(() => 0)",
        "new EventSource('/events?every=50')",
        "new WebSocket(location.origin.replace('http', 'ws') + '/ws')",
        "document.body.append(Object.assign(new Image(), {src: '/hang'}))",
    ],
)
@pytest.mark.parametrize("rule", ["causal", "quiet"])
async def test_w18_what_was_open_before_does_not_block(page: Page, site: Site, before: str, rule: str) -> None:
    await show(page, site, "mark()", before=f"addEventListener('load', () => setTimeout(() => {{ {before} }}, 0))")
    async with asyncio.timeout(10):
        while not any(path.startswith(("/hang", "/events", "/ws")) for path in site.requests):
            await page.evaluate("new Promise(requestAnimationFrame)")
    verdict = await settle(page, settle=rule)
    assert verdict.stable, verdict
    assert verdict.waited_ms < 1000


@pytest.mark.serial
async def test_a_request_that_hangs_is_given_up_and_named(page: Page, site: Site) -> None:
    await show(page, site, "mark(); fetch('/hang').catch(() => 0)")
    verdict = await settle(page, horizon_ms=500)
    assert not verdict.stable
    assert verdict.outcome.startswith("horizon: request GET")
    assert verdict.pending[0].url == site.url("/hang")
    assert 500 <= verdict.waited_ms < 1000


@pytest.mark.serial
async def test_w14_a_spinner_without_end_is_named(page: Page, site: Site) -> None:
    await show(page, site, "$('spot').className = 'spinner'")
    verdict = await settle(page, timeout_ms=1500)
    assert (verdict.stable, verdict.outcome) == (False, "timeout: indicator #spot")
    assert [(row.kind, row.what) for row in verdict.pending] == [("indicator", "#spot")]
    assert 1500 <= verdict.waited_ms < 1500 + EXCESS_MS


@pytest.mark.serial
@pytest.mark.parametrize("style", ["display:none", "visibility:hidden", "opacity:0", "width:0;height:0"])
@pytest.mark.parametrize("rule", ["causal", "quiet"])
async def test_w15_a_hidden_spinner_does_not_block(page: Page, site: Site, style: str, rule: str) -> None:
    await show(page, site, f"$('spot').style = '{style}'; $('spot').className = 'spinner'; mark()")
    verdict = await settle(page, settle=rule)
    assert verdict.stable, verdict
    assert verdict.waited_ms < 1000


async def test_w16_words_that_merely_contain_loading(page: Page, site: Site) -> None:
    await show(page, site, "$('spot').className = 'preloading-done loading-finished'; mark()")
    assert (await settle(page)).stable
    verdict = await settle(page, settle="quiet", timeout_ms=800)
    assert (verdict.stable, verdict.outcome) == (False, "timeout: indicator #spot")


async def test_a_spinner_that_is_a_number_field_does_not_block(page: Page, site: Site) -> None:
    html = (
        "<span class=ui-spinner><input role=spinbutton class=ui-spinner-input><a class=ui-spinner-button>up</a></span>"
        "<div class='number-spinner'><input type=number value=1></div>"
        "<div class=bk-Spinner id=host></div>"
    )
    shadow = "$('host').attachShadow({mode: 'open'}).innerHTML = '<p><input value=1><button>up</button></p>'"
    await show(page, site, f"$('spot').innerHTML = `{html}`; {shadow}; mark()")
    verdict = await settle(page)
    assert verdict.stable, verdict
    await show(page, site, f"$('spot').innerHTML = `{html}<i class=spinner>wait</i>`; mark()")
    assert not (await settle(page, timeout_ms=700)).stable


async def test_a_title_that_is_a_class_does_not_block(page: Page, site: Site) -> None:
    """Sphinx makes such classes."""
    name = "admonition-use-django-template-loader-select-template-for-more-flexibility"
    await show(page, site, f"$('spot').className = '{name}'; $('spot').textContent = 'text'; mark()")
    verdict = await settle(page, timeout_ms=700)
    assert verdict.stable, verdict


async def test_attributes_that_say_busy(page: Page, site: Site) -> None:
    await show(page, site, "$('spot').setAttribute('aria-busy', 'true'); $('go').setAttribute('data-loading', 'true')")
    verdict = await settle(page, timeout_ms=700)
    assert verdict.outcome.startswith("timeout: indicator #"), verdict
    assert {row.what for row in verdict.pending if row.kind == "indicator"} == {"#spot", "#go"}, verdict


TURNED = "$('go').disabled = true; "
BUSY_BUTTONS = {
    "a busy word": TURNED + "$('go').textContent = 'Loading'",
    "another word, and more": TURNED + "$('go').textContent = 'Saving changes'",
    "an ellipsis in any language": TURNED + "$('go').textContent = 'Laden…'",
    "a wheel that turns": TURNED + "$('go').innerHTML = '<b role=progressbar>o</b> Pay'",
    "an animation that turns": (
        TURNED + "$('go').innerHTML = '<i style=\"display: inline-block\">o</i> Pay';"
        "$('go').firstChild.animate([{opacity: 1}, {opacity: 0}], {duration: 400, iterations: Infinity})"
    ),
    "by ARIA": "$('go').setAttribute('aria-disabled', 'true'); $('go').textContent = 'Please wait'",
    "a part with a state": "$('out').outerHTML = '<div id=out data-state=loading>x</div>'",
    "a button in its place": "$('go').outerHTML = '<button id=go disabled>Loading</button>'",
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", BUSY_BUTTONS)
async def test_a_button_that_says_that_it_works_is_awaited(page: Page, site: Site, name: str) -> None:
    """Nothing else announces the end: a timer from before the click brings it."""
    await show(
        page,
        site,
        f"{BUSY_BUTTONS[name]}; window.due = Date.now() + 900",
        before="setInterval(() => { if (Date.now() > window.due) {"
        " window.due = Infinity; $('go').outerHTML = '<button id=go>Go</button>'; $('out').dataset.state = 'on'; mark()"
        " } }, 100)",
    )
    verdict = await settle(page)
    assert len(await page.evaluate("marks")) == 1, verdict
    assert verdict.stable, verdict


BUTTONS_AT_REST = {
    "disabled for good": TURNED,
    "disabled and named like one at work": TURNED + "$('go').textContent = 'Pricing'",
    "a menu with a disabled item": "$('out').innerHTML = '<button disabled>Rename…</button>'",
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", BUTTONS_AT_REST)
async def test_a_button_that_is_only_disabled_is_not_awaited(page: Page, site: Site, name: str) -> None:
    await show(page, site, BUTTONS_AT_REST[name])
    verdict = await settle(page)
    assert verdict.stable, verdict


async def test_a_button_that_works_for_good_is_named_at_the_horizon(page: Page, site: Site) -> None:
    await show(page, site, BUSY_BUTTONS["a busy word"])
    verdict = await settle(page, horizon_ms=500)
    assert (verdict.stable, verdict.outcome) == (False, "horizon: indicator #go")


async def test_a_spinner_from_before_does_not_block_causal(page: Page, site: Site) -> None:
    await show(page, site, "mark()", before="$('spot').className = 'spinner'")
    assert (await settle(page)).stable
    assert not (await settle(page, settle="quiet", timeout_ms=700)).stable


@pytest.mark.serial
async def test_infinite_animations_are_not_awaited(page: Page, site: Site) -> None:
    await show(
        page, site, "$('spot').animate([{opacity: 1}, {opacity: 0}], {duration: 50, iterations: Infinity}); mark()"
    )
    verdict = await settle(page)
    assert verdict.stable
    assert verdict.waited_ms < EXCESS_MS


async def test_a_decoration_that_repeats_is_left_out_after_its_second_round(page: Page, site: Site) -> None:
    style = "<style>@keyframes pulse { 50% { opacity: 0.3 } } .new { animation: pulse 300ms 5 }</style>"
    await page.goto(site.html("/pulse.html", f"{style}<button id=go onclick='this.className = `new`'>Go</button>"))
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert [(row.kind, row.key, row.rate) for row in verdict.ignored] == [("animation", "#go", 3.33)]


async def test_a_long_transition_hides_no_shorter_animation(page: Page, site: Site) -> None:
    html = """<style>@keyframes out { to { opacity: 0 } } #box.leaves { animation: out 200ms }
      #wave { transition: opacity 3s, margin-left 150ms } #wave.on { opacity: 0; margin-left: 9px }</style>
      <div id=wave>~</div><div id=box onanimationend='this.remove()'>dialog</div>
      <button id=go onclick="box.className = 'leaves'; wave.className = 'on'">Go</button>"""
    await page.goto(site.html("/wave.html", html))
    verdict = await settle(page)
    assert verdict.stable
    assert await page.evaluate("document.getElementById('box')") is None
    assert [(row.kind, row.what) for row in verdict.pending] == [("animation", "#wave")]


@pytest.mark.serial
@pytest.mark.parametrize(
    ("noise", "count"),
    [
        ("setInterval(() => $('spot').textContent = Date.now(), 50)", 40),
        ("setInterval(() => $('spot').style.left = Math.random() + 'px', 30)", 60),
        ("const tick = (t) => { $('spot').style.top = t + 'px'; requestAnimationFrame(tick) }; tick(0)", 150),
        (
            "for (const n of [0, 1, 2]) $('spot').append(document.createElement('i')); let at = 0; setInterval(() => {"
            " $('spot').children[at].className = ''; at = (at + 1) % 3; $('spot').children[at].className = 'on' }, 45)",
            40,
        ),
    ],
    ids=["clock", "ticker", "frames", "carousel"],
)
async def test_w29_what_moves_by_itself_is_ignored_and_named(page: Page, site: Site, noise: str, count: int) -> None:
    await show(page, site, "await get('/slow?ms=200'); mark()", before=noise)
    await beats(page, count)
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert len(await marks(page)) == 1
    assert verdict.waited_ms < 200 + EXCESS_MS
    assert any(row.kind == "changes" and "#spot" in row.key and row.rate > 5 for row in verdict.ignored), verdict


@pytest.mark.serial
async def test_a_poll_is_ignored_and_named(page: Page, site: Site) -> None:
    await show(page, site, "mark()", before="setInterval(() => get('/slow?ms=40&poll'), 100)")
    async with asyncio.timeout(10):
        while sum("poll" in path for path in site.requests) < 8:
            await page.evaluate("new Promise(requestAnimationFrame)")
    async with page._settler.armed(options()) as settling:
        await page.evaluate("later(250)")
        await press(page)
        verdict = await settling.verdict()
    assert verdict.stable
    assert verdict.waited_ms < EXCESS_MS
    assert [row.rate for row in verdict.ignored if row.kind == "request"] == [pytest.approx(10, abs=3)]


async def test_regular_clicks_do_not_make_their_effects_noise(page: Page, site: Site) -> None:
    await show(page, site, "for (let n = 0; n < 5; n++) { await later(35); mark() }")
    for turn in range(1, 7):
        verdict = await settle(page)
        assert verdict.reason == "quiet"
        assert len(await marks(page)) == 5 * turn


@pytest.mark.serial
async def test_late_changes_come_with_the_next_verdict(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "mark(); await later(800); mark(); done()",
        before="const ready = new Promise((r) => done = r); var done",
    )
    # A rule that does not know timers returns before the second mark.
    assert (await settle(page, observe="dom")).late == ()
    await page.evaluate("ready")
    await page.evaluate("void ($('go').onclick = () => 0)")
    (late,) = (await settle(page)).late
    assert (late.kind, late.what) == ("changes", "#out")
    assert 0 < late.after_ms < 800 + EXCESS_MS


# -- what leaves the page ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["causal", "quiet"])
async def test_w22_a_dialog_does_not_hang_the_wait(page: Page, site: Site, rule: str) -> None:
    await show(page, site, "setTimeout(() => { alert('hi'); mark() }, 0)")
    verdict = await settle(page, settle=rule)
    assert verdict.stable
    assert len(await marks(page)) == 1
    if rule == "causal":
        assert verdict.reason == "dialog"


async def test_a_new_tab_is_the_reason(page: Page, site: Site) -> None:
    await show(page, site, "window.open('about:blank'); mark()")
    assert (await settle(page)).reason == "new_target"


@pytest.mark.serial
async def test_a_download_is_the_reason(page: Page, site: Site) -> None:
    await show(page, site, "location = '/download/list.txt'")
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "download")
    assert verdict.waited_ms < 1000


@pytest.mark.serial
async def test_a_page_that_hangs(page: Page, site: Site) -> None:
    await show(page, site, "setTimeout(() => { for (;;); }, 0)")
    verdict = await settle(page, timeout_ms=1500)
    assert (verdict.stable, verdict.reason) == (False, "hung")
    assert 1500 <= verdict.waited_ms < 1500 + EXCESS_MS


@pytest.mark.serial
@pytest.mark.parametrize("rule", ["causal", "quiet"])
async def test_a_page_that_crashes(page: Page, site: Site, rule: str) -> None:
    await show(page, site)
    async with page._settler.armed(options(settle=rule)) as settling:
        crash = asyncio.ensure_future(page.cdp_session.call("Page.crash"))
        verdict = await settling.verdict()
    assert (verdict.stable, verdict.reason) == (False, "crashed")
    assert verdict.waited_ms < 1000
    await asyncio.gather(crash, return_exceptions=True)


@pytest.mark.parametrize("rule", sampled(("causal", "quiet"), ("quiet",)))
async def test_a_page_that_is_closed(page: Page, site: Site, rule: str) -> None:
    await show(page, site)
    async with page._settler.armed(options(settle=rule)) as settling:
        closing = asyncio.ensure_future(page.close())
        verdict = await settling.verdict()
    assert not verdict.stable
    assert verdict.reason == "closed"
    await closing


# -- expectations --------------------------------------------------------------------------------


@pytest.mark.serial
@pytest.mark.parametrize(
    "expect",
    [{"selector": "p.done"}, {"text": "All done"}, {"url": "#finished"}],
    ids=["selector", "text", "url"],
)
async def test_expect_ends_the_wait_early(page: Page, site: Site, expect: dict[str, str]) -> None:
    await show(
        page,
        site,
        "fetch('/hang').catch(() => 0); await later(200); history.pushState(0, '', '#finished');"
        "$('out').innerHTML = '<p class=done>All done</p>'; marks.push(Date.now())",
    )
    verdict = await settle(page, expect=expect)
    assert verdict.reason == "expected"
    assert len(await marks(page)) == 1
    assert verdict.waited_ms < 200 + EXCESS_MS


# -- quiet ---------------------------------------------------------------------------------------


async def test_w17_quiet_waits_for_a_fetch(page: Page, site: Site) -> None:
    await show(page, site, "await get('/slow?ms=300'); mark()")
    verdict = await settle(page, settle="quiet")
    assert verdict.stable
    assert len(await marks(page)) == 1


async def test_w17b_quiet_sees_a_timer_within_its_window(page: Page, site: Site) -> None:
    await show(page, site, "await later(400); document.body.append('x'); mark()")
    verdict = await settle(page, settle="quiet")
    assert verdict.stable
    assert len(await marks(page)) == 1


async def test_w19_a_document_that_stays_interactive(page: Page, site: Site) -> None:
    body = PAGE.format(click="mark()", before="") + "<img src=/gate/image>"
    await page.goto(site.html("/it.html", body), until="domcontentloaded")
    assert await page.evaluate("document.readyState") == "interactive"
    verdict = await settle(page, settle="quiet", timeout_ms=1200)
    assert (verdict.stable, verdict.outcome) == (False, f"timeout: document {site.url('/it.html')}")
    site.open("image")
    assert (await settle(page, settle="quiet")).stable


@pytest.mark.serial
async def test_w20_a_static_page_by_the_quiet_rule(page: Page, site: Site) -> None:
    await show(page, site)
    verdict = await settle(page, settle="quiet")
    assert verdict.stable
    assert 500 <= verdict.waited_ms < 1000


async def test_w21_quiet_survives_a_navigation(page: Page, site: Site) -> None:
    site.html("/next.html", "there", title="Next")
    await show(page, site, "await later(150); location = '/next.html'")
    verdict = await settle(page, settle="quiet")
    assert verdict.stable
    assert await page.title() == "Next"


# -- cost ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("observe", sampled(("dom", "calls"), ("calls",)))
async def test_a_quiet_page_costs_four_round_trips_at_most_and_silence_costs_nothing(
    page: Page, site: Site, observe: Observe
) -> None:
    await show(page, site)
    assert (await settle(page, observe=observe)).stable
    sent: list[str] = []
    post = page.cdp_session._post
    page.cdp_session._post = lambda method, *rest: sent.append(method) or post(method, *rest)  # type: ignore[method-assign,func-returns-value]
    async with page._settler.armed(options(observe=observe)) as settling:
        assert (await settling.verdict()).stable
    # Three commands per world: arm, fence and disarm; the first and the last are not awaited.
    assert sent == ["Runtime.evaluate"] * 3


async def test_cancelled_in_mid_wait(page: Page, site: Site) -> None:
    await show(page, site, "fetch('/hang').catch(() => 0)")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await settle(page)
    await show(page, site, "mark()")
    assert (await settle(page)).reason == "quiet"


async def beats(page: Page, count: int) -> None:
    """Let a recurring change run for a while: a rhythm is learned from several beats."""
    await page.evaluate(
        f"new Promise((done) => {{ let n = 0; new MutationObserver(() => ++n >= {count} && done())"
        ".observe($('spot'), {subtree: true, childList: true, attributes: true}) })"
    )
