"""What a change by itself takes out of the rows."""

from __future__ import annotations

import pytest

from sampling import sampled
from shown import selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.core import Snapshot
from stillframe.engine.delta import state_change
from stillframe.tab.refs import NodeKey

ADS = """
<div id=ads></div><p id=line>before</p>
<script>
  turn = (html) => new Promise((resolve) => {
    ads.innerHTML = html;
    document.querySelector("iframe").onload = () => resolve(true);
  });
</script>
"""


FRAME = "<iframe srcdoc='{}'></iframe>"


@pytest.mark.parametrize("frame", sampled((FRAME, f"<p>Look:{FRAME}</p>"), (f"<p>Look:{FRAME}</p>",)))
async def test_frames_that_a_ticker_turns_take_their_rows_along(page: Page, site: Site, frame: str) -> None:
    await page.goto(site.html("/ads", ADS))
    before = await turned(page, frame.format("<h1>Shoes</h1>"))
    await page.evaluate("line.insertAdjacentHTML('afterend', '<p id=went>Went</p>'); 0")
    after = await turned(page, frame.format("<h1>Boats</h1><p>and oars</p>"))
    all_of_it = state_change(before, after, page._tab.refs, 12, ())
    assert all_of_it is not None
    inside = [row for row in selectors(all_of_it.appeared) if row.startswith("frame=")]
    assert (len(inside), len(all_of_it.disappeared)) == (2, 2)
    state = state_change(before, after, page._tab.refs, 12, (), [ticker(before)])
    assert state is not None
    assert selectors(state.appeared) == ["#went"]
    assert (state.disappeared, state.changed) == ((), ())


async def turned(page: Page, html: str) -> Snapshot:
    """The page with this in the place for advertisements, its frame loaded."""
    await page.evaluate(f"turn({html!r})")
    return await page.snapshot()


def ticker(snapshot: Snapshot) -> NodeKey:
    (row,) = [row for row in snapshot.rows(50) if row.selector == "#ads"]
    return NodeKey(row.frame, row.backend_node_id)
