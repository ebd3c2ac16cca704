"""What every rival stands on: a warm Chromium, a relay that counts, and the CPU time of both sides."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil

from bench.settle.lanes import mark_expression
from bench.settle.rivals.find import HERE
from bench.settle.rivals.program import Program, tree
from stillframe import chrome
from stillframe.cdp_types import runtime, target

BLANK = "about:blank"
ASK_TIMEOUT_S = 2.0


class Figures(NamedTuple):
    """What a wait took: bytes and messages between the rival and its browser, and milliseconds of CPU of both."""

    sent: int
    received: int
    messages: int
    client_ms: float
    browser_ms: float


class Cpu:
    """The CPU time that a process and its descendants use from now on.

    A process that ends meanwhile counts nothing: what it used last can no longer be asked.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._then = {process: _cpu_ms(process) for process in tree(pid)}

    def ms(self) -> float:
        """Return what the processes of the beginning have used; reads some files, so it takes well below 1 ms."""
        return sum(max(0.0, _cpu_ms(process) - then) for process, then in self._then.items())

    def newborn_ms(self) -> float:
        """Return what later ones have used; looks for them, which takes some milliseconds."""
        return sum(_cpu_ms(process) for process in tree(self._pid) if process not in self._then)


class Stage:
    """A browser of a rival's own and the relay before it; made by `Stage.ready`, ended by `aclose`."""

    def __init__(self, browser: chrome.BrowserProcess, relay: Program, port: int) -> None:
        self.port = port
        """Where the rival finds its browser: a DevTools endpoint on loopback, behind the relay."""
        self._browser = browser
        self._relay = relay
        self._client_cpu = self._browser_cpu = Cpu(browser.pid)
        self._counts: dict[str, int] = {}

    @classmethod
    async def ready(cls) -> Stage:
        """Launch the browser with one blank page, and the relay."""
        async with contextlib.AsyncExitStack() as stack:
            # aclose is pushed for both: whatever fails in here leaves nothing behind.
            browser = await chrome.launch(chrome.LaunchOptions(port=0))
            stack.push_async_callback(browser.aclose)
            await browser.connection.root.send(target.CreateTarget(url=BLANK))
            port = urlsplit(browser.info.endpoint or "").port
            relay = await Program.started((sys.executable, HERE / "relay.py", str(port)), browser.temp_dir)
            stack.push_async_callback(relay.aclose)
            own = (await relay.request("port"))["port"]
            stack.pop_all()
            return cls(browser, relay, own)
        raise AssertionError  # the block returns or raises

    @property
    def folder(self) -> Path:
        """A directory for files of the rival, which goes with the browser."""
        return self._browser.temp_dir

    @property
    def endpoint(self) -> str:
        """The DevTools address that the rival connects to."""
        return f"http://127.0.0.1:{self.port}"

    async def begin(self, client: Program) -> None:
        """Start to count for a wait that is about to begin."""
        self._client_cpu = Cpu(client.pid)
        self._browser_cpu = Cpu(self._browser.pid)
        self._counts = await self._relay.request("counts")

    async def used(self) -> Figures:
        """Return what has been used since `begin`; quick, so that it may come before a look at the page."""
        counts = await self._relay.request("counts")
        sent, received, messages = (counts[name] - self._counts[name] for name in ("sent", "received", "messages"))
        return Figures(sent, received, messages, self._client_cpu.ms(), self._browser_cpu.ms())

    def newborn_ms(self) -> float:
        """Return the CPU time of the browser's processes that are younger than `begin`: navigations start some."""
        return self._browser_cpu.newborn_ms()

    async def marks(self) -> dict[str, float]:
        """Read the marks of the rival's page over our own connection, which no override of the page keeps out.

        Raises CommandTimeout when the page does not answer, as while it shows a dialog.
        """
        session = await self._browser.connection.root.attach(await self._tab())
        try:
            told = await session.send(
                runtime.Evaluate(expression=mark_expression(), return_by_value=True), timeout=ASK_TIMEOUT_S
            )
        finally:
            await session.detach()
        return {str(name): float(at) for name, at in (told.result.value or {}).items()}

    async def close_popups(self) -> None:
        """Close the pages that pages have opened."""
        for info in await self._pages():
            if info.opener_id is not None:
                await self._browser.connection.root.send(target.CloseTarget(target_id=info.target_id))

    async def _pages(self) -> list[target.TargetInfo]:
        infos = (await self._browser.connection.root.send(target.GetTargets())).target_infos
        return [info for info in infos if info.type == "page"]

    async def _tab(self) -> str:
        tabs = [info.target_id for info in await self._pages() if info.opener_id is None]
        return tabs[0]

    async def aclose(self) -> None:
        """End the relay and the browser, and remove its profile and `folder`."""
        try:
            await self._relay.aclose()
        finally:
            await self._browser.aclose()


def _cpu_ms(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system) * 1000
    return 0.0
