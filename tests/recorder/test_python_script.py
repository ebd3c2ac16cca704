"""The Python script of a recording: it runs, it is formatted, and no text of a page becomes code in it."""

from __future__ import annotations

import ast
import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from site_server import Site
from stillframe.api.browser import Page
from stillframe.demo import Shop
from stillframe.demo.shop import PASSWORD
from stillframe.errors import WaitTimeout
from stillframe.recorder.python_script import to_python
from stillframe.recorder.recording import RecordedViewport, Recording
from stillframe.scripts.script import ScriptAction

PHONE = RecordedViewport(width=390, height=844, device_scale_factor=3, mobile=True, touch=True)


def recorded(*actions: dict[str, Any], words: str = "", **fields: Any) -> Recording:
    steps = tuple(ScriptAction(action=action, target=words) for action in actions)
    return Recording(**{"url": "http://127.0.0.1:9/", "steps": steps, **fields})


async def program_ended(file: Path, *given: str, **variables: str) -> tuple[int | None, str]:
    """Run a program and return its exit status and what it wrote to its standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(file), *given), stderr=asyncio.subprocess.PIPE, env={**os.environ, **variables}
    )
    async with asyncio.timeout(60):
        _, error = await process.communicate()
    return process.returncode, error.decode()


LOGIN = (
    {"action": "set_value", "selector": "#user", "value": "ann"},
    {"action": "set_value", "selector": "#pass", "value": {"secretName": "password"}},
    {"action": "press_key", "key": "Enter"},
)


@pytest.mark.browser
async def test_a_script_runs(tmp_path: Path) -> None:
    file = tmp_path / "log_in.py"
    async with Shop() as shop:
        recording = recorded(
            *LOGIN, url=shop.url(), viewport=PHONE, expect={"text": "Welcome back!"}, options={"actionTimeoutMs": 9000}
        )
        file.write_text(to_python(recording), "utf-8")

        status, error = await program_ended(file, PASSWORD=PASSWORD)

    assert status == 0, error
    assert "POST /api/login" in shop.requests


def program_of(recording: Recording) -> dict[str, Any]:
    """Return the names of a script that is loaded into this process, as an import does."""
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(to_python(recording), "script.py", "exec"), names)
    return names


async def test_a_page_that_does_not_show_what_is_expected_is_a_failure(page: Page, site: Site) -> None:
    options = {"actionTimeoutMs": 500}
    click = {"action": "click_element", "selector": "#a"}
    program = program_of(recorded(click, expect={"text": "Saved"}, options=options))

    with pytest.raises(WaitTimeout):
        await program["play"](page, site.html("/form", '<button id="a">Save</button>'))


async def test_a_missing_secret_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PASSWORD", raising=False)

    with pytest.raises(KeyError, match="PASSWORD"):
        await program_of(recorded(*LOGIN))["main"]()


@pytest.mark.browser
async def test_a_script_answers_dialogs_as_the_person_did(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asks = "this.textContent = [confirm('Sure?'), prompt('Who?'), confirm('More?')].join()"
    url = site.html("/ask", f'<button id="a" onclick="{asks}">Ask</button>')
    click = {"action": "click_element", "selector": "#a"}
    program = program_of(recorded(click, url=url, dialogs=(True, "Ann"), expect={"text": "true,Ann,false"}))
    monkeypatch.setattr(sys, "argv", ["ask.py"])

    await program["main"]()


LONG = "x" * 70
FORMATTED = {
    "short": recorded({"action": "press_key", "key": "Enter"}),
    "long selectors": recorded(
        {"action": "click_element", "selector": f'role=button[name="{LONG}"]'},
        {"action": "click_element", "selector": f"#{LONG[:55]}", "modifiers": ["Shift"]},
        {"action": "click_element", "selector": f"#{LONG * 2}", "modifiers": ["Shift"], "position": {"x": 1, "y": 2}},
        {"action": "set_value", "selector": "it's", "value": 'a "quote"'},
        words='button "Save"',
    ),
    "every form": recorded(
        *LOGIN,
        {"action": "drag_to", "selector": "#a", "offset": {"x": 1, "y": 2}},
        {"action": "upload_file", "selector": "#a", "paths": ["b"]},
        {"action": "right_click", "selector": "#a"},
        {"action": "double_click", "selector": "#a"},
        {"action": "type_text", "text": {"secretName": "another secret with a name that is long"}},
        url=f"http://a.test/{LONG}",
        viewport=PHONE,
        dialogs=(True, False, "Ann"),
        options={"settle": "quiet", "timeoutMs": 900},
    ),
    "long answers": recorded(LOGIN[0], dialogs=(LONG, True, LONG)),
    "long URL": recorded(LOGIN[0], url=f"http://a.test/{LONG}{LONG}", viewport=RecordedViewport(width=9, height=9)),
}


def test_a_script_is_formatted(tmp_path: Path) -> None:
    for name, recording in FORMATTED.items():
        (tmp_path / f"{name.replace(' ', '_')}.py").write_text(to_python(recording), "utf-8")

    for options in (["format", "--diff"], ["check", "--select", "E,F,I,W", "--ignore", "E501"]):
        command = [sys.executable, "-m", "ruff", *options, "--isolated", "--no-cache", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_the_words_of_an_element_stand_above_its_action() -> None:
    lines = to_python(recorded(LOGIN[0], words="textbox\n'Name'")).splitlines()

    assert lines[lines.index("            # textbox 'Name'") + 1] == '            SetValue("#user", value="ann"),'


HOSTILE = [
    '"""; import os; os.abort() #',
    "\\",
    "a\nimport os\nos.abort()",
    "a\u2028import os",
    "\r\nraise SystemExit(9)",
    "{url!r} {name} %s",
    "'''\"\"\"",
    "\u202eimport\x00",
    '")]); import os; os.abort(); ([("',
    "x" * 200,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_code(text: str) -> None:
    assert shape(text) == shape("harmless")


@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 25)
@given(st.text())
def test_no_text_at_all_becomes_code(text: str) -> None:
    assert shape(text) == shape("harmless")


def shape(text: str) -> str:
    """Return the syntax tree of a script with this text everywhere, with all constants left out."""
    said = text or "x"
    recording = recorded(
        {"action": "click_element", "selector": said},
        {"action": "set_value", "selector": "#a", "value": {"secretName": said}},
        {"action": "set_value", "selector": said, "value": said},
        words=text,
        url=text,
        title=text,
        expect={"text": said},
        dialogs=(text,),
    )
    tree = ast.parse(to_python(recording))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = None
    return ast.dump(tree)
