"""Follow one click, one run of the agent and one crawl through the modules of stillframe, and count what they pass.

A stop is a call into another module than the one before; a figure that grows says that an idea was spread out. Only the
task that makes the call is followed, and all tasks of a crawl.

    python tools/follow.py              # modules, stops, calls and deadlines
    python tools/follow.py --modules    # and the modules in the order in which they are passed, and the way down

It needs Chromium, and for the agent and the crawl their extras.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

import stillframe

ROOT = str(Path(stillframe.__file__).parent) + "/"
PAGE = "data:text/html,<button onclick=\"this.textContent = 'Saved'\">Save</button>"
COROUTINE = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_GENERATOR
MODEL = "gpt-4o"
"""A model with a known price, whose replies come from this file."""


class Followed:
    """The modules that are passed inside of the block; `everywhere` follows all tasks."""

    def __init__(self, *, everywhere: bool = False) -> None:
        self._everywhere = everywhere
        self._task: asyncio.Task[Any] | None = None
        self._suspended = set[FrameType]()
        """The frames of coroutines: Python reports a call each time that one resumes, and the first one counts."""
        self.stops: list[str] = []
        self.calls = 0
        self.deadlines = 0
        self.way: list[str] = []
        """The functions on the longest way from the call to the browser, from the first to the last."""

    def __enter__(self) -> Followed:
        self._task = asyncio.current_task()
        sys.setprofile(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self._suspended.clear()

    def _enter(self, frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event != "call" or not path.startswith(ROOT) or "cdp_types" in path or not self._is_followed():
            return
        if frame.f_code.co_flags & COROUTINE:
            if frame in self._suspended:
                return
            self._suspended.add(frame)
        module = path.removeprefix(ROOT)
        self.calls += 1
        if module.startswith("cdp/transport/") and frame.f_code.co_name == "send":
            self.way = max(self.way, _way_to(frame), key=len)
        self.deadlines += frame.f_code.co_qualname == "Deadline.__init__" and not _is_part(frame.f_back)
        if not self.stops or self.stops[-1] != module:
            self.stops.append(module)

    def _is_followed(self) -> bool:
        try:
            return self._everywhere or asyncio.current_task() is self._task
        except RuntimeError:  # a callback of the loop, outside of any task
            return False

    @property
    def modules(self) -> list[str]:
        return list(dict.fromkeys(self.stops))

    def within(self, room: str) -> list[str]:
        """Return the stops in one room, without the way through others between them."""
        inside = [stop for stop in self.stops if stop.startswith(f"{room}/")]
        return [stop for at, stop in enumerate(inside) if not at or inside[at - 1] != stop]


def _is_part(caller: FrameType | None) -> bool:
    """Return whether a deadline is made of another one, as a part of its time."""
    return caller is not None and caller.f_code.co_qualname in ("Deadline.within", "Deadline.extended", "Deadline.hard")


def _way_to(frame: FrameType | None) -> list[str]:
    way: list[str] = []
    while frame is not None:
        if frame.f_code.co_filename.startswith(ROOT):
            way.append(f"{frame.f_code.co_filename.removeprefix(ROOT)}:{frame.f_code.co_name}")
        frame = frame.f_back
    return way[::-1]


async def click(browser: stillframe.Browser) -> Followed:
    """Follow a click on a button that changes the page, the second of its kind."""
    page = await browser.new_page()
    for _ in range(2):
        await page.goto(PAGE)
        with Followed() as followed:
            result = await page.click("text=Save")
    assert result.state_change is not None
    await page.close()
    return followed


async def agent_run(browser: stillframe.Browser) -> Followed:
    """Follow a run of two turns: the model clicks, and says that it is done."""
    from pydantic_ai import ModelMessage, ModelResponse, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.usage import RequestUsage

    from stillframe.agent import Orchestrator

    commands = iter(({"action": "click_element", "selector": "text=Save"}, None))

    async def reply(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        command = next(commands)
        decision = {"status": "continue", "commands": [command]} if command else {"status": "complete"}
        part = ToolCallPart(info.output_tools[0].name, decision)
        return ModelResponse(parts=[part], usage=RequestUsage(input_tokens=100, output_tokens=10))

    page = await browser.new_page()
    await page.goto(PAGE)
    with Followed() as followed:
        outcome = await Orchestrator(page, FunctionModel(reply, model_name=MODEL)).run("Save")
    assert outcome.status == "complete", outcome
    await page.close()
    return followed


async def crawl() -> Followed:
    """Follow a crawl of one page, from its start to its end."""
    from aiohttp import web

    from stillframe.farm.crawl import CrawlSettings, run_crawl
    from stillframe.testing.app_server import serving

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="<title>One</title><p>One page", content_type="text/html")

    app = web.Application()
    app.router.add_get("/", answer)
    with tempfile.TemporaryDirectory() as folder:
        async with serving(app) as port:
            with Followed(everywhere=True) as followed:
                summary = await run_crawl(
                    CrawlSettings(urls=(f"http://127.0.0.1:{port}/",)), out=Path(folder) / "out", concurrency=1
                )
    assert summary.done == 1, summary
    return followed


def show(what: str, followed: Followed, room: str | None = None) -> None:
    figures = f"{len(followed.modules)} modules, {len(followed.stops)} stops, {followed.calls} calls"
    print(f"{what}: {figures}, {followed.deadlines} deadlines")
    if room:
        stops = followed.within(room)
        print(f"  of these in {room}/: {len(set(stops))} modules, {len(stops)} stops")
    print(f"  the longest way to the browser: {len(followed.way)} functions")
    if "--modules" in sys.argv:
        print("  modules: " + " ".join(followed.modules))
        print("  way: " + " ".join(followed.way))


async def main() -> None:
    async with stillframe.launch() as browser:
        show("one click", await click(browser))
        show("one run of the agent, of two turns", await agent_run(browser), "agent")
    show("one crawl of one page", await crawl(), "farm")


if __name__ == "__main__":
    asyncio.run(main())
