"""Repairs: exactly first, then deflaked, then by likeness, and a model last."""

from __future__ import annotations

import asyncio
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic_ai.models.function import FunctionModel
from script_makers import SHOP, SHORT_MS, Replies, change, log_of, made

from sampling import sampled
from site_server import Site
from stillframe.agent.limits import Limits
from stillframe.agent.script_repair import RepairReport, repair
from stillframe.api.browser import Page
from stillframe.errors import OptionInvalid
from stillframe.model.actions import Click, SetValue
from stillframe.scripts.flexibility import TOLERANCES
from stillframe.scripts.script import Script, parse_script, save_script

STEPS = {"Fill in": [SetValue("#who", "Ann")], "Save": [Click("#save")], "Add": [Click("ul button >> nth=1")]}
SAVE = {"Save": [Click("#save")]}
RENAMED = SHOP.replace("Save order", "Save the order")
WHOLLY_RENAMED = SHOP.replace("Save order", "Submit")
DONE = "name=Ann save black"
NOTHING_PRESSED = ("", "name=Ann")
"""A field tells that it changed once another element is used."""


async def repaired(page: Page, script: Script, replies: Replies | None = None, **options: object) -> RepairReport:
    given = {"deflake_runs": 0, "action_timeout_ms": SHORT_MS, **options}
    return await repair(page, script, replies and replies.model, **given)  # type: ignore[arg-type]


@pytest.mark.slow  # T22 repairs nothing either
async def test_a_script_that_runs_is_not_repaired(page: Page, site: Site) -> None:
    script = await made(page, site, SAVE)

    report = await repaired(page, script)

    assert (report.run_status, report.repair_status, report.updated_script) == ("success", "none", None)
    assert report.diff() == ""


async def test_t21_one_renamed_control_changes_only_its_step(page: Page, site: Site, tmp_path: Path) -> None:
    script = await made(page, site, STEPS)
    site.html("/shop", RENAMED)

    report = await repaired(page, script, flexibility=5)

    assert (report.run_status, report.repair_status, report.num_deflake_runs) == ("failed", "success", 0)
    assert report.repair_confidence >= 3
    assert await log_of(page) == DONE
    updated = report.updated_script
    assert updated is not None
    assert updated.advice == report.repair_advice
    assert 'button "Save order" is now button "Save the order"' in updated.advice
    assert updated.confidence == report.repair_confidence
    assert [old == new for old, new in zip(script.steps, updated.steps, strict=True)] == [True, False, True]
    (found,) = report.repairs
    assert (found.level, found.step, found.action) == ("likeness", 1, 0)

    save_script(tmp_path / "shop.json", script)
    (tmp_path / "change.patch").write_text(report.diff("shop.json"))
    await asyncio.to_thread(subprocess.run, ["patch", "-p1", "-i", "change.patch"], cwd=tmp_path, check=True)
    assert parse_script((tmp_path / "shop.json").read_text()) == updated


async def test_a_new_id_and_a_new_place_are_certain(page: Page, site: Site) -> None:
    script = await made(page, site, STEPS)
    moved = SHOP.replace("<ul>", "<div><ul>").replace("</ul>", "</ul></div>").replace("id=save", "id=x1")
    black, mint = SHOP.index("<li><span>Black"), SHOP.index("<li><span>Fresh")
    site.html("/shop", moved.replace(SHOP[black:mint], "").replace("<ul>", "<ul>" + SHOP[black:mint]))

    report = await repaired(page, script)

    assert (report.repair_status, report.repair_confidence) == ("success", 5)
    assert await log_of(page) == DONE


@pytest.mark.slow  # test_agent_t16_t30.py has this case
async def test_t22_a_flaky_run_is_repeated_and_not_repaired(page: Page, site: Site) -> None:
    script = await made(page, site, STEPS)
    runs = []

    async def reset() -> None:
        runs.append(site.html("/shop", SHOP if runs else RENAMED))
        await page.goto(script.url, settle=True)

    report = await repaired(page, script, reset=reset, deflake_runs=2)

    assert (report.run_status, report.repair_status, report.num_deflake_runs) == ("success", "none", 1)
    assert report.updated_script is None
    assert len(runs) == 2


async def test_flexibility_0_repairs_nothing(page: Page, site: Site) -> None:
    script = await made(page, site, SAVE)
    site.html("/shop", RENAMED)
    replies = Replies()

    report = await repaired(page, script, replies, flexibility=0)

    assert (report.repair_status, report.repair_confidence, replies.prompts) == ("failed", 0, [])
    assert "Save order" in report.failure


