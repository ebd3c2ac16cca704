"""Running a script without a model: exactly, verified, and never on another element."""

from __future__ import annotations

import msgspec
import pytest
from script_makers import SHOP, SHORT_MS, log_of, made

from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, SetValue
from stillframe.scripts.finding import find
from stillframe.scripts.flexibility import tolerance
from stillframe.scripts.replay import Playback, replay
from stillframe.scripts.script import Script, ScriptAction, ScriptStep, ScriptTarget
from stillframe.scripts.targets import ref_of

STEPS = {"Fill in": [SetValue("#who", "Ann"), Click("#save")], "Add": [Click("ul button >> nth=1")]}
MINT = "<li><span>Fresh mint leaves</span> <button onclick=\"log.textContent += 'mint '\">Add</button></li>"


@pytest.mark.slow  # T19 has this, and the test below both ways to replay
async def test_a_script_runs_again(page: Page, site: Site) -> None:
    script = await made(page, site, STEPS)

    for verify in (True, False):
        report = await replay(page, script, verify=verify)

        assert report.ok
        assert [step.completed for step in report.steps] == [2, 1]
        assert await log_of(page) == "name=Ann save black"


async def test_it_stops_at_the_first_step_that_fails(page: Page, site: Site) -> None:
    script = await made(page, site, STEPS)
    site.html("/shop", SHOP.replace("Save order", "Keep"))

    for verify, again in ((True, 1), (False, 0)):
        report = await replay(page, script, verify=verify, deflake_runs=again, action_timeout_ms=SHORT_MS)

        assert (report.failed_step, report.failed_action, report.deflake_runs) == (0, 1, again)
        assert [step.result for step in report.steps] == ["failed", "not_run"]
        assert report.steps[0].code == "element_not_found"
        assert await log_of(page) in ("", "name=Ann")


async def test_a_selector_that_means_another_element_now_is_not_followed(page: Page, site: Site) -> None:
    script = await made(page, site, {"Add": [Click("ul button >> nth=1")]})
    black = SHOP.index("<li><span>Black"), SHOP.index("<li><span>Fresh")
    site.html("/shop", SHOP[: black[0]] + SHOP[black[1] :])

    report = await replay(page, script, action_timeout_ms=SHORT_MS)

    assert report.failed_action == 0
    assert 'now means button "Add"' in report.failure
    assert await log_of(page) == ""


async def test_another_selector_of_the_same_element_counts(page: Page, site: Site) -> None:
    script = with_selectors(await made(page, site, {"Save": [Click("#save")]}), "#gone", "[", "#save")

    report = await replay(page, script, action_timeout_ms=SHORT_MS)

    assert report.ok
    assert await log_of(page) == "save"


async def test_another_selector_never_means_another_element(page: Page, site: Site) -> None:
    script = with_selectors(await made(page, site, {"Save": [Click("#save")]}), "#gone", "#who")

    report = await replay(page, script, action_timeout_ms=SHORT_MS)

    assert (report.failed_action, report.steps[0].code) == (0, "element_not_found")
    assert "#gone" in report.failure


async def test_a_repair_says_which_selector_took_the_place_of_the_first(page: Page, site: Site) -> None:
    script = with_selectors(await made(page, site, {"Save": [Click("#save")]}), "#gone", "#save")
    playback = Playback(page, script, allowed=tolerance(1), action_timeout_ms=SHORT_MS)

    report = await playback.run()

    (found,) = report.healed
    assert (found.selector, found.score, found.same_role_and_name) == ("#gone", 1.0, True)
    assert playback.script.steps[0].actions[0].action["selector"] == found.new_selector


async def test_a_selector_that_nothing_verifies_does_not_forestall_a_late_element(page: Page, site: Site) -> None:
    await page.goto(site.html("/late", '<p id="early">early</p>'))
    await page.evaluate("setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id=late>late</p>'), 200)")
    target = ScriptTarget(selectors=("#early",))

    late = await find(page, "#late", target, timeout_ms=10_000)
    early = await find(page, "#gone", target, timeout_ms=0)

    refs = [ref_of(page, each.snapshot, each.place) for each in (late, early)]
    assert [await page.locator(ref).attribute("id") for ref in refs] == ["late", "early"]


def with_selectors(script: Script, *selectors: str) -> Script:
    """Return a script of one action with other selectors, best first."""
    first, *others = selectors
    (action,) = script.steps[0].actions
    plain = {**action.action, "selector": first}
    action = msgspec.structs.replace(action, action=plain, selectors=tuple(others))
    step = msgspec.structs.replace(script.steps[0], actions=(action,))
    return msgspec.structs.replace(script, steps=(step,))


async def test_a_row_that_moved_is_not_taken_for_its_successor(page: Page, site: Site) -> None:
    script = await made(page, site, {"Add": [Click("ul button >> nth=1")]})
    site.html("/shop", SHOP.replace(MINT, "").replace("<ul>", f"<ul>{MINT}"))

    report = await replay(page, script, action_timeout_ms=SHORT_MS)

    assert not report.ok
    assert await log_of(page) == ""


async def test_a_check_that_does_not_hold_fails_its_step(page: Page, site: Site) -> None:
    script = await made(page, site, {"Add": [Click("#save")]})
    step = msgspec.structs.replace(script.steps[0], check={"text": "Thank you"})
    script = msgspec.structs.replace(script, steps=(step,))

    report = await replay(page, script, action_timeout_ms=SHORT_MS)

    assert (report.failed_step, report.failed_action, report.steps[0].completed) == (0, None, 1)
    assert report.steps[0].code == "wait_timeout"


@pytest.mark.slow  # T19 skips a step that failed
async def test_failed_and_skipped_steps_do_not_run(page: Page, site: Site) -> None:
    url = site.html("/shop", SHOP)
    click = ScriptAction(action={"action": "click_element", "selector": "#save"})
    steps = [ScriptStep(goal="a", status=status, actions=(click,)) for status in ("failed", "skipped", "complete")]

    report = await replay(page, Script(name="a", goal="a", url=url, steps=tuple(steps)))

    assert [step.result for step in report.steps] == ["skipped", "skipped", "ok"]
    assert await log_of(page) == "save"


async def test_a_page_that_does_not_load_is_a_report(page: Page) -> None:
    report = await replay(page, Script(name="a", goal="a", url="http://127.0.0.1:9/", steps=(ScriptStep(goal="a"),)))

    assert (report.ok, report.started, report.failed_step, report.failed_action) == (False, False, 0, None)
    assert report.steps[0].code == "navigation_failed"


async def test_the_caller_resets_the_page(page: Page, site: Site) -> None:
    script = await made(page, site, {"Save": [Click("#save")]})
    resets = []

    async def reset() -> None:
        resets.append(page.url)
        await page.goto(script.url)

    assert (await replay(page, script, reset=reset)).ok
    assert len(resets) == 1
