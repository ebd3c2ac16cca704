"""A pool of browsers whose pages are reused: the shell of I/O around the planner."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stillframe import launch
from stillframe.cdp_types import browser as cdp_browser
from stillframe.errors import BrowserError, CommandError, LaunchFailed, StillframeError
from stillframe.extend import time_limit
from stillframe.extend.browsers import remove_stale_profiles
from stillframe.farm.errors import PoolClosed, PoolTimeout
from stillframe.farm.output.durable import free_bytes
from stillframe.farm.pool.memory import memory_share, pss_of_tree
from stillframe.farm.pool.planner import Close, Decision, Launch, Planner
from stillframe.farm.pool.pooled_browser import PooledBrowser, PooledPage
from stillframe.farm.pool.settings import PoolSettings
from stillframe.farm.pool.status import BrowserStatus, PoolStatus
from stillframe.security.redaction import logger

_log = logger(__name__)
ARGS = ("--disable-features=BackForwardCache",)
"""A pooled page goes forward only: kept documents would cost memory, and 6 % of the client's CPU (measured)."""


INIT = 1
WITHOUT_INIT = (
    "this process is the first of its container (PID 1) and does not reap the zombies that Chrome leaves: start the "
    "container with an init, as `docker run --init` does"
)


@dataclass(frozen=True)
class Probes:
    """How a pool reads its machine; tests replace them."""

    memory: Callable[[], float] = memory_share
    free_disk: Callable[[Path], float] = free_bytes
    pss: Callable[[int], int] = pss_of_tree


@dataclass(eq=False)
class _Waiting:
    identity: str
    avoid: int | None
    chosen: asyncio.Future[int]


