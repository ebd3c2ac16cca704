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


@pytest.mark.parametrize(
    "above", sampled(("", "<section>{}</section>", "<div><div>{}</div></div>"), ("<section>{}</section>",))
)
async def test_what_a_ticker_renders_again_has_no_rows_at_any_depth(page: Page, site: Site, above: str) -> None:
    made = (above or "{}").format("<p>t={}</p>")
    await page.goto(site.html("/clock", f"<div id=ads>{made.format(1)}</div><div id=by><p>old</p></div>"))
    before = await page.snapshot()
    await page.evaluate(f"ads.innerHTML = {made.format(2)!r}; by.innerHTML = '<p>new</p>'; 0")
    state = state_change(before, await page.snapshot(), page._tab.refs, 12, (), [ticker(before)])
    assert state is not None
    assert [row.text for row in state.appeared] + [row.to for row in state.changed] == ["new"]


async def test_what_an_action_renders_again_in_a_ticker_has_a_row(page: Page, site: Site) -> None:
    await page.goto(site.html("/clock", "<div id=ads><i>1</i><section id=in><p>old</p></section></div>"))
    before = await page.snapshot()
    await page.evaluate("document.getElementById('in').innerHTML = '<p>new</p>'; 0")
    state = state_change(before, await page.snapshot(), page._tab.refs, 12, (), [ticker(before)])
    assert state is not None
    assert [row.text for row in state.appeared] + [row.to for row in state.changed] == ["new"]


async def turned(page: Page, html: str) -> Snapshot:
    """The page with this in the place for advertisements, its frame loaded."""
    await page.evaluate(f"turn({html!r})")
    return await page.snapshot()


def ticker(snapshot: Snapshot) -> NodeKey:
    (row,) = [row for row in snapshot.rows(50) if row.selector == "#ads"]
    return NodeKey(row.frame, row.backend_node_id)
