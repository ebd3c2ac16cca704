"""What the observer of the isolated world sees, what it takes for noise, and what it costs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.options import parse_options
from stillframe.model.verdict import Verdict

PAGE = """
<style>#box {{ position: relative }}</style>
<button id=go>Go</button><div id=box></div><p id=out></p>
<script>
const $ = (id) => document.getElementById(id);
let turns = 0;
const every = (ms, turn) => setInterval(() => {{ turn(++turns); }}, ms);
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const turned = (number) => new Promise((resolve) => {{
  const watch = () => turns >= number ? resolve(turns) : requestAnimationFrame(watch);
  watch();
}});
{before}
$("go").onclick = async () => {{ {click} }};
</script>
"""


async def show(page: Page, site: Site, click: str = "", *, before: str = "") -> None:
    await page.goto(site.html("/it.html", PAGE.format(click=click, before=before)))


async def settle(page: Page, **given: Any) -> Verdict:
    async with page._settler.armed(parse_options({"observe": "dom"} | given)) as settling:
        await page.evaluate("void $('go').click()")
        return await settling.verdict()


async def noisy(page: Page) -> int:
    return len(await page._settler.noise())


# -- noise ---------------------------------------------------------------------------------------------

NOISE = {
    "a clock": (45, "$('box').textContent = n"),
    "a ticker of other words each time": (60, "$('box').textContent = 'news'.slice(n % 4) + 'abcdefgh'[n % 8]"),
    "a ticker faster than a frame": (8, "$('box').textContent = n"),
    "a new element each turn": (50, "$('box').innerHTML = `<b class=item>${n}</b>`"),
    "a list that grows and is cut": (
        40,
        "$('box').insertAdjacentHTML('beforeend', `<b>${n}</b>`); if (n > 5) $('box').firstChild.remove()",
    ),
    "new elements that are changed": (
        50,
        "$('box').innerHTML = '<b>x</b>'; setTimeout(() => { $('box').firstChild.className = 'in' }, 9)",
    ),
    "a style": (30, "$('box').style.left = `${Math.sin(n)}px`"),
    "a class among three": (55, "$('box').className = 'abc'[n % 3]"),
    "a carousel": (
        45,
        "if (n < 2) $('box').innerHTML = '<i></i><i></i><i></i>';"
        " for (const one of $('box').children) one.className = ''; $('box').children[n % 3].className = 'on'",
    ),
    "text in place": (50, "$('box').firstChild ? $('box').firstChild.data = n : $('box').append('0')"),
}


# The serial tests of tests/settling/test_settler.py have a clock, a ticker, frames and a carousel.
@pytest.mark.every_row
@pytest.mark.parametrize("noise", sampled(NOISE, ("new elements that are changed",)))
async def test_what_moves_by_itself_is_ignored_and_named_with_its_rate(page: Page, site: Site, noise: str) -> None:
    ms, turn = NOISE[noise]
    await show(page, site, "$('out').textContent = 'done'", before=f"every({ms}, (n) => {{ {turn} }})")
    # Long enough for a rhythm, or, where a busy machine makes it uneven, for what is restless to show.
    await page.evaluate(f"turned({max(40, 2400 // ms)})")
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "quiet"), verdict
    assert any(row.kind == "changes" and row.key.startswith("#box") and row.rate > 4 for row in verdict.ignored), (
        verdict
    )
    assert await noisy(page) >= 1


async def test_a_restless_part_without_rhythm_is_ignored(page: Page, site: Site) -> None:
    restless = "(async () => { for (;;) { await later([5, 90, 20][turns % 3]); $('box').textContent = ++turns } })()"
    await show(page, site, "$('out').textContent = 'done'", before=restless)
    await page.evaluate("later(1200).then(() => turned(60))")
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "quiet"), verdict


CAUSED = {
    "a class": "$('box').className = 'alarm-' + 'abcdef'[n]",
    "other children": "$('box').insertAdjacentHTML('beforeend', '<em>alarm</em>')",
    "a word where there were figures": "$('box').textContent = 'alarm ' + 'abcdef'[n]",
    "an attribute below": "$('box').insertAdjacentHTML('afterbegin', '<u></u>')",
}


@pytest.mark.every_row
@pytest.mark.parametrize("caused", sampled(CAUSED, ("a word where there were figures",)))
async def test_what_the_click_does_to_what_moves_is_seen(page: Page, site: Site, caused: str) -> None:
    """The change comes in steps that outlast the window, so that only who sees each of them sees the last."""
    click = f"for (let n = 0; n < 6; n++) {{ await later(45); {CAUSED[caused]} }} window.last = true"
    await show(page, site, click, before="every(250, (n) => { $('box').textContent = n })")
    await page.evaluate("turned(8)")
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert await page.evaluate("window.last === true"), verdict
    assert await noisy(page) == 0


@pytest.mark.serial  # on a busy machine the steps come as slowly as the rhythm
async def test_more_than_the_rhythm_explains_is_seen(page: Page, site: Site) -> None:
    click = "for (let n = 0; n < 15; n++) { await later(15); $('box').textContent = ++turns } window.last = true"
    await show(page, site, click, before="every(350, (n) => { $('box').textContent = n })")
    await page.evaluate("turned(5)")
    verdict = await settle(page)
    assert verdict.stable
    assert await page.evaluate("window.last === true"), verdict
    assert await noisy(page) == 0


# -- closed shadow roots -------------------------------------------------------------------------------

CLOSED = """
customElements.define('x-box', class extends HTMLElement {
  connectedCallback() { this.inner = this.attachShadow({mode: 'closed'}); this.inner.innerHTML = '<p>0</p>'; }
  say(text) { this.inner.firstChild.textContent = text; }
});
"""
SAY = "for (let n = 1; n < 8; n++) { await later(45); document.querySelector('x-box').say(n) } window.last = true"


async def test_what_changes_in_a_closed_root_is_seen(page: Page, site: Site) -> None:
    await show(page, site, SAY, before=CLOSED + "$('box').append(document.createElement('x-box'))")
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "quiet"), verdict
    assert await page.evaluate("window.last === true"), verdict


async def test_a_closed_root_that_the_click_makes_is_seen_into(page: Page, site: Site) -> None:
    await show(page, site, "$('box').append(document.createElement('x-box')); " + SAY, before=CLOSED)
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert await page.evaluate("window.last === true"), verdict


async def test_a_closed_root_in_a_closed_root(page: Page, site: Site) -> None:
    outer = (
        "customElements.define('x-outer', class extends HTMLElement { constructor() { super();"
        " this.attachShadow({mode: 'closed'}).append(window.inner = document.createElement('x-box')) } });"
        "$('box').append(document.createElement('x-outer'))"
    )
    say = SAY.replace("document.querySelector('x-box')", "window.inner")
    await show(page, site, say, before=CLOSED + outer)
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert await page.evaluate("window.last === true"), verdict


# -- a busy main thread --------------------------------------------------------------------------------

WORK = "const end = performance.now() + 2; while (performance.now() < end);"
CHAINS = {
    "messages through a channel": (
        "const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => {{ {work}"
        " ++n < 60 ? c.port2.postMessage(0) : (window.last = true) }}; c.port2.postMessage(0)"
    ),
    "messages to itself": (
        "let n = 0; onmessage = () => {{ {work} ++n < 60 ? postMessage(0, '*') : (window.last = true) }};"
        " postMessage(0, '*')"
    ),
    "timeouts of no time": "for (let n = 0; n < 3; n++) {{ await later(0); {work} }} window.last = true",
}


@pytest.mark.parametrize("chain", CHAINS)
async def test_work_that_no_change_shows_is_awaited(page: Page, site: Site, chain: str) -> None:
    await show(page, site, CHAINS[chain].format(work=WORK))
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert await page.evaluate("window.last === true"), verdict


@pytest.mark.serial
async def test_a_main_thread_that_was_busy_before_is_not_awaited(page: Page, site: Site) -> None:
    storm = "const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(0); c.port2.postMessage(0)"
    await show(page, site, "$('out').textContent = 'done'", before=storm)
    verdict = await settle(page, horizon_ms=1500)
    assert verdict.stable, verdict
    assert verdict.waited_ms < 1000


# -- what it costs -------------------------------------------------------------------------------------

LARGE = (
    "document.body.insertAdjacentHTML('beforeend', "
    "'<div class=row><span>a</span><ul><li>1<li>2<li>3</ul><p>t<i>u</i></p></div>'.repeat(1500))"
)


async def test_a_report_of_a_large_page_is_small_and_quick(page: Page, site: Site) -> None:
    """12,000 elements: the report has a hundred bytes and takes some milliseconds; the best of nine is taken."""
    await show(page, site, before=LARGE)
    timed = (
        "(() => { const times = []; let told; for (let n = 0; n < 9; n++) { const began = performance.now();"
        " told = __sfSettle.report(); times.push(performance.now() - began) } return [Math.min(...times), told] })()"
    )
    best, told = await page._tab.frames.main.evaluate(timed)
    assert best < 20, best
    assert len(json.dumps(told)) < 200
