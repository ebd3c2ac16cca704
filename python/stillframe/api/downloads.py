"""A download as the caller holds it."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import browser as cdp_browser
from stillframe.errors import CdpError, DownloadFailed, WaitTimeout
from stillframe.model.events import DownloadReport
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.events.recorder import PageEvent
from stillframe.tab.saving import copied
from stillframe.tab.tab import Tab

ENDED = ("completed", "canceled")


class Download:
    """A download that a page began; `page.on("download", …)` and `page.expect_download()` give it."""

    def __init__(self, report: DownloadReport, key: str, tab: Tab, page: Any) -> None:
        self._page = page
        self._key = key
        self._tab = tab
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._report = report
        self._remove = tab.recorder.listen(self._heard)
        self._take(report)

    def __repr__(self) -> str:
        return f"Download({self.suggested_filename!r}, {self._report.state})"

    @property
    def page(self) -> Any:
        """The page that began it."""
        return self._page

    @property
    def url(self) -> str:
        """Where it comes from."""
        return self._report.url

    @property
    def suggested_filename(self) -> str:
        """The name that the server or the page suggests; it may hold anything, so it is not a safe path."""
        return self._report.suggested_filename

    @property
    def report(self) -> DownloadReport:
        """Its latest state, as results of sequences show it."""
        return self._report

    async def path(self, *, timeout_ms: float | None = CALL_MS) -> Path:
        """Wait until the file is complete and return where it is; it goes with the context unless that has a directory.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            DownloadFailed: It was cancelled or refused.
            WaitTimeout: It is not complete within `timeout_ms`.
        """
        await self._end(Deadline.of_ms(timeout_ms))
        if self._report.path is None:
            raise DownloadFailed(
                f"the download of {self.suggested_filename!r} was cancelled, or the context refuses downloads",
                url=self.url,
            )
        return Path(self._report.path)

    async def save_as(self, path: str | os.PathLike[str], *, timeout_ms: float | None = CALL_MS) -> Path:
        """Wait until the file is complete, copy it to a path, and return that.

        Args:
            path: Where to copy it; a file there is replaced, and missing directories are made.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            DownloadFailed: It was cancelled or refused.
            WaitTimeout: It is not complete within `timeout_ms`.
            OptionInvalid: The path is a directory.
            OSError: The copy cannot be written.
        """
        source = await self.path(timeout_ms=timeout_ms)
        return await asyncio.to_thread(copied, source, path)

    async def failure(self, *, timeout_ms: float | None = CALL_MS) -> str | None:
        """Wait until the download ends, and return why it failed; None if it did not.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            WaitTimeout: It has not ended within `timeout_ms`.
        """
        await self._end(Deadline.of_ms(timeout_ms))
        if self._report.path is not None or self._report.state == "completed":
            return None
        return "canceled"

    async def cancel(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Stop the download and wait until it has ended; does nothing if it has already.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            WaitTimeout: It has not ended within `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        if self._ended.done():
            return
        command = cdp_browser.CancelDownload(guid=self._key, browser_context_id=self._tab.context.id)
        with suppress(CdpError):  # it has just ended
            await self._tab.session.root.send(command, timeout=deadline.left_s)
        await self._end(deadline)

    async def delete(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Wait until the download ends, and delete its file if there is one.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            WaitTimeout: It has not ended within `timeout_ms`.
            OSError: The file cannot be deleted.
        """
        await self._end(Deadline.of_ms(timeout_ms))
        if self._report.path is not None:
            await asyncio.to_thread(Path(self._report.path).unlink, missing_ok=True)

    async def _end(self, deadline: Deadline) -> None:
        try:
            async with time_limit(deadline.left_s):
                await asyncio.shield(self._ended)
        except TimeoutError:
            raise WaitTimeout(
                f"the download of {self.suggested_filename!r} did not end within {deadline.timeout * 1000:g} ms"
            ) from None

    def _heard(self, event: PageEvent, key: str, _update: bool) -> None:
        if isinstance(event, DownloadReport) and key == self._key:
            self._take(event)

    def _take(self, report: DownloadReport) -> None:
        self._report = report
        if report.state in ENDED and not self._ended.done():
            self._ended.set_result(None)
            self._remove()