class BrowserPool:
    """Browsers that lend their pages: `async with BrowserPool() as pool:` and `async with pool.page() as lent:`.

    A pool launches its browsers one after the other, replaces those that end or get old, and lends a page when one is
    free and the machine has memory and disk for it.

    Args:
        settings: How many browsers there are, and how long each lives.
        options: Those of `stillframe.launch`.
        probes: How the pool reads its machine; tests replace them.
    """

    def __init__(
        self,
        settings: PoolSettings | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        probes: Probes | None = None,
    ) -> None:
        self.settings = settings or PoolSettings()
        self._options = {**(options or {}), "args": [*ARGS, *(options or {}).get("args", ())]}
        self._probes = probes or Probes()
        self._planner = Planner(self.settings)
        self._browsers: dict[int, PooledBrowser] = {}
        self._waiting: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._launch_error: BrowserError | None = None
        self._entered = False
        self._changed = asyncio.Event()

    @property
    def options(self) -> dict[str, Any]:
        """The options of its browsers."""
        return dict(self._options)

    # -- its life ----------------------------------------------------------------------------------

    async def __aenter__(self) -> BrowserPool:
        if self._planner.closed:
            self._planner = Planner(self.settings)  # crawlee enters its crawler's pool once per run
        await asyncio.to_thread(remove_stale_profiles)
        if os.getpid() == INIT:
            _log.warning(WITHOUT_INIT)
        self._entered = True
        await self._measure()
        self._spawn(self._watch(), "watch pool")
        self._spawn(self._empty_idle(), "empty idle pages")
        self._step()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.shield(self.close())

    async def drain(self) -> None:
        """Lend no more pages, and return when all are back and all browsers closed."""
        self._planner.drain()
        self._refuse(PoolClosed("The browser pool is closing and lends no more pages"))
        self._step()
        while self._planner.slots:
            self._changed.clear()
            await self._changed.wait()

    async def close(self) -> None:
        """End all browsers now; pages in use fail with ConnectionLost. Idempotent."""
        self._planner.drain()
        self._refuse(PoolClosed("The browser pool is closed"))
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            if not task.get_name().startswith("close"):
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        browsers = list(self._browsers.values())
        self._browsers.clear()
        await asyncio.gather(*(each.close() for each in browsers))

    # -- lending -----------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def page(
        self,
        identity: str = "",
        *,
        avoid: int | None = None,
        context: Mapping[str, Any] | None = None,
        timeout_ms: float | None = None,
    ) -> AsyncIterator[PooledPage]:
        """Lend a page of an identity: all pages of one share cookies and storage, and no others do.

        Args:
            identity: The name of the identity.
            avoid: The number of a browser that is taken only if no other is free.
            context: The options of `new_context` for the first page of an identity in a browser.
            timeout_ms: How long to wait for a page, in ms: `page_timeout_s` of the settings by default.

        Yields:
            The page, until the end of the block.

        Raises:
            PoolClosed: The pool is closed.
            PoolTimeout: No page is free within `timeout_ms`.
            BrowserError: Browsers cannot be launched.
        """
        timeout = self.settings.page_timeout_s if timeout_ms is None else timeout_ms / 1000
        pooled = await self._lend(identity, avoid, context, timeout)
        failed = True
        try:
            yield pooled
            failed = False
        finally:
            await asyncio.shield(self._take_back(pooled, failed=failed))

    async def _lend(
        self, identity: str, avoid: int | None, context: Mapping[str, Any] | None, timeout: float
    ) -> PooledPage:
        started = time.monotonic()
        while True:
            number = await self._choose(identity, avoid, timeout - (time.monotonic() - started))
            browser = self._browsers.get(number)
            try:
                if browser is not None:
                    return await browser.open(identity, context)
            except CommandError:
                if not browser or not browser.browser.closed:
                    self._give_back(number)
                    raise
            except BaseException:
                self._give_back(number)
                raise
            self._give_back(number)  # the browser ended in between: the next one is tried

    async def _choose(self, identity: str, avoid: int | None, left: float) -> int:
        if self._planner.closed or not self._entered:
            raise PoolClosed("The browser pool is not open; use it inside of its `async with` block")
        waiting = _Waiting(identity, avoid, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._step()
        try:
            async with time_limit(left):
                return await asyncio.shield(waiting.chosen)
        except TimeoutError:
            self._abandon(waiting)
            raise self._timed_out(left) from self._launch_error
        except asyncio.CancelledError:
            self._abandon(waiting)
            raise

    def _abandon(self, waiting: _Waiting) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
        if not waiting.chosen.cancel() and waiting.chosen.exception() is None:
            self._give_back(waiting.chosen.result())

    def _timed_out(self, left: float) -> PoolTimeout:
        reason = self._planner.choose()
        reason = "pages" if isinstance(reason, int) else reason
        return PoolTimeout(
            f"No page was free within {max(0.0, left):.1f} s, because of {reason}: wait longer, use fewer pages at "
            "once, or give the machine more of it",
            reason=reason,
        )

    async def _take_back(self, pooled: PooledPage, *, failed: bool) -> None:
        browser = self._browsers.get(pooled.browser)
        try:
            if browser is not None and not browser.browser.closed:
                await browser.take_back(pooled, failed=failed)
        finally:
            self._give_back(pooled.browser)

    def _give_back(self, number: int) -> None:
        self._planner.returned(number)
        self._step()

    # -- the planner's shell -----------------------------------------------------------------------

    def _step(self) -> None:
        """Carry out what the planner decides, and give browsers to those who wait, in their order."""
        now = time.monotonic()
        for decision in self._planner.decide(now):
            self._do(decision)
        if self._planner.failures >= self.settings.launch_attempts and self._launch_error is not None:
            self._refuse(self._launch_error)
        while self._waiting:
            number = self._planner.choose(self._waiting[0].avoid)
            if not isinstance(number, int):
                break
            self._planner.taken(number)
            self._waiting.pop(0).chosen.set_result(number)
        self._set_timer(now)
        self._changed.set()

    def _set_timer(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        at = self._planner.next_change(now)
        self._timer = None if at is None else asyncio.get_running_loop().call_later(at - now, self._step)

    def _do(self, decision: Decision) -> None:
        if isinstance(decision, Launch):
            self._spawn(self._launch(decision.number), f"launch browser {decision.number}")
        elif isinstance(decision, Close):
            self._spawn(self._end(decision.number), f"close browser {decision.number}")
        else:
            self._shed_newest()

    async def _launch(self, number: int) -> None:
        try:
            browser = await launch(**self._options)
        except StillframeError as error:  # also OptionInvalid, for options that `launch` does not have
            _log.warning("browser %d did not start: %s", number, error)
            self._launch_error = error if isinstance(error, BrowserError) else LaunchFailed(str(error))
            self._planner.gone(time.monotonic(), number)
            self._step()
            return
        self._browsers[number] = PooledBrowser(number, browser, self.settings.contexts_per_browser)
        self._planner.started(time.monotonic(), number)
        browser.cdp_session.on_closed(lambda _: self._ended(number))
        self._step()

    def _ended(self, number: int) -> None:
        """Record that the connection to a browser closed, and remove what is left of it."""
        browser = self._browsers.pop(number, None)
        self._planner.gone(time.monotonic(), number)
        if browser is not None:
            _log.warning("browser %d ended with %d pages in use", number, len(browser.in_use))
            self._spawn(browser.close(), f"close browser {number}")
        self._step()

    async def _end(self, number: int) -> None:
        browser = self._browsers.pop(number, None)
        if browser is not None:
            await browser.close()
        self._planner.gone(time.monotonic(), number)
        self._step()

    def _shed_newest(self) -> None:
        pages = [page for browser in self._browsers.values() for page in browser.in_use if not page.shed.is_set()]
        if pages:
            pages[-1].shed.set()

    def _refuse(self, error: StillframeError) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.chosen.done():
                each.chosen.set_exception(error)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- watching ----------------------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self.settings.health_interval_s)
            await asyncio.gather(self._measure(), *(self._probe(each) for each in tuple(self._browsers.values())))
            self._step()

    async def _empty_idle(self) -> None:
        while True:
            await asyncio.sleep(self.settings.idle_blank_s)
            before = time.monotonic() - self.settings.idle_blank_s
            await asyncio.gather(*(each.empty_idle(before) for each in tuple(self._browsers.values())))

    async def _probe(self, browser: PooledBrowser) -> None:
        """Kill a browser that does not answer in time: one that is stopped still accepts connections."""
        try:
            await browser.browser.cdp_session.send(cdp_browser.GetVersion(), timeout=self.settings.health_deadline_s)
        except CommandError:
            if not browser.browser.closed:
                _log.warning("browser %d does not answer, so it is replaced", browser.number)
                await browser.close()

    async def _measure(self) -> None:
        pids = {number: each.browser.info.pid for number, each in self._browsers.items()}
        self._planner.measured(*await asyncio.to_thread(self._read, pids))

    def _read(self, pids: Mapping[int, int | None]) -> tuple[float, float, dict[int, int]]:
        pss = {number: self._probes.pss(pid) for number, pid in pids.items() if pid is not None}
        return self._probes.memory(), self._probes.free_disk(self.folder), pss

    @property
    def folder(self) -> Path:
        """The folder of the browsers' profiles, whose disk is watched."""
        return Path(self._options.get("profile") or tempfile.gettempdir())

    def status(self) -> PoolStatus:
        """Return what the pool is doing."""
        planner, now = self._planner, time.monotonic()
        chosen = planner.choose()
        return PoolStatus(
            browsers=tuple(
                BrowserStatus(
                    number=slot.number,
                    state=slot.state,
                    pages=slot.open,
                    served=slot.served,
                    age_s=now - slot.since,
                    pss_bytes=slot.pss_bytes,
                    doing=self._doing(slot.number),
                )
                for slot in planner.slots.values()
            ),
            launched=planner.launched,
            restarts=planner.restarts,
            shed=planner.shed,
            waiting=len(self._waiting),
            memory_share=planner.memory_share,
            free_disk_bytes=planner.free_disk_bytes,
            admitting=None if isinstance(chosen, int) else chosen,
        )

    def _doing(self, number: int) -> tuple[str, ...]:
        browser = self._browsers.get(number)
        return tuple(pooled.page.url for pooled in browser.in_use) if browser else ()
