"""How often a sequence captures its page: the state after one is the state before the next."""

from __future__ import annotations

import pytest

from sampling import sampled
from shown import change, fields
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click
from stillframe.model.options import Observe
from stillframe.model.result import CaptureCounts, SequenceResult

COUNTER = """
<p id=count>0</p><button id=more onclick="count.textContent = +count.textContent + 1">more</button>
<button id=nothing>nothing</button>
"""


async def step(page: Page, selector: str) -> tuple[SequenceResult, CaptureCounts]:
    result = await page.execute_sequence([Click(selector)], verbose=True)
    assert result.captures is not None
    return result, result.captures


@pytest.mark.parametrize("observe", sampled(("dom", "calls"), ("calls",)))
async def test_each_step_is_captured_once(page: Page, site: Site, observe: Observe) -> None:
    await page.goto(site.html("/counter", COUNTER))
    for number in range(6):
        result = await page.execute_sequence([Click("#more")], verbose=True, observe=observe)
        assert fields(change(result).changed) == {("#count", "textContent", str(number), str(number + 1))}
        captures = result.captures
        assert captures is not None
        assert captures.taken + captures.reused == 2
    # Garbage that is collected in between may cost one more.
    assert page.captures.taken <= 6 + 1 + 2
    assert page.captures.reused >= 3


async def test_what_happens_between_two_sequences_is_in_neither(page: Page, site: Site) -> None:
    await page.goto(site.html("/counter", COUNTER))
    await step(page, "#more")
    await page.evaluate("count.textContent = 40; document.styleSheets.length")
    result, _ = await step(page, "#more")
    assert fields(change(result).changed) == {("#count", "textContent", "40", "41")}


async def test_an_action_without_effect_changes_no_snapshot(page: Page, site: Site) -> None:
    await page.goto(site.html("/counter", COUNTER))
    await step(page, "#nothing")
    before = await page.snapshot()
    result, captures = await step(page, "#nothing")
    assert result.state_change is None
    assert captures.taken <= 2
    assert await page.snapshot() is before


async def test_what_was_captured_is_reported_only_if_asked_for(page: Page, site: Site) -> None:
    await page.goto(site.html("/counter", COUNTER))
    assert (await page.execute_sequence([Click("#more")])).captures is None
    result, captures = await step(page, "#more")
    assert result.to_dict()["captures"] == {"taken": captures.taken, "reused": captures.reused, "bytes": captures.bytes}
    assert captures.bytes > 1000
    assert b"captures" not in result.to_json(measured=False)
