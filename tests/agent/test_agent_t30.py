"""T30: every key of `Limits` changes what happens, and those that end a run name themselves.

T30 is a case of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import msgspec
import pytest
from limit_scenarios import COUNT, ENDINGS, SCENARIOS
from scripted import commands, done, run

from site_server import Site
from stillframe.agent.events import RunEnded
from stillframe.agent.limits import Limits
from stillframe.api.browser import Page

KEYS = [field.name for field in msgspec.structs.fields(Limits)]


@pytest.mark.every_row
@pytest.mark.parametrize("key", KEYS)
async def test_t30_every_limit_changes_what_happens(page: Page, site: Site, key: str) -> None:
    scenario = SCENARIOS.get(key)
    assert scenario is not None, f"limits.{key} has no scenario: show in limit_scenarios.py what it changes"
    observed = []
    for value in scenario.values:
        await page.goto(site.url(f"/agent/{scenario.page}"))
        observed.append(await scenario.observe(page, Limits(**{key: value})))
    assert tuple(observed) == scenario.expected
    assert observed[0] != observed[1]


def test_t30_no_scenario_is_of_a_key_that_is_gone() -> None:
    assert sorted(SCENARIOS) == sorted(KEYS)
    assert set(ENDINGS) <= set(KEYS)


@pytest.mark.parametrize("key", ENDINGS)
async def test_t30_a_limit_ends_the_run_with_its_key_and_what_was_achieved(page: Page, site: Site, key: str) -> None:
    await page.goto(site.url("/agent/form.html"))
    ends = ENDINGS[key]
    first = commands(COUNT, memoryUpdate={"clicks": 1}, experiences=["the count works"])
    ran = await run(page, first, ends.then, limits=Limits(**{key: ends.value}))
    outcome = ran.outcome
    assert outcome.status == ends.status
    assert key in outcome.reason
    assert ran.model.calls >= 2
    assert [step.status for step in outcome.steps] == [ends.status]
    assert outcome.extracted == {"clicks": 1}
    assert outcome.experiences == ("the count works",)
    assert outcome.script is not None
    assert [len(step.actions) for step in outcome.script.steps] == [1]
    assert outcome.script.steps[0].error == outcome.reason
    assert await page.locator("#clicks").text() == "1"


async def test_t30_a_command_does_not_outlast_the_time_of_the_run(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, commands({"action": "navigate", "url": site.url("/hang")}), done(), limits=Limits(timeout=2))
    assert ran.outcome.reason.startswith("timeout: 2 s")
    assert ran.turns[0].commands[0].result == "failed"
    assert sum(event.duration_ms for event in ran.of(RunEnded)) < 15_000, "the limit of a command is 30 s"
