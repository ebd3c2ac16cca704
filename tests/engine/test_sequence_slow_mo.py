"""The option `slow_mo`: a wait before each action, which no limit counts."""

from __future__ import annotations

import msgspec
import pytest

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.engine import sequence
from stillframe.engine.plan import make_plan
from stillframe.model.actions import Click, SetValue
from stillframe.model.options import parse_options
from stillframe.tab.context.browser_options import split_browser_options

FORM = "<input id=name><button onclick='this.textContent = document.querySelector(\"input\").value'>Go</button>"


@pytest.fixture
def waits(page: Page, monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, str]]:
    """The waits of sequences: the seconds, and what the button says then."""
    found: list[tuple[float, str]] = []

    async def wait(seconds: float) -> None:
        found.append((seconds, await page.evaluate("document.querySelector('input').value")))

    monkeypatch.setattr(sequence, "sleep", wait)
    return found


def slow(page: Page, monkeypatch: pytest.MonkeyPatch, slow_mo: float) -> None:
    """Give the context of a shared page the option for the time of a test."""
    state = page.context._state
    monkeypatch.setattr(state, "options", msgspec.structs.replace(state.options, slow_mo=slow_mo))


@pytest.mark.desktop
async def test_each_action_waits_before_it_acts(
    page: Page, site: Site, waits: list[tuple[float, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    await page.goto(site.html("/slow", FORM))
    slow(page, monkeypatch, 200)
    result = await page.execute_sequence([SetValue("#name", "Ann"), Click("button")], verbose=True)
    assert result.completed == 2
    assert waits == [(0.2, ""), (0.2, "Ann")]


@pytest.mark.desktop
async def test_the_limits_of_a_sequence_do_not_count_it(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await page.goto(site.html("/slow", FORM))
    plan = [Click("button")] * 3
    options = parse_options({"action_timeout_ms": 500, "timeout_ms": 1000})
    plain = make_plan(page._tab, plan, options).limit_s
    slow(page, monkeypatch, 60_000)
    assert make_plan(page._tab, plan, options).limit_s == plain + 2 * 60


@pytest.mark.desktop
async def test_without_it_nothing_waits(page: Page, site: Site, waits: list[tuple[float, str]]) -> None:
    await page.goto(site.html("/slow", FORM))
    await page.click("button")
    assert waits == []


async def test_a_context_has_that_of_its_browser_unless_it_has_its_own(browser: Browser) -> None:
    assert split_browser_options({"slow_mo": 50}).context == {"slow_mo": 50}
    async with await browser.new_context(slow_mo=50) as context:
        assert context.options.slow_mo == 50
