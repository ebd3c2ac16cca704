"""Loops without effect: not awaited for long, named, and noticed when they do have an effect."""

from __future__ import annotations

from typing import Any

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.options import parse_options
from stillframe.model.verdict import Verdict

PAGE = """
<button id=go>Go</button><div id=out></div><p id=spot>spot</p><p id=other>other</p><script>
document.getElementById("go").onclick = () => {{ {click} }};
</script>
"""
HORIZON_MS = 4000
"""Far longer than any of the loops needs to show that it is idle."""

IDLE = {
    "frames that do nothing": "const f = () => requestAnimationFrame(f); f()",
    "a fast interval": "setInterval(() => 0, 50)",
    "a slow interval": "setInterval(() => 0, 700)",
    "a caret": "setInterval(() => { spot.style.visibility = spot.style.visibility ? '' : 'hidden' }, 530)",
    "a caret by class": "setInterval(() => spot.classList.toggle('off'), 500)",
    "a box pushed on by frames": (
        "let x = 0; const f = () => { spot.style.transform = `translateX(${++x}px)`; requestAnimationFrame(f) }; f()"
    ),
    "frames that write what is there": (
        "const f = () => { spot.textContent = 'spot'; other.title = 'same'; spot.title = 'same';"
        " requestAnimationFrame(f) }; f()"
    ),
    "frames that only read": "const f = () => { spot.getBoundingClientRect(); requestAnimationFrame(f) }; f()",
}
BUSY = {
    "an interval that counts": "let n = 0; setInterval(() => { spot.textContent = ++n }, 100)",
    "frames that move two boxes": (
        "let x = 0; const f = () => { x++; for (const one of [spot, other]) one.style.left = `${x}px`;"
        " requestAnimationFrame(f) }; f()"
    ),
    "an interval that asks the server": "setInterval(() => fetch('/slow?ms=20'), 200)",
    "a timer that sets itself again, and may wait for something": "const f = () => setTimeout(f, 100); f()",
}


async def settle(page: Page, **given: Any) -> Verdict:
    async with page._settler.armed(parse_options({"horizon_ms": HORIZON_MS, "timeout_ms": 15_000} | given)) as settling:
        await page.evaluate("void document.getElementById('go').click()")
        return await settling.verdict()


async def show(page: Page, site: Site, click: str) -> None:
    await page.goto(site.html("/idle.html", PAGE.format(click=click)))


@pytest.mark.parametrize("name", IDLE)
async def test_an_idle_loop_is_left_out_and_named(page: Page, site: Site, name: str) -> None:
    await show(page, site, f"if (!window.begun) {{ window.begun = 1; {IDLE[name]} }}")
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert verdict.waited_ms < HORIZON_MS, verdict
    assert any(row.kind == "timer" for row in verdict.ignored), verdict


@pytest.mark.serial
async def test_what_is_known_to_be_idle_costs_the_next_wait_nothing(page: Page, site: Site) -> None:
    await show(page, site, "clearInterval(window.at); window.at = setInterval(() => 0, 400)")
    first = await settle(page)
    again = await settle(page)
    assert (first.stable, again.stable) == (True, True)
    assert first.waited_ms > 500 > again.waited_ms, (first, again)
    assert [row.key for row in first.ignored] == [row.key for row in again.ignored]


HEARTBEATS = {
    "a named callback": "(function beat() { setTimeout(beat, 300) })()",
    "an unnamed callback": "const beat = () => setTimeout(() => beat(), 100); beat()",
    "a sleeping loop": "const nap = () => new Promise((done) => setTimeout(done, 200));"
    "(async () => { while (true) await nap() })()",
}


@pytest.mark.parametrize("name", sampled(HEARTBEATS, ("a named callback",)))
async def test_a_timer_of_a_new_document_that_sets_itself_again_is_left_out(page: Page, site: Site, name: str) -> None:
    url = site.html("/beats.html", f"<p>beats</p><script>{HEARTBEATS[name]}</script>")
    async with page._settler.armed(parse_options({"horizon_ms": HORIZON_MS, "timeout_ms": 15_000})) as settling:
        await page.goto(url)
        verdict = await settling.verdict()
    assert verdict.stable, verdict
    assert verdict.waited_ms < HORIZON_MS, verdict
    assert [row.kind for row in verdict.ignored] == ["timer"], verdict


