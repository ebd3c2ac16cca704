"""What every rival stands on: a warm Chromium, a relay that counts, and the CPU time of both sides."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil

from bench.settle.rivals.find import HERE
from bench.settle.rivals.program import Program, tree
from stillframe import chrome
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import target

BLANK = "about:blank"


class Figures(NamedTuple):
    """What has been used and has passed, between two moments or up to one. CPU in milliseconds."""

    sent: int
    received: int
    messages: int
    client_ms: float
    browser_ms: float

    def since(self, before: Figures) -> Figures:
        """Return what was added after `before`."""
        return Figures(*(now - then for now, then in zip(self, before, strict=True)))


class Stage:
    """A browser of a rival's own and the relay before it; made by `Stage.ready`, ended by `aclose`."""

    def __init__(self, browser: chrome.BrowserProcess, relay: Program, port: int, tab: str) -> None:
        self.port = port
        """Where the rival finds its browser: a DevTools endpoint on loopback, behind the relay."""
        self.tab = tab
        """The target id of the page that the rival uses."""
        self._browser = browser
        self._relay = relay
        self._watched: list[psutil.Process] = []
        self._client: list[psutil.Process] = []

    @classmethod
    async def ready(cls) -> Stage:
        """Launch the browser with one blank page, and the relay."""
        async with contextlib.AsyncExitStack() as stack:
            # aclose is pushed for both: whatever fails in here leaves nothing behind.
            browser = await chrome.launch(chrome.LaunchOptions(port=0))
            stack.push_async_callback(browser.aclose)
            tab = (await browser.connection.root.send(target.CreateTarget(url=BLANK))).target_id
            port = urlsplit(browser.info.endpoint or "").port
            relay = await Program.started((sys.executable, HERE / "relay.py", str(port)), browser.temp_dir)
            stack.push_async_callback(relay.aclose)
            own = (await relay.request("port"))["port"]
            stack.pop_all()
            return cls(browser, relay, own, tab)
        raise AssertionError  # the block returns or raises

    @property
    def folder(self) -> Path:
        """A directory for files of the rival, which goes with the browser."""
        return self._browser.temp_dir

    @property
    def endpoint(self) -> str:
        """The DevTools address that the rival connects to."""
        return f"http://127.0.0.1:{self.port}"

    def watch(self, client: Program) -> None:
        """Note which processes are the rival's and which the browser's; scanning for them takes some milliseconds."""
        self._client = tree(client.pid)
        self._watched = tree(self._browser.pid)

    async def figures(self) -> Figures:
        """Read all counters, for the processes that `watch` noted."""
        counts = await self._relay.request("counts")
        return Figures(
            counts["sent"], counts["received"], counts["messages"], _cpu_ms(self._client), _cpu_ms(self._watched)
        )

    def newborn_ms(self) -> float:
        """Return the CPU time of browser processes that began after `watch`: navigations may start one."""
        return _cpu_ms([process for process in tree(self._browser.pid) if process not in self._watched])

    async def park(self) -> None:
        """Close what the page opened, and empty the page, so that it takes no CPU from other lanes."""
        root = self._browser.connection.root
        for info in (await root.send(target.GetTargets())).target_infos:
            if info.type == "page" and info.target_id != self.tab:
                await root.send(target.CloseTarget(target_id=info.target_id))
        session = await root.attach(self.tab)
        try:
            await session.send(cdp_page.Navigate(url=BLANK), timeout=5)
        finally:
            await session.detach()

    async def aclose(self) -> None:
        """End the relay and the browser, and remove its profile and `folder`."""
        try:
            await self._relay.aclose()
        finally:
            await self._browser.aclose()


def _cpu_ms(processes: list[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total * 1000