@pytest.mark.every_row
@pytest.mark.parametrize(("level", "status"), sampled([(1, "failed"), (5, "success")], keep=[(1, "failed")]))
async def test_flexibility_says_how_much_may_change(page: Page, site: Site, level: int, status: str) -> None:
    """T21 above repairs this with level 5."""
    script = await made(page, site, SAVE)
    site.html("/shop", RENAMED)

    assert (await repaired(page, script, flexibility=level)).repair_status == status


def test_each_level_of_flexibility_allows_more() -> None:
    levels = [level for level in TOLERANCES.values() if level is not None]

    assert len({*levels}) == 5
    for less, more in pairwise(levels):
        assert less.changed <= more.changed
        assert less.min_score >= more.min_score
        assert less.min_margin >= more.min_margin
        assert less.model_changes < more.model_changes


async def test_a_neighbour_is_never_taken_for_what_is_gone(page: Page, site: Site) -> None:
    script = await made(page, site, SAVE)
    start, end = SHOP.index("<button id=save"), SHOP.index("<button id=drop")
    site.html("/shop", SHOP[:start] + SHOP[end:])

    report = await repaired(page, script, flexibility=5)

    assert report.repair_status == "failed"
    assert await log_of(page) in NOTHING_PRESSED


@pytest.mark.parametrize(
    ("made_clickable", "more", "status"),
    [(False, "", "failed"), (False, " [clickable]", "failed"), (True, "", "success")],
)
async def test_a_button_is_never_taken_for_a_heading_of_its_words(
    page: Page, site: Site, made_clickable: bool, more: str, status: str
) -> None:
    form = "<main><h1>Welcome</h1><form onsubmit='return false'><input aria-label=Name>{}</form><p id=log></p></main>"
    button = "<button id=in class=go onclick=\"log.textContent='in'\">Log in</button>"
    handler = "onclick=\"log.textContent='in'\" style=cursor:pointer" if made_clickable else ""
    script = await made(page, site, {"Log in": [Click("#in")]}, form.format(button))
    site.html("/shop", form.format(f"<h2 class=go {handler}>Log in{more}</h2>"))

    report = await repaired(page, script, flexibility=5)

    assert report.repair_status == status


async def test_a_model_modifies_what_likeness_cannot_find(page: Page, site: Site) -> None:
    script = await made(page, site, STEPS)
    site.html("/shop", WHOLLY_RENAMED)
    replies = Replies(change("modify", 0, action="click", selector="text=Submit"))

    report = await repaired(page, script, replies)

    assert (report.run_status, report.repair_status, report.repair_confidence) == ("failed", "success", 4)
    assert await log_of(page) == DONE
    assert report.usage.calls == 1
    assert report.updated_script is not None
    assert report.updated_script.steps[1].actions[0].action["selector"] == 'role=button[name="Submit"]'
    assert "The page has changed." in report.repair_advice
    (prompt,) = replies.prompts
    assert prompt.index("Step 2 of 3: Save") < prompt.index("<<page")
    assert prompt.index("0: FAILED") > prompt.index("<<page")


BANNER = (
    "<dialog open id=ad style='position:fixed;inset:0;width:100%;height:100%;margin:0'><button onclick='ad.remove()'>"
)


@pytest.mark.slow  # test_agent_t16_t30.py has this case
async def test_t23_a_step_gets_another_action(page: Page, site: Site) -> None:
    script = await made(page, site, SAVE)
    site.html("/shop", f"{SHOP}{BANNER}Close the advert</button></dialog>")
    replies = Replies(change("insert", 0, action="click", selector="text=Close the advert"))

    report = await repaired(page, script, replies)

    assert report.repair_status == "success"
    assert report.updated_script is not None
    assert [each.target for each in report.updated_script.steps[0].actions] == [
        'button "Close the advert"',
        'button "Save order"',
    ]
    assert [(each.level, each.kind) for each in report.repairs] == [("model", "insert")]


@pytest.mark.slow  # test_agent_t16_t30.py has this case
async def test_t23_a_step_loses_an_action(page: Page, site: Site) -> None:
    with_cookies = f"<button id=ok onclick='this.remove()'>Accept all</button>{SHOP}"
    script = await made(page, site, {"Save": [Click("#ok"), Click("#save")]}, with_cookies)
    site.html("/shop", SHOP)

    report = await repaired(page, script, Replies(change("remove", 0)))

    assert report.repair_status == "success"
    assert report.updated_script is not None
    assert [each.target for each in report.updated_script.steps[0].actions] == ['button "Save order"']


