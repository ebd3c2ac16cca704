"""Two calls on one page wait for each other; calls on two pages do not.

Case W37 of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import asyncio

import pytest

from shown import change, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import SessionUnknown
from stillframe.model.actions import Click, WaitFor


async def test_w37_two_calls_on_one_page_are_serialised(page: Page, site: Site) -> None:
    await page.goto(site.url("/w17-late-render.html"))
    first, second = await asyncio.gather(
        page.execute_sequence([Click("#fetch")]),
        page.execute_sequence([Click("#replace")]),
    )
    # The second began when all that the first had caused was over: neither shows anything of the other.
    assert selectors(change(first).appeared) == ["#rendered"]
    assert change(first).disappeared == ()
    assert selectors(change(second).appeared) == ["#new-row"]
    assert selectors(change(second).disappeared) == ["#old-row"]


async def test_w37_a_cancelled_call_lets_the_next_one_in(page: Page, site: Site) -> None:
    await page.goto(site.url("/w17-late-render.html"))
    waiting = asyncio.create_task(page.execute_sequence([WaitFor(selector="#never")], action_timeout_ms=60_000))
    queued = asyncio.create_task(page.execute_sequence([Click("#replace")]))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert selectors(change(await queued).appeared) == ["#new-row"]


async def test_w37_an_unknown_session_is_an_error(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    with pytest.raises(SessionUnknown, match="does not belong to session 'nobody'") as caught:
        await page.execute_sequence([Click("#first")], sessionId="nobody")
    assert caught.value.session_id == "nobody"
    assert await page.evaluate("document.getElementById('first-done')") is None


async def test_w37_a_page_answers_to_its_own_id(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence([Click("#first")], sessionId=page.target_id)
    assert selectors(change(result).appeared) == ["#first-done"]


@pytest.mark.desktop
async def test_w37_two_pages_run_side_by_side(page: Page, site: Site) -> None:
    waits = "<script>fetch('/gate/w37').then(() => document.body.insertAdjacentHTML('beforeend', '<p id=in>'))</script>"
    await page.goto(site.html("/waits.html", waits))
    held = asyncio.create_task(
        page.execute_sequence([WaitFor(selector="#in", state="attached")], action_timeout_ms=20_000)
    )
    async with await page.context.new_page() as other:
        await other.goto(site.url("/w03-three-buttons.html"))
        result = await other.execute_sequence([Click("#first")])
        # The first is still waiting for its gate: the second did not wait for the first.
        assert not held.done()
        assert selectors(change(result).appeared) == ["#first-done"]
        site.open("w37")
        assert (await held).failed is None
