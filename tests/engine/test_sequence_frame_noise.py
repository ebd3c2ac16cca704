"""What changes by itself in a frame or a shadow tree is left out; nobody asks the frames in which nothing does.

Each click takes several ticks. On a busy machine one of them may come at a time of its own, which has a row.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from shown import change, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click

CLOCK = "<p id=clock>0</p><script>let n = 0; setInterval(() => { clock.textContent = ++n }, 50)</script>"

ROUNDS = 10
GO = '<button id=go onclick="setTimeout(() => { out.textContent = performance.now() }, 250)">Go</button><p id=out></p>'


async def alone_in_one_round(page: Page, learn: Callable[[], Awaitable[object]]) -> None:
    """Click until the click's own change is the only row; raises AssertionError after ROUNDS."""
    for _ in range(ROUNDS):
        await learn()
        state = change(await page.execute_sequence([Click("#go")]))
        assert "#out" in selectors(state.changed)
        if len(state.rows()) == 1:
            return
    raise AssertionError(state)


async def test_a_clock_in_a_frame_is_not_a_change(page: Page, site: Site) -> None:
    site.html("/clock.html", CLOCK)
    frames = '<iframe src="/clock.html"></iframe><iframe srcdoc="<p>still</p>"></iframe>'
    await page.goto(site.html("/it.html", GO + frames))
    (clock, still) = page._tab.frames.main.children.values()

    async def learn() -> None:
        until = int(await clock.evaluate("document.getElementById('clock').textContent")) + 12
        while int(await clock.evaluate("document.getElementById('clock').textContent")) < until:
            await page.evaluate("new Promise(requestAnimationFrame)")

    await alone_in_one_round(page, learn)
    assert [frame for frame in (clock, still) if frame.world() in page._settler._noisy_worlds] == [clock]


async def test_a_clock_that_renders_its_shadow_tree_is_not_a_change(page: Page, site: Site) -> None:
    await page.goto(
        site.html(
            "/it.html",
            GO + "<div id=host></div><script>const root = host.attachShadow({ mode: 'open' }); let n = 0;"
            "setInterval(() => { root.innerHTML = `<div><p>${++n}</p></div>` }, 50)</script>",
        )
    )
    # Rhythms are learned while nobody acts.
    ticks = "new Promise((done) => { const to = n + 12; setInterval(() => n > to && done(0), 10) })"
    await alone_in_one_round(page, lambda: page.evaluate(ticks))
