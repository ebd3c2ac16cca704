"""Every signal that ends a command also ends its browser."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from aiohttp import web

from site_server import Site

RUN = "from stillframe.cli import main; main()"
MAIN = (
    "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL); "
    f"signal.signal(signal.SIGINT, signal.default_int_handler); {RUN}"
)
"""The parent of the tests may ignore these signals, as nohup does, and child processes inherit that."""
NOHUP = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); {RUN}"
IN_TERMINAL = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {MAIN}"
BOUND = 30
"""Seconds for every wait; a browser starts and ends within one or two."""


class Waiting:
    """A page that reports when it loads, and shows `#done` when the test lets it."""

    def __init__(self, site: Site) -> None:
        self.shown = asyncio.Event()
        self.released = asyncio.Event()
        script = "fetch('/shown'); fetch('/released').then(() => { document.body.innerHTML = '<p id=done>done' })"
        self.url = site.html("/waiting", f"<body><script>{script}</script>")
        site.route("/shown", self._shown)
        site.route("/released", self._released)

    async def _shown(self, _: web.Request) -> web.Response:
        self.shown.set()
        return web.Response()

    async def _released(self, _: web.Request) -> web.Response:
        await self.released.wait()
        return web.Response()


@pytest.fixture
def waiting(site: Site) -> Iterator[Waiting]:
    waiting = Waiting(site)
    yield waiting
    waiting.released.set()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: Chromium puts a socket into its profile, and the path of a socket has at most 107 characters."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@asynccontextmanager
async def running(
    waiting: Waiting, folder: Path, code: str = MAIN, terminal: int | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a command in its own process that waits for `#done`, and return when its page has loaded."""
    file = folder / "sequence.json"
    file.write_text(json.dumps([{"action": "wait_for", "selector": "#done"}]))
    (folder / "tmp").mkdir()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, "run", file, "--url", waiting.url, "--action-timeout-ms", "60000"),
        stdin=terminal if terminal is not None else asyncio.subprocess.DEVNULL,
        stdout=terminal if terminal is not None else asyncio.subprocess.DEVNULL,
        stderr=terminal if terminal is not None else asyncio.subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(BOUND):
            await waiting.shown.wait()
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def below(process: asyncio.subprocess.Process) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def assert_nothing_left(folder: Path, browser: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(browser, timeout=BOUND)
    assert not alive
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.browser
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_a_signal_ends_the_browser_and_removes_its_profile(
    waiting: Waiting, folder: Path, number: signal.Signals
) -> None:
    async with running(waiting, folder) as process:
        browser = below(process)
        assert browser
        process.send_signal(number)
        assert await process.wait() == 130
    assert_nothing_left(folder, browser)


@pytest.mark.browser
async def test_a_terminal_that_closes_leaves_nothing(waiting: Waiting, folder: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        async with running(waiting, folder, IN_TERMINAL, theirs) as process:
            os.close(theirs)
            theirs = -1
            browser = below(process)
            os.close(ours)
            ours = -1
            assert await process.wait() == 130
    finally:
        for descriptor in (ours, theirs):
            if descriptor >= 0:
                os.close(descriptor)
    assert_nothing_left(folder, browser)


@pytest.mark.browser
async def test_a_hang_up_that_is_ignored_stays_ignored(waiting: Waiting, folder: Path) -> None:
    async with running(waiting, folder, NOHUP) as process:
        browser = below(process)
        process.send_signal(signal.SIGHUP)
        waiting.released.set()
        assert await process.wait() == 0
    assert_nothing_left(folder, browser)
