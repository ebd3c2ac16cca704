"""Calls for one action raise their failure, with the result on the error, unless `check=False`."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.actions import MouseActions, SelectorActions
from stillframe.api.browser import Browser, Page
from stillframe.api.locator import Locator
from stillframe.errors import (
    ActionFailed,
    AmbiguousSelector,
    ElementCovered,
    ElementDisabled,
    ElementHidden,
    ElementNotFound,
    ElementUnsuitable,
    FocusMoved,
    NoDialog,
    OptionInvalid,
    PointOutside,
    SecretRefused,
    StillframeError,
    WaitTimeout,
)
from stillframe.model.actions import Click, Offset, SetValue
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Secret, SecretName
from stillframe.security.secret_store import Secrets
from stillframe.trace.reading import read_trace

MS = 40.0
PAGE = """
<button id=go onclick="this.textContent = 'went'">go</button> <button class=two>a</button><button class=two>b</button>
<button id=off disabled>off</button> <button id=gone hidden>hidden</button>
<div style="position: relative"><button id=below>below</button>
<div id=cover style="position: absolute; inset: 0; background: white">over it</div></div>
<input id=name value=Ann> <select id=pick><option>one<option>two</select><p id=text>text</p>
"""

Act = Callable[..., Awaitable[SequenceResult]]

FAILURES: list[tuple[str, Callable[[Page], Act], tuple[Any, ...], type[StillframeError]]] = [
    ("click", lambda p: p.click, ("#none",), ElementNotFound),
    ("several", lambda p: p.click, (".two",), AmbiguousSelector),
    ("disabled", lambda p: p.click, ("#off",), ElementDisabled),
    ("hidden", lambda p: p.click, ("#gone",), ElementHidden),
    ("covered", lambda p: p.click, ("#below",), ElementCovered),
    ("dblclick", lambda p: p.dblclick, ("#none",), ElementNotFound),
    ("tap", lambda p: p.tap, ("#none",), ElementNotFound),
    ("long_press", lambda p: p.long_press, ("#none",), ElementNotFound),
    ("hover", lambda p: p.hover, ("#gone",), ElementHidden),
    ("focus", lambda p: p.focus, ("#none",), ElementNotFound),
    ("fill", lambda p: p.fill, ("#go", "Ann"), ElementUnsuitable),
    ("type", lambda p: p.type, ("#none", "Ann"), ElementNotFound),
    ("press", lambda p: p.press, ("#none", "Enter"), ElementNotFound),
    ("select_option", lambda p: p.select_option, ("#pick", "three"), ElementUnsuitable),
    ("no_option", lambda p: p.select_option, ("#pick", []), ElementUnsuitable),
    ("select_text", lambda p: p.select_text, ("#none",), ElementNotFound),
    ("check", lambda p: p.check, ("#go",), ElementUnsuitable),
    ("uncheck", lambda p: p.uncheck, ("#none",), ElementNotFound),
    ("set_checked", lambda p: p.set_checked, ("#go", True), ElementUnsuitable),
    ("dispatch_event", lambda p: p.dispatch_event, ("#none", "click"), ElementNotFound),
    ("drag_and_drop", lambda p: p.drag_and_drop, ("#go", "#none"), ElementNotFound),
    ("drop_files", lambda p: p.drop_files, ("#none", __file__), ElementNotFound),
    ("drop", lambda p: p.locator("#none").drop, ({"files": __file__},), ElementNotFound),
    ("blur", lambda p: p.locator("#none").blur, (), ElementNotFound),
    ("clear", lambda p: p.locator("#none").clear, (), ElementNotFound),
    ("press_sequentially", lambda p: p.locator("#none").press_sequentially, ("Ann",), ElementNotFound),
    ("scroll_into_view_if_needed", lambda p: p.locator("#none").scroll_into_view_if_needed, (), ElementNotFound),
    ("set_input_files", lambda p: p.set_input_files, ("#name", __file__), ElementUnsuitable),
    ("scroll", lambda p: p.scroll, ("#none",), ElementNotFound),
    ("scroll_to", lambda p: p.scroll_to, ("#none",), ElementNotFound),
    ("swipe", lambda p: lambda *args, **more: p.swipe(*args, direction="down", **more), ("#none",), ElementNotFound),
    ("drag_to", lambda p: p.drag_to, ("#go", "#none"), ElementNotFound),
    ("wait_for", lambda p: p.wait_for, ("#none",), WaitTimeout),
    ("frame", lambda p: p.main_frame.click, ("#none",), ElementNotFound),
    ("locator", lambda p: p.locator("#none").click, (), ElementNotFound),
    ("located", lambda p: p.locator("#off").fill, ("Ann",), ElementUnsuitable),
    ("waiting", lambda p: p.locator("#go").wait_for, (), WaitTimeout),
    ("mouse_move", lambda p: p.mouse_move, (-0.0, 90_000), PointOutside),
    ("mouse_click", lambda p: p.mouse_click, (90_000, 1), PointOutside),
    ("mouse_drag", lambda p: p.mouse_drag, (1, 1, 90_000, 1), PointOutside),
    ("mouse_wheel", lambda p: lambda *args, **more: p.mouse_wheel(*args, delta_y=9, **more), (90_000, 1), PointOutside),
    ("answer_dialog", lambda p: p.answer_dialog, (True,), NoDialog),
]


def options_of(name: str) -> dict[str, Any]:
    """Return the options with which a row of the table fails."""
    return {"action_timeout_ms": MS} | ({"state": "hidden"} if name == "waiting" else {})


@pytest.fixture
async def form(page: Page, site: Site) -> Page:
    await page.goto(site.html("/form", PAGE))
    return page


@pytest.mark.parametrize("third", range(3))
async def test_each_kind_of_failure_raises_its_error_with_the_result(form: Page, third: int) -> None:
    for name, call, arguments, error in FAILURES[third::3]:
        with pytest.raises(StillframeError) as caught:
            await call(form)(*arguments, **options_of(name))
        raised = caught.value
        assert type(raised) is error, (name, raised)
        assert isinstance(raised.result, SequenceResult), name
        failed = raised.result.failed
        assert failed is not None, name
        assert (str(raised), raised.code, raised.index) == (failed.error, failed.code, failed.index == 0 and 0), name


async def test_without_the_check_the_result_says_what_failed(form: Page) -> None:
    for name, call, arguments, error in FAILURES[::6]:
        result = await call(form)(*arguments, check=False, **options_of(name))
        assert result.failed is not None, name
        assert (result.failed.code, result.completed) == (error.code, 0), name


def test_the_table_has_every_action() -> None:
    tried = {name for name, *_ in FAILURES}
    for part in (SelectorActions, MouseActions, Locator):
        takes_check = {
            name
            for name, method in inspect.getmembers(part, inspect.iscoroutinefunction)
            if not name.startswith("_") and "ActionKeywords" in str(inspect.signature(method))
        }
        assert takes_check, part
        assert takes_check <= tried, part


async def test_what_succeeds_returns_its_result_with_either_check(form: Page) -> None:
    for check in (True, False):
        result = await form.fill("#name", f"Ann {check}", check=check)
        assert (result.failed, result.completed) == (None, 1)


async def test_the_error_has_the_delta_of_what_the_action_changed_before_it_failed(form: Page) -> None:
    await form.evaluate("document.querySelector('#name').oninput = () => document.querySelector('#pick').focus()")
    with pytest.raises(FocusMoved) as caught:
        await form.type("#name", "abcdef")
    rows = caught.value.result.state_change.changed
    assert [(row.selector, row.to) for row in rows if row.field == "value"] == [("#name", "Anna")]


async def test_a_wrong_call_raises_before_anything_is_done(form: Page) -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'check'"):
        await form.click("#go", chek=False)  # type: ignore[call-arg]
    with pytest.raises(OptionInvalid, match="action_timeout_ms"):
        await form.locator("#go").click(timeout=50)  # type: ignore[call-arg]
    with pytest.raises(OptionInvalid, match="not True or False"):
        await form.main_frame.click("#go", check="no")  # type: ignore[arg-type]
    with pytest.raises(OptionInvalid, match="not True or False"):
        await form.execute_sequence([Click("#go")], check=1)  # type: ignore[arg-type]
    assert await form.locator("#go").text() == "go"


async def test_a_checked_sequence_raises_its_first_failure_and_keeps_what_was_done_before(form: Page) -> None:
    actions = [Click("#go"), SetValue("#go", "x", timeout_ms=MS), Click("#none", timeout_ms=MS)]
    with pytest.raises(ElementUnsuitable) as caught:
        await form.execute_sequence(actions, check=True)
    result = caught.value.result
    assert (caught.value.index, result.completed, result.failed.index) == (1, 1, 1)
    assert await form.locator("#go").text() == "went"
    assert "went" in str(result.state_change)
    plain = await form.execute_sequence(actions)
    assert plain.failed is not None
    assert (await form.execute_sequence(actions[:1], check=True)).completed == 1


async def test_the_error_of_an_action_is_in_the_trace(form: Page, tmp_path: Path) -> None:
    path = tmp_path / "failed.trace.jsonl"
    async with form.trace(path):
        with pytest.raises(ElementNotFound):
            await form.click("#none", action_timeout_ms=MS)
        with pytest.raises(ElementNotFound):
            await form.execute_sequence([Click("#none", timeout_ms=MS)], check=True)
    records = read_trace(path).records
    results = [record["result"] for record in records if record["type"] == "result"]
    assert [result["failed"]["code"] for result in results] == ["element_not_found"] * 2
    returned = [record for record in records if record["type"] == "returned"]
    assert [record["error"]["code"] for record in returned] == ["element_not_found"]


async def test_no_secret_is_in_the_error(browser: Browser, site: Site) -> None:
    async with await browser.new_context(secrets={"pin": "hunter22"}) as context, await context.new_page() as page:
        await page.goto(site.html("/secret", "<title>s</title><p id=log></p><input id=name>"))
        await page.fill("#name", Secret("swordfish"))
        await page.evaluate("log.textContent = document.querySelector('#name').value")
        with pytest.raises(ElementNotFound) as caught:
            await page.click("text=swordfish hunter22", action_timeout_ms=MS)
        shown = f"{caught.value} {vars(caught.value)} {caught.value.result.to_dict()}"
        assert "swordfish" not in shown
        assert "hunter22" not in shown


async def test_a_policy_that_refuses_a_secret_raises(browser: Browser, site: Site) -> None:
    secrets = Secrets()
    secrets.add("pin", "hunter22", hosts=["shop.test"])
    async with await browser.new_context(secrets=secrets) as context, await context.new_page() as page:
        await page.goto(site.html("/secret", "<input id=name>"))
        with pytest.raises(SecretRefused) as caught:
            await page.fill("#name", SecretName("pin"))
        assert caught.value.result.failed.code == "secret_refused"


async def test_the_traceback_begins_with_the_caller_s_line(form: Page) -> None:
    with pytest.raises(ActionFailed) as caught:
        await form.drag_to("#none", offset=Offset(1, 1), action_timeout_ms=MS)
    hidden = {entry.name for entry in caught.traceback if not entry.ishidden(caught)}
    assert "raise_for_failure" not in hidden
    assert "_act" not in hidden