async def test_a_timer_of_a_new_document_that_sets_itself_again_is_awaited_until_it_has_acted(
    page: Page, site: Site
) -> None:
    """Nine rounds, which show nothing before the last one."""
    step = "if (n++ < 8) setTimeout(look, 100); else out.textContent = 'there'"
    look = f"let n = 0; const look = () => {{ {step} }}; look()"
    url = site.html("/looks.html", f"<p id=out></p><script>{look}</script>")
    async with page._settler.armed(parse_options({"horizon_ms": HORIZON_MS, "timeout_ms": 15_000})) as settling:
        await page.goto(url)
        verdict = await settling.verdict()
    assert (verdict.stable, await page.evaluate("out.textContent")) == (True, "there"), verdict


@pytest.mark.parametrize("name", sampled(BUSY, ("an interval that counts",)))
async def test_a_loop_with_an_effect_is_awaited_to_the_horizon(page: Page, site: Site, name: str) -> None:
    await show(page, site, BUSY[name])
    verdict = await settle(page, horizon_ms=1800)
    assert not verdict.stable, verdict
    assert verdict.waited_ms >= 1800


async def test_what_an_idle_loop_does_later_is_reported_and_ends_its_being_idle(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "let n = 0; const f = () => { if (++n === 100) out.textContent = 'late'; requestAnimationFrame(f) }; f()",
    )
    verdict = await settle(page)
    assert verdict.stable
    await page.evaluate(
        "new Promise(done => { const f = () => out.textContent ? done() : requestAnimationFrame(f); f() })"
    )
    again = await settle(page)
    assert any("#out" in row.what for row in again.late), again


async def test_a_finite_animation_by_hand_is_awaited(page: Page, site: Site) -> None:
    """Six hundred milliseconds, like the slow animations of jQuery: one element at a new position each time."""
    await show(
        page,
        site,
        "const from = performance.now(); const i = setInterval(() => { const part = (performance.now() - from) / 600;"
        " spot.style.height = `${part * 100}px`; if (part >= 1) { clearInterval(i); out.textContent = 'open' } }, 13)",
    )
    verdict = await settle(page)
    assert verdict.stable
    assert await page.evaluate("out.textContent") == "open"


async def test_toggling_by_clicks_is_not_blinking(page: Page, site: Site) -> None:
    """Actions toggle one attribute of one element: each toggle is a change of its own."""
    await show(page, site, "spot.toggleAttribute('hidden')")
    for _ in range(5):
        verdict = await settle(page)
        assert (verdict.reason, verdict.ignored) == ("quiet", ()), verdict


LOOKS = """<script>
const look = () => {
  if (window.pressed === 1) { window.pressed = 2; setTimeout(() => { out.textContent = "Moved" }, 120) }
  setTimeout(look, 300)
}
look()
</script>"""
"""A widget that looks at its own state again and again, as sliders do."""


@pytest.mark.parametrize(("click", "shown"), [("window.pressed = 1", "Moved"), ("", "")], ids=["input", "no input"])
@pytest.mark.every_row  # the second one waits for nothing more
async def test_a_loop_that_may_act_on_the_input_comes_round_once(
    page: Page, site: Site, click: str, shown: str
) -> None:
    await page.goto(site.html("/looks.html", PAGE.format(click=click) + LOOKS))
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 1000))")
    verdict = await settle(page)
    assert await page.evaluate("out.textContent") == shown
    assert (verdict.stable, verdict.reason) == (True, "quiet" if shown else "no_effect"), verdict
    assert not any(row.what == "a loop of the page" for row in verdict.pending)


CHECKS = """<form><input name=title><input type=hidden name=section></form><script>
const form = document.forms[0], read = () => new URLSearchParams(new FormData(form)).toString();
let saved = read();
setInterval(() => {
  if (read() === saved) return;
  saved = read();
  setTimeout(() => fetch("/slow?ms=50").then(() => { document.title = "Saved" }), 300);
}, 500);
</script>"""
"""A page that looks at its form each half second, and saves it."""

CHANGES = {
    "typed": "form.title.focus(); document.execCommand('insertText', false, 'x')",
    "hidden": "form.section.value = 'x'",
    "none": "",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.every_row  # the last one waits for nothing more
async def test_a_loop_that_may_save_a_changed_field_comes_round_once(page: Page, site: Site, change: str) -> None:
    click = f"out.textContent = 'Chosen'; {CHANGES[change]}"
    await page.goto(site.html("/checks.html", PAGE.format(click=click) + CHECKS))
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 1000))")
    verdict = await settle(page)
    assert await page.evaluate("document.title") == ("" if change == "none" else "Saved")
    assert verdict.stable
    if change == "none":
        assert verdict.waited_ms < 400
