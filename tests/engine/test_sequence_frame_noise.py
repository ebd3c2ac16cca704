"""What changes by itself in a frame is left out of the delta; nobody asks the frames in which nothing does."""

from __future__ import annotations

from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click

CLOCK = "<p id=clock>0</p><script>let n = 0; setInterval(() => { clock.textContent = ++n }, 50)</script>"


async def test_a_clock_in_a_frame_is_no_change(page: Page, site: Site) -> None:
    site.html("/clock.html", CLOCK)
    await page.goto(
        site.html(
            "/it.html",
            "<button id=go onclick=\"setTimeout(() => { out.textContent = 'done' }, 250)\">Go</button><p id=out></p>"
            '<iframe src="/clock.html"></iframe><iframe srcdoc="<p>still</p>"></iframe>',
        )
    )
    (clock, still) = page._tab.frames.main.children.values()
    while int(await clock.evaluate("document.getElementById('clock').textContent")) < 12:
        await page.evaluate("new Promise(requestAnimationFrame)")
    result = await page.execute_sequence([Click("#go")])
    assert result.stable, result
    assert result.state_change is not None
    assert [(row.field, row.to) for row in result.state_change.changed] == [("textContent", "done")]
    assert [frame for frame in (clock, still) if frame.world() in page._settler._noisy_worlds] == [clock]