async def test_a_proposal_that_does_not_help_is_taken_back(page: Page, site: Site) -> None:
    script = await made(page, site, SAVE)
    site.html("/shop", WHOLLY_RENAMED)
    wrong = change("modify", 0, action="click", selector="#nowhere")
    replies = Replies(wrong, wrong, wrong)

    report = await repaired(page, script, replies, attempts=2)

    assert (report.repair_status, report.updated_script, report.repairs) == ("failed", None, ())
    assert len(replies.prompts) == 2
    assert "tried without success: modify action 1" in replies.prompts[1]
    assert "without success" in report.repair_advice


async def test_a_script_that_gets_further_is_repaired_in_part(page: Page, site: Site) -> None:
    script = await made(page, site, {**SAVE, "Add": STEPS["Add"]})
    site.html("/shop", WHOLLY_RENAMED.replace("<ul>", "<ul hidden>"))
    replies = Replies(change("modify", 0, action="click", selector="text=Submit"), {"changes": []})

    report = await repaired(page, script, replies, attempts=1)

    assert (report.repair_status, report.run_status) == ("partial", "failed")
    assert 0 < report.repair_confidence <= 2
    assert report.updated_script is not None


HOSTILE = [
    change("modify", 0, action="navigate", url="https://evil.example/"),
    change("modify", 0, action="set_value", selector="#who", value={"secretName": "admin"}),
    change("modify", 0, action="set_value", selector="#who", value={"secret": "text"}),
    change("modify", 0, action="upload_file", selector="#who", paths="/etc/passwd"),
    change("modify", 0, action="click", selector="ref=e99999"),
    change("modify", 7, action="click", selector="#drop"),
    change("modify", 0, action="evaluate", selector="alert(1)"),
    change("remove", 0, action="click", selector="#drop"),
    change("insert", 0),
    {"changes": [], "confidence": 5},
    {"changes": "all"},
    {"code": "import os"},
    {"changes": [{"kind": "insert", "index": 0, "action": {"action": "go_back"}}] * 21},
    change("modify", 0, action="click", selector="x" * 100_000),
]


@pytest.mark.every_row
@pytest.mark.parametrize("reply", sampled(HOSTILE, keep=HOSTILE[:1]))  # test_agent_t16_t30.py has T29, too
async def test_t29_what_a_model_may_not_do_is_not_done(page: Page, site: Site, reply: dict[str, object]) -> None:
    script = await made(page, site, SAVE)
    site.html("/shop", WHOLLY_RENAMED)
    replies = Replies(*[reply] * 9)

    report = await repaired(page, script, replies, attempts=1, limits=Limits(max_invalid_replies=1))

    assert (report.repair_status, report.updated_script) == ("failed", None)
    assert await log_of(page) in NOTHING_PRESSED
    assert page.url == script.url


async def test_a_model_that_fails_ends_the_repair(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillframe.agent.asking.PAUSE_S", 0.01)
    script = await made(page, site, SAVE)
    site.html("/shop", WHOLLY_RENAMED)

    def broken(*_: object) -> object:
        raise OSError("the provider is gone")

    model = FunctionModel(broken)  # type: ignore[arg-type]
    report = await repair(page, script, model, deflake_runs=0, action_timeout_ms=SHORT_MS, limits=Limits(timeout=5))

    assert report.repair_status == "failed"


async def test_a_limit_that_is_used_up_asks_no_model(page: Page, site: Site) -> None:
    script = await made(page, site, SAVE)
    site.html("/shop", WHOLLY_RENAMED)
    replies = Replies()

    report = await repaired(page, script, replies, limits=Limits(max_total_iterations=0))

    assert (report.repair_status, replies.prompts) == ("failed", [])
    assert "max_total_iterations" in report.repair_advice


@pytest.mark.parametrize("options", [{"flexibility": 6}, {"flexibility": -1}, {"attempts": -1}, {"deflake_runs": -1}])
async def test_options_out_of_range_are_refused(page: Page, options: dict[str, int]) -> None:
    with pytest.raises(OptionInvalid):
        await repaired(page, Script(name="a", goal="a", url="about:blank"), **options)
