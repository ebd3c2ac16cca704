"""What the tests of the protocol client share: a scripted browser, and a Chromium started without `chrome`."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from stillframe.cdp import CDPSession, Connection, PipeTransport
from stillframe.cdp_types import page
from stillframe.testing import Peer

CHROMIUM = os.environ.get("STILLFRAME_CHROME") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), ""
)
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-component-update",
    "--disable-default-apps",
    "--site-per-process",
]


class Wired(NamedTuple):
    """A connection and the script at its other end."""

    connection: Connection
    peer: Peer

    async def session(self, session_id: str = "S", **more: object) -> CDPSession:
        """A page session, as if auto-attached."""
        self.peer.attach(session_id, **more)
        await self.connection.root.drain_events()
        return self.connection.sessions[session_id]


class Piped(NamedTuple):
    """A connection over a pipe, and the browser process behind it."""

    connection: Connection
    process: subprocess.Popen[bytes]


def spawn(profile: str) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start Chromium with its fds 3 and 4 on pipes; returns our ends."""
    (child_reads, we_write), (we_read, child_writes) = os.pipe(), os.pipe()
    arguments = [CHROMIUM, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
    shell = f'exec 3<&{child_reads} 4>&{child_writes}; exec "$@"'
    process = subprocess.Popen(
        ["bash", "-c", shell, "chromium", *arguments],
        pass_fds=(child_reads, child_writes),
        stderr=subprocess.DEVNULL,
    )
    os.close(child_reads)
    os.close(child_writes)
    return process, we_read, we_write


@asynccontextmanager
async def launched() -> AsyncIterator[Piped]:
    with tempfile.TemporaryDirectory(prefix="sf-cdp-", ignore_cleanup_errors=True) as profile:
        process, read_fd, write_fd = spawn(profile)
        try:
            async with Connection(PipeTransport(read_fd, write_fd)) as connection:
                yield Piped(connection, process)
            await asyncio.to_thread(process.wait, 10)
        finally:
            process.kill()
            process.wait()


class Live(NamedTuple):
    """A connection to the shared Chromium, and a page of one's own in it."""

    connection: Connection
    page: CDPSession

    async def goto(self, url: str) -> None:
        async with self.page.expect(page.LoadEventFired):
            await self.page.send(page.Navigate(url=url))
