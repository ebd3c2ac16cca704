"""The Python form of a script: it runs, and no text of a page or a model can become code in it."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from script_makers import SHOP, made

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ElementNotFound
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import Action, Click, SetValue
from stillframe.scripts.python_form import asks_for_assertion, constructed, literal, python_form
from stillframe.scripts.script import Script, ScriptAction, ScriptStep


async def program_ended(file: Path, *arguments: str, **variables: str) -> tuple[int | None, str]:
    """Run a program and return its exit status and what it wrote to its standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(file), *arguments), stderr=asyncio.subprocess.PIPE, env={**os.environ, **variables}
    )
    async with asyncio.timeout(60):
        _, error = await process.communicate()
    return process.returncode, error.decode()


@pytest.mark.desktop
async def test_t19_a_generated_script_runs_green(page: Page, site: Site, tmp_path: Path) -> None:
    url = site.html("/shop", SHOP)
    script = await made(
        page,
        site,
        {"Fill in the name": [SetValue("#who", "Ann")], "Save": [Click("#save"), Click("ul button >> nth=1")]},
    )
    password = ScriptAction(action={"action": "set_value", "selector": "#who", "value": {"secretName": "password"}})
    checked = ScriptStep(goal="Verify what was done", check={"text": "black"})
    failed = ScriptStep(goal="Pay", status="failed", error="no\nbutton", actions=script.steps[0].actions)
    steps = (*script.steps, ScriptStep(goal="Log in", actions=(password,)), checked, failed)
    (tmp_path / "shop.py").write_text(
        python_form(Script(name="shop", goal="Order", url="http://127.0.0.1:9/", steps=steps))
    )

    status, error = await program_ended(tmp_path / "shop.py", url, PASSWORD="hunter2!")

    assert status == 0, error
    text = (tmp_path / "shop.py").read_text()
    assert "Click('role=button[name=\"Save order\"]')," in text
    assert "# failed: no button" in text
    assert "    # SetValue('role=textbox" in text


async def test_a_failing_script_raises_an_error(page: Page, site: Site) -> None:
    script = await made(page, site, {"Save": [Click("#save", timeout_ms=300)]})
    program: dict[str, Any] = {"__name__": "shop"}
    exec(compile(python_form(script), "shop.py", "exec"), program)
    with pytest.raises(ElementNotFound):
        await program[script.name](page, site.html("/other", "<p>nothing"))


@pytest.mark.slow  # the test above is the same in this process
@pytest.mark.desktop
async def test_a_failing_script_ends_with_an_error(page: Page, site: Site, tmp_path: Path) -> None:
    script = await made(page, site, {"Save": [Click("#save", timeout_ms=300)]})
    (tmp_path / "shop.py").write_text(python_form(script))

    status, error = await program_ended(tmp_path / "shop.py", site.html("/other", "<p>nothing"))

    assert status == 1
    assert "ElementNotFound" in error


CHECKED = {"text": "Thanks"}


def test_t20_a_step_has_an_assertion_only_if_its_goal_asks_for_one() -> None:
    steps = (
        ScriptStep(goal="Open the checkout", check=CHECKED),
        ScriptStep(goal="Make sure it is done", check=CHECKED),
    )
    quiet = python_form(Script(name="a", goal="g", url="u", steps=steps))
    asking = python_form(
        Script(name="a", goal="g", url="u", steps=(ScriptStep(goal="Verify the thanks", check=CHECKED),))
    )

    assert "assert" not in quiet
    assert 'assert checked.failed is None, "Verify the thanks"' in asking
    assert asks_for_assertion("then CONFIRM it")
    assert not asks_for_assertion("Unverified")


HOSTILE = [
    '"""; import os; os.abort() #',
    "\\",
    "a\nimport os\nos.abort()",
    "a\u2028import os",
    "a\x0cimport os",
    "\r\nraise SystemExit(9)",
    "{url!r} {name} %s",
    "'''\"\"\"",
    "# -*- coding: utf-7 -*-",
    "\u202eimport\x00\ud800",
    '")]); import os; os.abort(); ([("',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_t29_no_text_becomes_code(text: str) -> None:
    assert _shape(text) == _shape("harmless")


@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 25)
@given(st.text())
def test_no_text_at_all_becomes_code(text: str) -> None:
    assert _shape(text) == _shape("harmless")


def _shape(text: str) -> str:
    """Return the syntax tree of a program with this text everywhere, with all constants left out."""
    given = text or "x"
    click = ScriptAction(action={"action": "click_element", "selector": given}, target=text)
    typed = ScriptAction(action={"action": "set_value", "selector": "#a", "value": {"secretName": given}})
    steps = (
        ScriptStep(goal=text, actions=(click, typed)),
        ScriptStep(goal=f"verify {text}", check={"text": text}),
        ScriptStep(goal=text, status="failed", error=text, actions=(click,)),
    )
    tree = ast.parse(python_form(Script(name="a", goal=text, url=text, advice=text, steps=steps)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = None
    return ast.dump(tree)


@given(st.text())
def test_a_literal_is_the_text(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    assert literal(text).isprintable()


EVERY: list[dict[str, object]] = [
    {
        "action": "click_element",
        "selector": "a",
        "modifiers": ["Shift"],
        "position": {"x": 1, "y": 2.5},
        "clickCount": 2,
    },
    {"action": "press_key", "key": "Enter", "times": 2},
    {"action": "press_key", "selector": "a", "key": "Enter"},
    {"action": "type_text", "text": "b"},
    {"action": "drag_to", "selector": "a", "offset": {"x": -1, "y": 2}},
    {"action": "drag_to", "selector": "a", "target": "b"},
    {"action": "upload_file", "selector": "a", "paths": ["b", "c"]},
    {"action": "select_option", "selector": "a", "value": ["b"]},
    {"action": "set_value", "selector": "a", "value": True},
    {"action": "wait_for", "text": "a", "timeoutMs": 500},
    {"action": "scroll"},
    {"action": "swipe", "direction": "up", "percent": 0.25},
    {"action": "set_value", "selector": "a", "value": {"secretName": "b"}},
    {"action": "navigate", "url": "http://a/"},
    {"action": "go_back"},
]


@pytest.mark.parametrize("action", parse_actions(EVERY), ids=lambda action: action.kind)
def test_a_constructor_makes_the_action_again(action: Action) -> None:
    import stillframe
    from stillframe.model.actions import Offset, Position

    names = {name: getattr(stillframe, name) for name in stillframe.__all__ if name[0].isupper()}

    assert eval(constructed(action), {**names, "Offset": Offset, "Position": Position}) == action


@pytest.mark.parametrize("name", ["main", "page", "url", "class", "print", "Click", "asyncio", "SECRETS", "stillframe"])
def test_a_name_of_the_program_is_not_taken(name: str) -> None:
    text = python_form(Script(name=name, goal="g", url="u"))

    assert f"async def {name}Script(page, url):" in text
    compile(text, "program", "exec")
