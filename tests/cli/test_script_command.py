"""`stillframe script run` as a shell sees it: a script runs exactly, or is repaired where the page has changed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from model_server import KEY, ModelServer, decided

from command_line import call, stillframe
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, SetValue
from stillframe.scripts.durable import durable_actions
from stillframe.scripts.script import Script, ScriptAction, ScriptStep, load_script, save_script

BEFORE = """<h1>Shop</h1><form onsubmit="return false"><label>Name <input id=name></label>
<button id=buy onclick="out.textContent = 'bought'">Buy now</button></form><p id=out>nothing</p>"""
RENAMED = BEFORE.replace("Buy now", "Buy it now")
OTHER = BEFORE.replace("<button", "<label><input type=checkbox id=ok> I agree</label> <button hidden").replace(
    "id=ok", "id=ok onclick='buy.hidden = false'"
)
AGREE = {"kind": "insert", "index": 1, "action": {"action": "check", "selector": "#ok"}}


class Saved(NamedTuple):
    """A script, pages on which it works, has to be repaired by likeness, and needs a model, and where to run it."""

    file: Path
    renamed: str
    other: str
    connecting: tuple[str, str]


@pytest.fixture
async def saved(page: Page, site: Site, tmp_path: Path, connecting: tuple[str, str]) -> Saved:
    url = site.html("/before", BEFORE)
    await page.goto(url)
    actions = await durable_actions(page, (SetValue("#name", "Ann"), Click("#buy")))
    step = ScriptStep(goal="Buy as Ann", status="complete", check={"text": "bought"}, actions=actions)
    file = tmp_path / "buy.json"
    save_script(file, Script(name="buy", goal="Buy as Ann", url=url, steps=(step,)))
    return Saved(file, site.html("/renamed", RENAMED), site.html("/other", OTHER), connecting)


# -- without a browser ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["no/such/file.json"], "cannot read"),
        (["FILE"], "not a script: line 1"),
        (["FILE", "--write"], "--write"),
        (["FILE", "--budget-tokens", "5"], "--budget-tokens"),
        (["FILE", "--allowed-domain", "a.example"], "--allowed-domain"),
        (["FILE", "--repair", "--flexibility", "6"], "--flexibility"),
        (["FILE", "--url", "file:///etc/passwd"], "file:"),
    ],
)
def test_wrong_options_are_named_before_a_browser_starts(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, args: list[str], words: str
) -> None:
    monkeypatch.setattr("stillframe.cli.choice.BrowserChoice.page", pytest.fail)
    file = tmp_path / "script.json"
    file.write_text('{"steps": 5}')
    done = call(capfd, "script", "run", *(str(file) if arg == "FILE" else arg for arg in args))
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("more", [(), ("--repair",)])
def test_a_secret_that_no_file_gives_is_named_before_a_browser_starts(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: tuple[str, ...]
) -> None:
    monkeypatch.setattr("stillframe.cli.choice.BrowserChoice.page", pytest.fail)
    typed = {"action": "set_value", "selector": "#pass", "value": {"secretName": "password"}}
    step = ScriptStep(goal="Log in", status="complete", actions=(ScriptAction(action=typed),))
    file, other = tmp_path / "login.json", tmp_path / "other.env"
    save_script(file, Script(name="login", goal="Log in", url="http://127.0.0.1/", steps=(step,)))
    other.write_text("pin=battery")
    other.chmod(0o600)
    for given in ((), ("--secrets", str(other))):
        done = call(capfd, "script", "run", str(file), *more, *given)
        assert (done.code, done.out) == (2, "")
        assert "the script types password by name: give a file with lines NAME=text to --secrets" in done.err


# -- with a browser ------------------------------------------------------------------------------


@pytest.mark.browser
async def test_a_script_runs_without_a_model(saved: Saved) -> None:
    done = await stillframe("script", "run", saved.file)
    assert (done.code, done.out) == (0, "✓ 1. Buy as Ann\n"), done
    done = await stillframe("script", "run", saved.file, "--json", *saved.connecting)
    assert (done.code, done.json["steps"][0]["result"]) == (0, "ok")


@pytest.mark.browser
async def test_a_script_that_fails_says_where(saved: Saved) -> None:
    where = ("--url", saved.renamed, "--action-timeout-ms", "300", *saved.connecting)
    done = await stillframe("script", "run", saved.file, *where, "--deflake-runs", "1")
    assert done.code == 1, done.whole
    assert done.out.startswith("✗ 1. Buy as Ann\n     action ")
    assert done.out.endswith("after 1 further run\n")
    assert (await stillframe("script", "run", saved.file, *where, "--json")).json["failedStep"] == 0


@pytest.mark.browser
async def test_repair_by_likeness_writes_the_script_and_a_patch_of_it(saved: Saved, tmp_path: Path) -> None:
    before, patch = saved.file.read_text(), tmp_path / "buy.patch"
    where = ("--repair", "--url", saved.renamed, "--action-timeout-ms", "300", *saved.connecting)
    done = await stillframe("script", "run", saved.file, *where, "--diff", patch)
    assert done.code == 0, done.whole
    assert done.out.startswith("repaired: the script runs again\n~ step 1: ")
    assert saved.file.read_text() == before
    done = await stillframe("script", "run", saved.file, *where, "--write")
    assert done.code == 0, done.whole
    assert "Buy it now" in saved.file.read_text()
    assert load_script(saved.file).url.endswith("/before")
    copy = tmp_path / "copy.json"
    copy.write_text(before)
    assert patch.read_text().startswith(f"--- a{saved.file}\n+++ b{saved.file}\n"), "as git writes an absolute path"
    process = await asyncio.create_subprocess_exec("patch", "-s", copy, patch)
    assert await process.wait() == 0
    assert copy.read_text() == saved.file.read_text()
    assert (await stillframe("script", "run", saved.file, "--url", saved.renamed, *saved.connecting)).code == 0


@pytest.mark.browser
async def test_what_likeness_cannot_repair_is_put_to_a_model(saved: Saved) -> None:
    limits = ("--action-timeout-ms", "300", "--deflake-runs", "0")
    where = ("--repair", "--url", saved.other, *limits, *saved.connecting)
    done = await stillframe("script", "run", saved.file, *where, "--write")
    assert done.code == 1, done.whole
    assert done.out.startswith("not repaired\nwhy it failed: ")
    proposal = {"changes": [AGREE], "confidence": 4, "advice": "Agree first."}
    async with ModelServer(decided(proposal)) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY, "STILLFRAME_MODEL": "openai-chat:gpt-4o"}
        done = await stillframe("script", "run", saved.file, *where, "--write", env=env)
    assert done.code == 0, done.whole
    assert "~ step 1: insert action 2" in done.out
    assert "1 model call, 100 tokens in" in done.out
    (step,) = load_script(saved.file).steps
    assert [action.action["action"] for action in step.actions] == ["set_value", "check", "click_element"]


@pytest.mark.browser
async def test_the_report_of_a_repair_is_one_object(saved: Saved) -> None:
    limits = ("--action-timeout-ms", "300", "--deflake-runs", "0")
    where = ("--url", saved.renamed, *limits, *saved.connecting)
    done = await stillframe("script", "run", saved.file, "--repair", *where, "--json")
    assert (done.code, done.json["repairStatus"]) == (0, "success"), done
    unchanged = await stillframe("script", "run", saved.file, "--repair", "--flexibility", "0", *where, "--json")
    assert (unchanged.code, unchanged.json["repairStatus"]) == (1, "failed")
    assert json.dumps(unchanged.json["script"]) == json.dumps(done.json["script"])
