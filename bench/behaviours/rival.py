"""The same rows as Playwright does them, with the selectors of its own engines for what ours say."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any
from urllib.parse import urljoin

from bench.behaviours.calls import CALL_S, CALLS, make, ready
from bench.behaviours.case import Behaviour
from bench.behaviours.judge import Outcome, unlike
from bench.behaviours.ours import ACTION_MS, PATIENCE_S
from bench.doing import Do
from stillframe.chrome.executable import find_executable

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 720}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 3,
}
NAVIGATION_MS = 10_000

FORMS = {
    "label": "internal:label={}",
    "placeholder": "internal:attr=[placeholder={}]",
    "title": "internal:attr=[title={}]",
    "alt": "internal:attr=[alt={}]",
    "testid": "internal:testid=[data-testid={}]",
    "has-text": "internal:has-text={}",
}
"""How Playwright's own locators write our forms, the text quoted; `i` after it is part, `s` is whole."""


def selector(ours: str) -> str:
    """Return Playwright's selector for one of ours."""
    return " >> ".join(_step(step) for step in re.split(r" >> (?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", ours))


def _step(step: str) -> str:
    name, equals, value = step.partition("=")
    if equals and name == "frame":
        return f"{value} >> internal:control=enter-frame"
    if not equals or name not in FORMS:
        return step
    quoted = value if value[:1] == '"' else '"' + value.replace('"', '\\"') + '"'
    # Ours are whole in quotes, but has-text, which is a part in any case.
    case = "s" if name == "testid" or (value[:1] == '"' and name != "has-text") else "i"
    return FORMS[name].format(quoted + case)


class Rival:
    """Runs rows in one browser, each in a context of its own."""

    name = "Playwright"

    def __init__(self, browser: Any, files: str) -> None:
        self._browser = browser
        self._files = files

    async def run(self, row: Behaviour, url: str) -> Outcome:
        """Run one row; whatever it comes to is in the outcome."""
        context = await self._browser.new_context(**(PHONE if row.phone else DESKTOP))
        try:
            page = await context.new_page()
            if row.opens:
                await page.goto(url)
            return await _Run(page, url, self._files).all(row)
        finally:
            await context.close()


class _Run:
    def __init__(self, page: Any, url: str, files: str) -> None:
        self.page = page
        self.url = url
        self.files = files
        self.outcome = Outcome()

    async def all(self, row: Behaviour) -> Outcome:
        """Do all actions of a row and take down what it asks for."""
        started = time.perf_counter()
        for number, action in enumerate(row.do):
            try:
                if action["action"] in CALLS:
                    await make(self.page, self._resolved(action), self.outcome.gives)
                else:
                    await DO[action["action"]](self, action)
            except Exception as error:  # Playwright's own, and those of arguments that it does not take
                self.outcome.error, self.outcome.early = str(error).split("\n")[0], number < len(row.do) - 1
                break
        self.outcome.ms = (time.perf_counter() - started) * 1000
        await self.look(row)
        return self.outcome

    async def look(self, row: Behaviour) -> None:
        """Take down what a row's expressions come to."""
        until = time.perf_counter() + PATIENCE_S
        while True:
            for what in row.then:
                with suppress(Exception):
                    self.outcome.values[what] = await asyncio.wait_for(self.page.evaluate(what), CALL_S)
            wrong = unlike(row.then, self.outcome.values) + unlike(row.gives, self.outcome.gives)
            if not wrong or time.perf_counter() > until:
                return
            await asyncio.sleep(0.05)

    def _resolved(self, call: Do) -> Do:
        found = ready(call, self.url)
        return {**found, "selector": selector(call["selector"])} if "selector" in call else found

    def at(self, action: Do, key: str = "selector") -> Any:
        """The locator of an action's target."""
        return self.page.locator(selector(action[key]))


def _options(action: Do, **names: str) -> dict[str, Any]:
    """The options that an action gives, by Playwright's names."""
    return {"timeout": ACTION_MS, **{names[key]: action[key] for key in names if key in action}}


async def _click(run: _Run, action: Do) -> None:
    names = {"modifiers": "modifiers", "position": "position", "button": "button", "clickCount": "click_count"}
    await run.at(action).click(**_options(action, **names))


async def _right_click(run: _Run, action: Do) -> None:
    await run.at(action).click(button="right", **_options(action, modifiers="modifiers", position="position"))


async def _double_click(run: _Run, action: Do) -> None:
    await run.at(action).dblclick(**_options(action, modifiers="modifiers", position="position"))


async def _hover(run: _Run, action: Do) -> None:
    await run.at(action).hover(**_options(action, position="position"))


async def _set_value(run: _Run, action: Do) -> None:
    await run.at(action).fill(str(action["value"]), timeout=ACTION_MS)


