"""The pool with real browsers: pages are reused, identities are apart, and browsers that end are replaced."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import psutil
import pytest

from processes import named
from sampling import sampled
from site_server import Site
from stillframe.errors import (
    BrowserError,
    ConnectionLost,
    OptionInvalid,
    PoolClosed,
    PoolTimeout,
    StillframeError,
    TargetCrashed,
)
from stillframe.farm.pool import BrowserPool, PooledPage, PoolSettings, Probes, browser_pool
from stillframe.farm.pool.planner import MB

pytestmark = pytest.mark.browser

QUICK = {"launch_stagger_s": 0.05, "first_backoff_s": 0.05, "health_interval_s": 0.1}
LIMIT = 30
"""Seconds for every wait; a browser starts in less than one."""


@asynccontextmanager
async def opened(
    probes: Probes | None = None, options: dict[str, Any] | None = None, **settings: Any
) -> AsyncIterator[BrowserPool]:
    async with (
        asyncio.timeout(2 * LIMIT),
        BrowserPool(PoolSettings(**{**QUICK, **settings}), options=options, probes=probes) as pool,
    ):
        yield pool


@pytest.fixture(scope="module")
async def kept() -> AsyncIterator[BrowserPool]:
    """One pool for the tests that leave its browser as it is."""
    async with BrowserPool(PoolSettings(**QUICK, pages_per_browser=2)) as pool:
        yield pool


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(LIMIT):
        while not condition():  # noqa: ASYNC110 - the pool has no event for it
            await asyncio.sleep(0.01)


def pid_of(pool: BrowserPool, number: int = 1) -> int:
    pid = pool._browsers[number].browser.info.pid
    assert pid is not None
    return pid


async def test_pages_are_reused_in_one_context_and_identities_are_apart(site: Site, kept: BrowserPool) -> None:
    url, pool = site.html("/a", "<title>a</title>"), kept
    async with asyncio.timeout(2 * LIMIT):
        async with pool.page() as first:
            await first.page.goto(url)
            await first.page.evaluate("document.cookie = 'who=me'")
        async with pool.page() as second:
            assert second.page is first.page
            await second.page.goto(url)
            assert await second.page.evaluate("document.cookie") == "who=me"
        async with pool.page("other") as third:
            await third.page.goto(url)
            assert await third.page.evaluate("document.cookie") == ""
            assert third.page.context is not first.page.context
        assert pool.status().launched == 1


async def test_a_page_that_is_not_as_it_was_is_closed(kept: BrowserPool) -> None:
    async def fail(_: PooledPage) -> None:
        raise KeyError

    async def refuse(lent: PooledPage) -> None:
        lent.reuse = False

    async def route(lent: PooledPage) -> None:
        await lent.page.route("**", lambda route: route.continue_())

    async def add_script(lent: PooledPage) -> None:
        await lent.page.add_init_script("window.mine = 1")

    async def nothing(_: PooledPage) -> None: ...

    pool, used_again = kept, set()
    async with asyncio.timeout(2 * LIMIT):
        for change in (fail, refuse, route, add_script, nothing):
            with contextlib.suppress(KeyError):
                async with pool.page() as lent:
                    await change(lent)
            async with pool.page() as other:
                if other.page is lent.page:
                    used_again.add(change)
    assert used_again == {nothing}


async def test_the_garbage_of_a_kept_page_is_collected() -> None:
    async with opened() as pool:
        async with pool.page() as first:
            await first.page.evaluate("(window.garbage = new WeakRef({}), 0)")
        left, uses = True, 0
        while left and uses < 10:  # V8 may keep for a while what was looked at
            async with pool.page() as lent:
                assert lent.page is first.page
                left, uses = await lent.page.evaluate("window.garbage.deref() !== undefined"), uses + 1
        assert not left


async def test_an_idle_page_is_emptied(site: Site) -> None:
    async with opened(idle_blank_s=0.05) as pool:
        async with pool.page() as lent:
            await lent.page.goto(site.html("/a", "a"))
        await until(lambda: lent.page.url == "about:blank")


async def test_the_least_used_identity_makes_room() -> None:
    async with opened(contexts_per_browser=2) as pool:
        for identity in ("a", "b", "a", "c"):
            async with pool.page(identity):
                pass
        browser = pool._browsers[1].browser
        assert len(browser.contexts) == 1 + 2


async def test_a_browser_is_replaced_after_its_pages() -> None:
    async with opened(recycle_pages=2, pages_per_browser=1) as pool:
        numbers: list[int] = []
        while len(numbers) < 8 and len(set(numbers)) < 2:
            async with pool.page() as lent:
                numbers.append(lent.browser)
        assert len(set(numbers)) == 2
        assert pool.status().restarts == 0


# test_farm_crawler_crawler.py crashes a browser.
@pytest.mark.parametrize("how", sampled(["kill", "crash"], keep=["kill"]))
async def test_a_browser_that_ends_fails_its_pages_at_once_and_is_replaced(how: str) -> None:
    async with opened() as pool:
        with pytest.raises(ConnectionLost):  # noqa: PT012 - the pool's block ends with the error
            async with pool.page() as lent:
                waiting = asyncio.create_task(lent.page.evaluate("new Promise(() => {})", timeout_ms=60_000))
                await asyncio.sleep(0)
                if how == "kill":
                    os.kill(pid_of(pool), signal.SIGKILL)
                else:
                    crashing = pool._browsers[1].browser.cdp_session.send_raw("Browser.crash")
                    await asyncio.gather(crashing, return_exceptions=True)
                async with asyncio.timeout(10):
                    await waiting
        async with pool.page(avoid=1) as after:
            assert after.browser != 1
        assert pool.status().restarts == 1


async def test_a_browser_that_does_not_answer_is_killed_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    for grace in ("EXIT_S", "SIGTERM_S"):  # a browser that is stopped uses none of it
        monkeypatch.setattr(f"stillframe.chrome.owned_process.{grace}", 0.1)
    # A busy machine lets a browser that runs take longer than some tenths of a second.
    async with opened(health_deadline_s=1.0) as pool:
        async with pool.page():
            pass
        pid = pid_of(pool)
        os.kill(pid, signal.SIGSTOP)
        await until(lambda: 1 not in pool._browsers)
        async with pool.page() as lent:
            assert lent.browser != 1
        await until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


async def test_a_crash_of_a_renderer_costs_one_page_and_the_end_of_the_gpu_process_nothing(
    site: Site, kept: BrowserPool
) -> None:
    pool = kept
    async with asyncio.timeout(2 * LIMIT), pool.page() as other:
        await other.page.goto(site.html("/a", "<p>shown</p>"))
        with pytest.raises(TargetCrashed):  # noqa: PT012 - the pool's block ends with the error
            async with pool.page() as lent:
                await lent.page.goto("about:blank")
                crash = lent.page.cdp_session.send_raw("Page.crash")
                await asyncio.gather(crash, return_exceptions=True)
                await lent.page.title()
        assert await other.page.evaluate("1 + 1") == 2
        async with pool.page() as again:
            assert await again.page.evaluate("2 + 2") == 4
        (gpu,) = named(pid_of(pool), "--type=gpu-process")
        gpu.kill()
        await asyncio.to_thread(psutil.wait_procs, [gpu], timeout=LIMIT)
        assert await other.page.screenshot()
        assert await other.page.evaluate("document.body.innerText") == "shown"
        assert pool.status().restarts == 0


async def test_a_close_that_is_cancelled_still_ends_the_browsers() -> None:
    pool = BrowserPool(PoolSettings(**QUICK))
    await pool.__aenter__()
    async with pool.page():
        pid = pid_of(pool)
    closing = asyncio.create_task(pool.__aexit__(None, None, None))
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait({closing})
    await until(lambda: not psutil.pid_exists(pid))


@pytest.mark.parametrize("options", [{"executable": "/bin/false"}, {"headles": True}])
async def test_a_browser_that_cannot_start_is_reported_after_some_tries(options: dict[str, Any]) -> None:
    async with opened(options=options, launch_attempts=2) as pool:
        with pytest.raises(BrowserError):
            async with pool.page():
                pass


async def test_memory_and_disk_stop_admission_and_shed_the_newest_page() -> None:
    share, disk = [0.1], [1e12]
    probes = Probes(memory=lambda: share[0], free_disk=lambda _: disk[0], pss=lambda _: 0)
    async with opened(probes, pages_per_browser=3, shed_interval_s=0.05) as pool:
        async with pool.page() as first, pool.page() as second:
            share[0] = 0.9
            await until(lambda: pool.status().admitting == "memory")
            with pytest.raises(PoolTimeout, match="memory") as refused:
                async with pool.page(timeout_ms=50):
                    pass
            assert refused.value.reason == "memory"
            share[0] = 0.96
            async with asyncio.timeout(LIMIT):
                await second.shed.wait()
            share[0], disk[0] = 0.1, 100 * MB
            assert isinstance(first.shed, asyncio.Event)
            await until(lambda: pool.status().admitting == "disk")
        with pytest.raises(PoolTimeout) as full:
            async with pool.page(timeout_ms=50):
                pass
        assert full.value.reason == "disk"


async def test_draining_waits_for_pages_and_closing_does_not() -> None:
    async with opened() as pool:
        async with pool.page() as lent:
            draining = asyncio.create_task(pool.drain())
            await asyncio.sleep(0)
            with pytest.raises(PoolClosed):
                async with pool.page():
                    pass
            assert await lent.page.evaluate("1") == 1
            assert not draining.done()
        await draining
        assert pool.status().browsers == ()
    async with opened() as pool, pool.page() as cut:
        await pool.close()
        with pytest.raises(StillframeError):
            await cut.page.evaluate("1")


async def test_who_stops_waiting_leaves_no_trace() -> None:
    async with opened(pages_per_browser=1) as pool:
        async with pool.page():
            waiting = asyncio.create_task(pool.page().__aenter__())
            await until(lambda: pool.status().waiting == 1)
            waiting.cancel()
            await asyncio.wait({waiting})
            assert pool.status().waiting == 0
        async with pool.page(timeout_ms=5_000):
            assert pool.status().browsers[0].pages == 1


async def test_a_container_without_init_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened():
        assert "PID 1" not in caplog.text
    monkeypatch.setattr(browser_pool, "INIT", os.getpid())
    async with opened():
        assert "docker run --init" in caplog.text


async def test_a_pool_that_was_not_entered_lends_nothing() -> None:
    with pytest.raises(PoolClosed, match="async with"):
        async with BrowserPool().page():
            pass
    with pytest.raises(OptionInvalid):
        PoolSettings(browsers=0)
