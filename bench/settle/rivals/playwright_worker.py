"""Playwright for Python behind JSON-RPC on stdio; runs in any Python that has Playwright, and ends with its stdin."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from playwright.async_api import Error, Page, TimeoutError, async_playwright

LOOK = Path(__file__).with_name("look.js").read_text()
FRAME_TIMEOUT_S = 3.0
LINE_LIMIT = 1 << 20


class Worker:
    """One page of one browser, and the requests it serves."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._page: Page | None = None
        self._context: Any = None

    @property
    def page(self) -> Page:
        assert self._page is not None, "nothing is open"
        return self._page

    async def connect(self, endpoint: str) -> None:
        browser = await self._driver.chromium.connect_over_cdp(endpoint)
        self._context = browser.contexts[0]

    async def open(self, url: str) -> None:
        before = self._context.pages
        self._page = await self._context.new_page()
        self._page.on("dialog", lambda dialog: dialog.accept())
        for page in before:
            await page.close()
        # A load event that never comes is a behaviour of the page, not a failure of ours.
        with contextlib.suppress(TimeoutError):
            await self.page.goto(url, timeout=5000)

    async def prepare(self, kind: str, selector: str, value: str) -> None:  # noqa: ARG002  a key of the request
        if kind == "key" and selector:
            await self.page.focus(selector)
        elif kind == "scroll" and selector:
            await self.page.hover(selector)
        elif kind == "scroll":
            await self.page.mouse.move(200, 200)

    async def act(self, kind: str, selector: str, value: str, limit: float) -> dict[str, Any]:
        reason, capped = None, False
        acted = time.time()
        try:
            if kind == "navigate":
                await self.page.goto(value, wait_until="networkidle", timeout=limit)
            else:
                await self._do(kind, selector, value)
                await self.page.wait_for_load_state("networkidle", timeout=limit)
        except TimeoutError as error:
            reason, capped = first_line(error), True
        except Error as error:
            reason = first_line(error)
        returned = time.time()
        return {"actedAt": acted * 1000, "returnedAt": returned * 1000, "reason": reason, "capped": capped}

    async def _do(self, kind: str, selector: str, value: str) -> None:
        match kind:
            case "click":
                await self.page.click(selector)
            case "type":
                await self.page.fill(selector, value)
            case "key":
                await self.page.keyboard.press(value)
            case "hover":
                await self.page.hover(selector)
            case "scroll":
                await self.page.mouse.wheel(0, int(value or 500))

    async def look(self) -> str:
        return "\n".join([await self._text(frame) for frame in self.page.frames])

    async def _text(self, frame: Any) -> str:
        try:
            async with asyncio.timeout(FRAME_TIMEOUT_S):
                return str(await frame.evaluate(LOOK))
        except (Error, builtins.TimeoutError):
            return await self._aria(frame)

    async def _aria(self, frame: Any) -> str:
        # Read in a world of Playwright's own, where a page has overridden nothing.
        try:
            return str(await frame.locator("body").aria_snapshot(timeout=FRAME_TIMEOUT_S * 1000))
        except Error:
            return ""


def first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


async def main() -> None:
    """Serve requests, one at a time, until stdin ends."""
    lines = asyncio.StreamReader(limit=LINE_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with async_playwright() as driver:
        worker = Worker(driver)
        while line := await lines.readline():
            request = json.loads(line)
            try:
                answer = {"result": await getattr(worker, request["method"])(**request["params"])}
            except Exception as error:
                answer = {"error": {"code": -32000, "message": first_line(error)}}
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