async def _type_text(run: _Run, action: Do) -> None:
    if "selector" in action:
        await run.at(action).press_sequentially(action["text"], timeout=ACTION_MS)
    else:
        await run.page.keyboard.type(action["text"])


async def _press_key(run: _Run, action: Do) -> None:
    for _ in range(action.get("times", 1)):
        if "selector" in action:
            await run.at(action).press(action["key"], timeout=ACTION_MS)
        else:
            await run.page.keyboard.press(action["key"])


async def _check(run: _Run, action: Do) -> None:
    await run.at(action).check(timeout=ACTION_MS)


async def _uncheck(run: _Run, action: Do) -> None:
    await run.at(action).uncheck(timeout=ACTION_MS)


async def _select_option(run: _Run, action: Do) -> None:
    await run.at(action).select_option(action["value"], timeout=ACTION_MS)


async def _upload(run: _Run, action: Do) -> None:
    paths = [path.format(files=run.files) for path in action["paths"]]
    await run.at(action).set_input_files(paths if len(paths) > 1 else paths[0], timeout=ACTION_MS)


async def _focus(run: _Run, action: Do) -> None:
    await run.at(action).focus(timeout=ACTION_MS)


async def _select_text(run: _Run, action: Do) -> None:
    await run.at(action).select_text(timeout=ACTION_MS)


async def _drag(run: _Run, action: Do) -> None:
    names = {"sourcePosition": "source_position", "targetPosition": "target_position"}
    if "target" in action:
        await run.at(action).drag_to(run.at(action, "target"), **_options(action, **names))
        return
    # Playwright has no drag by an offset: this is what its users write.
    await run.at(action).hover(**_options(action, sourcePosition="position"))
    box = await run.at(action).bounding_box(timeout=ACTION_MS)
    spot = action.get("sourcePosition") or {"x": box["width"] / 2, "y": box["height"] / 2}
    x, y = box["x"] + spot["x"] + action["offset"]["x"], box["y"] + spot["y"] + action["offset"]["y"]
    await run.page.mouse.down()
    await run.page.mouse.move(x, y, steps=5)
    await run.page.mouse.up()


async def _goto(run: _Run, action: Do) -> None:
    timeout = action.get("timeoutMs", action.get("timeout_ms", NAVIGATION_MS))
    answer = await run.page.goto(urljoin(run.url, action["url"]), timeout=timeout)
    run.outcome.arrived = (run.page.url, answer and answer.status)


async def _new_page(run: _Run, action: Do) -> None:
    run.page = await run.page.context.new_page()
    await run.page.goto(urljoin(run.url, action["url"]), timeout=NAVIGATION_MS)


async def _go_back(run: _Run, _: Do) -> None:
    await run.page.go_back(timeout=NAVIGATION_MS)


async def _go_forward(run: _Run, _: Do) -> None:
    await run.page.go_forward(timeout=NAVIGATION_MS)


async def _reload(run: _Run, _: Do) -> None:
    await run.page.reload(timeout=NAVIGATION_MS)


async def _wait_for(run: _Run, action: Do) -> None:
    if "url" in action:
        await run.page.wait_for_url(lambda url: action["url"] in url, timeout=ACTION_MS)
    elif "text" in action:
        await run.page.get_by_text(action["text"]).first.wait_for(timeout=ACTION_MS)
    else:
        await run.at(action).wait_for(state=action.get("state", "visible"), timeout=ACTION_MS)


async def _in_new_page(run: _Run, call: Do) -> None:
    opened = run.page.context.pages[1:] or [await run.page.context.wait_for_event("page", timeout=ACTION_MS)]
    other = _Run(opened[0], run.url, run.files)
    await DO[call["do"]["action"]](other, call["do"])
    await other.look(Behaviour(name="", then=call["then"]))
    if other.outcome.values != call["then"]:
        raise ValueError(f"in the new page: {other.outcome.values}")


DO: dict[str, Callable[[_Run, Do], Awaitable[None]]] = {
    "click_element": _click,
    "right_click": _right_click,
    "double_click": _double_click,
    "hover": _hover,
    "set_value": _set_value,
    "type_text": _type_text,
    "press_key": _press_key,
    "check": _check,
    "uncheck": _uncheck,
    "select_option": _select_option,
    "upload_file": _upload,
    "focus": _focus,
    "select_text": _select_text,
    "drag_to": _drag,
    "goto": _goto,
    "navigate": _goto,
    "new_page": _new_page,
    "go_back": _go_back,
    "go_forward": _go_forward,
    "reload": _reload,
    "wait_for": _wait_for,
    "in_new_page": _in_new_page,
}


@asynccontextmanager
async def playwright_browser() -> AsyncIterator[Any]:
    """Start Playwright with the Chromium that stillframe finds; raises ImportError where it is not installed."""
    async with import_module("playwright.async_api").async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=find_executable().path, chromium_sandbox=False)
        try:
            yield browser
        finally:
            await browser.close()
