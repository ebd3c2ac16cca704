"""T30: every key of `Limits` changes what happens, and those that end a run name themselves.

T30 is a case of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from limit_scenarios import COUNT, ENDINGS, SCENARIOS
from scripted import commands, done, run

from site_server import Site
from stillframe.agent.events import RunEnded
from stillframe.agent.limits import Limits
from stillframe.api.browser import Page

KEYS = [field.name for field in msgspec.structs.fields(Limits)]
SHOWN = {
    "max_total_iterations": "test_t03_the_51st_turn_of_a_run_does_not_begin",
    "max_iterations_per_step": "test_t05_the_ninth_turn_of_a_step_does_not_begin",
    "max_tool_calls_per_iteration": "test_t05_the_sixth_tool_call_of_a_turn_is_cut",
    "max_idle_iterations": "test_replies_that_only_go_on_are_a_loop",
    "max_tool_rounds": "test_t25_three_rounds_of_tools_alone_end_the_step",
    "max_commands_per_iteration": "test_t05_the_sixth_command_of_a_turn_is_cut",
    "max_consecutive_iteration_failures": "test_t06_failures_in_a_row_warn_once_and_then_end_the_step",
    "max_consecutive_step_failures": "test_t08_steps_that_fail_in_a_row_end_the_run",
    "max_screenshots_per_step": "test_t24_screenshots_are_limited_only_if_asked",
    "max_invalid_replies": "test_unusable_replies_for_ever_end_the_step_and_keep_what_was_achieved",
    "model_timeout": "test_t07_a_model_that_never_replies_ends_the_run",
    "allowed_domains": "test_t04_no_document_of_another_host_is_loaded",
    "max_experiences": "test_t13_lessons_are_merged_and_the_oldest_dropped",
    "max_history_size": "test_t17_of_101_turns_the_oldest_is_forgotten_and_a_query_finds_the_others",
    "max_explorations_per_iteration": "test_t09_the_fourth_exploration_of_a_turn_is_refused",
    "max_exploration_steps": "test_explorations_are_counted",
    "exploration_timeout": "test_a_missing_target_fails_in_its_time",
    "forbidden_targets": "test_forbidden_targets_are_a_limit",
}
"""Keys that another test always shows: their rows run in `make test-all`. A new key runs here until it is listed."""
ALONE = tuple(key for key in KEYS if key not in SHOWN)
"""The keys that only this shows, on one page."""


@pytest.mark.every_row
@pytest.mark.parametrize(
    "keys", [ALONE, *(pytest.param((key,), marks=pytest.mark.slow) for key in SHOWN)], ids=",".join
)
async def test_t30_every_limit_changes_what_happens(page: Page, site: Site, keys: tuple[str, ...]) -> None:
    unknown = [key for key in keys if key not in SCENARIOS]
    assert unknown == [], f"limits.{unknown} have no scenario: show in limit_scenarios.py what they change"
    seen = {}
    for key in keys:
        scenario, observed = SCENARIOS[key], []
        for value in scenario.values:
            await page.goto(site.url(f"/agent/{scenario.page}"))
            observed.append(await scenario.observe(page, Limits(**{key: value})))
        seen[key] = tuple(observed)
    assert seen == {key: SCENARIOS[key].expected for key in keys}
    assert [key for key, (one, other) in seen.items() if one == other] == []


def test_t30_no_scenario_is_of_a_key_that_is_gone() -> None:
    assert sorted(SCENARIOS) == sorted(KEYS)
    assert set(SHOWN) <= set(KEYS)
    assert set(ENDINGS) <= set(KEYS)


def test_t30_what_shows_a_key_elsewhere_always_runs() -> None:
    room = "\n\n".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    for name in SHOWN.values():
        before, found, _ = room.partition(f"\nasync def {name}(")
        assert found, name
        assert "mark.slow" not in before.rpartition("\n\n")[2], name


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
    ran = await run(page, commands({"action": "navigate", "url": site.url("/hang")}), done(), limits=Limits(timeout=1))
    assert ran.outcome.reason.startswith("timeout: 1 s")
    assert ran.turns[0].commands[0].result == "failed"
    assert sum(event.duration_ms for event in ran.of(RunEnded)) < 15_000, "the limit of a command is 30 s"
