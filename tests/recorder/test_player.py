"""A recording plays from its own URL; what it expects has to come, and elements are found again if they are to be."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import NavigationFailed
from stillframe.recorder import player
from stillframe.recorder.recording import Recording, parse_recording
from stillframe.scripts.replay import Playback

BUY = """<button id=buy onclick="this.after('Bought')">Buy</button>"""
ASK = """<button id=ask onclick="
out.textContent = confirm('Sure?') + ' ' + prompt('Name?') + ' ' + confirm('Again?')">Ask</button>
<p id=out></p>"""


def recording(url: str, selector: str, **more: object) -> Recording:
    value = {"url": url, "actions": [{"action": "click_element", "selector": selector}], **more}
    return parse_recording(msgspec.json.encode(value).decode())


async def test_it_begins_at_its_url_in_its_size(page: Page, site: Site) -> None:
    url = site.html("/buy", BUY)
    result = await player.play(
        page, recording(url, "#buy", viewport={"width": 700, "height": 500}, expect={"text": "Bought"})
    )
    assert result.failed is None
    assert page.url == url
    assert await page.evaluate("innerWidth") == 700


async def test_it_begins_at_another_url_if_one_is_given(page: Page, site: Site) -> None:
    other = site.html("/other", BUY)
    assert (await player.play(page, recording("http://127.0.0.1:9/", "#buy"), url=other)).failed is None
    with pytest.raises(NavigationFailed):
        await player.play(page, recording("http://127.0.0.1:9/", "#buy"))


async def test_an_expectation_that_does_not_come_true_is_a_failure(page: Page, site: Site) -> None:
    sold = recording(site.html("/buy", BUY), "#buy", expect={"text": "Sold"})
    result = await player.play(page, sold, action_timeout_ms=100)
    assert result.failed is not None
    assert (result.failed.index, result.failed.action) == (1, "wait_for")


async def test_dialogs_are_answered_as_they_were_and_later_ones_as_the_context_says(page: Page, site: Site) -> None:
    asked = recording(site.html("/ask", ASK), "#ask", dialogs=[True, "Bob"])
    policy = page._tab.dialogs.policy
    assert (await player.play(page, asked)).failed is None
    assert await page.evaluate("out.textContent") == "true Bob false"
    assert page._tab.dialogs.policy is policy


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `heal` wait for 0.3 s for what is not there."""
    monkeypatch.setattr(player, "Playback", partial(Playback, action_timeout_ms=300))


@pytest.mark.usefixtures("impatient")
async def test_an_alternative_is_tried_before_likeness(page: Page, site: Site) -> None:
    moved = recording(
        site.html("/buy", BUY),
        "#order",
        targets=[{"selectors": ["#gone", 'role=button[name="Buy"]']}],
        expect={"text": "Bought"},
    )
    assert (await player.play(page, moved, action_timeout_ms=100)).failed is not None
    assert (await player.heal(page, moved)).ok


@pytest.mark.usefixtures("impatient")
async def test_what_cannot_be_found_again_is_in_the_report(page: Page, site: Site) -> None:
    report = await player.heal(page, recording(site.html("/buy", BUY), "#nowhere"))
    assert (report.ok, report.failed_action) == (False, 0)
    assert "Element not found: #nowhere" in report.failure
