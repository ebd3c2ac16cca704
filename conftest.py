"""Fixtures for all tests: a shared browser, a fresh page, a page server, and a check for leaks after every test."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from cdp_support import Wired
from hypothesis import settings

import stillframe
from site_server import PAGES, Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp import Connection
from stillframe.chrome.profile import OWNER_FILE, Owner
from stillframe.testing import MemoryTransport

settings.register_profile("stillframe", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("stillframe")

PIPE = os.environ.get("STILLFRAME_TEST_PIPE", "auto")
"""What the shared browser speaks: with "json" here everything is tested over a JSON pipe."""

GRACE = 2.0
"""Seconds that tasks and processes have to end after a test; most need one turn of the loop."""

BROWSER_FIXTURES = frozenset({"browser", "virtual_time_browser"})


@pytest.hookimpl(tryfirst=True)  # before the option -m selects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses a shared browser; tests that start one themselves carry the marker in their file."""
    for item in items:
        if BROWSER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
async def site_server() -> AsyncIterator[Site]:
    async with Site(PAGES) as site:
        yield site


@pytest.fixture
def site(site_server: Site) -> Site:
    site_server.reset()
    return site_server


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One browser for all tests that do not end it."""
    async with stillframe.launch(pipe=PIPE) as browser:
        yield browser


@pytest.fixture(scope="session")
async def virtual_time_browser() -> AsyncIterator[Browser]:
    """One browser whose pages let their clocks be taken."""
    async with stillframe.launch(virtual_time=True) as browser:
        yield browser


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A fresh page in a context of its own, so that nothing of another test is in it."""
    async with await browser.new_context() as context, await context.new_page() as page:
        yield page


@pytest.fixture
async def wired() -> AsyncIterator[Wired]:
    """A connection to a scripted peer in memory."""
    transport = MemoryTransport()
    async with Connection(transport) as connection:
        yield Wired(connection, transport.peer_side)
    assert not connection.pending


@pytest.fixture
def shared_parts(request: pytest.FixtureRequest) -> None:
    """Start the shared parts a test uses first, so that they are not taken for its leaks."""
    for shared in ("site_server", "browser", "virtual_time_browser"):
        if shared in request.fixturenames:
            request.getfixturevalue(shared)


@pytest.fixture(autouse=True)
async def no_leaks(shared_parts: None) -> AsyncIterator[None]:
    """Fail the test that leaves a task, a child process, a pipe or file, or a profile behind."""
    before = _owned()
    yield
    async with asyncio.timeout(GRACE + 10):
        left = await _left_over(before)
    assert not left, f"left behind: {left}"


async def _left_over(before: dict[str, set[str]]) -> dict[str, set[str]]:
    deadline = asyncio.get_running_loop().time() + GRACE
    while True:
        left = {kind: more for kind, names in _owned().items() if (more := names - before[kind])}
        if not left or asyncio.get_running_loop().time() > deadline:
            return left
        # Real time is unavoidable here: processes end when the kernel says so.
        await asyncio.sleep(0.01)


def _owned() -> dict[str, set[str]]:
    return {
        "tasks": {task.get_name() for task in asyncio.all_tasks() if not _of_the_harness(task)},
        "processes": _children(),
        "descriptors": _descriptors(),
        "profiles": {path.name for path in Path(tempfile.gettempdir()).glob("stillframe-*") if _is_ours(path)},
    }


def _children() -> set[str]:
    """The processes that our threads have started; the kernel lists them, so no other process need be looked at."""
    pids = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        # A thread may end meanwhile; its children are another one's then.
        with contextlib.suppress(OSError):
            pids.update(listed.read_text().split())
    return pids


def _is_ours(profile: Path) -> bool:
    """Whether a profile is of this process: several test runs may share a machine."""
    try:
        owner = msgspec.json.decode((profile / OWNER_FILE).read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError):
        return False
    return owner.pid == os.getpid()


def _of_the_harness(task: asyncio.Task[object]) -> bool:
    module = getattr(task.get_coro(), "__module__", "") or ""
    code = getattr(task.get_coro(), "cr_code", None)
    home = code.co_filename if code is not None else ""
    return task is asyncio.current_task() or "pytest" in home or "aiohttp" in home or "aiohttp" in module


def _descriptors() -> set[str]:
    """Open pipes and files; sockets are left out because the test site's come and go with the browser's."""
    names = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            continue
        if not target.startswith(("socket:", "/proc/", "/dev/")):
            names.add(f"{fd}:{target}")
    return names
