"""The film of a page as the caller holds it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from stillframe.errors import WaitTimeout
from stillframe.tab.deadline import CALL_MS, in_seconds
from stillframe.tab.saving import copied

if TYPE_CHECKING:
    from stillframe.video.film import Film


class Video:
    """The film of a page, a WebM file; `page.video` gives it where the context has a `record_video_dir`.

    It begins with the page and ends when the page or its context closes. The close of the context waits until the file
    is complete.
    """

    def __init__(self, film: Film) -> None:
        self._film = film

    def __repr__(self) -> str:
        return f"Video({str(self._film.path)!r})"

    async def path(self) -> Path:
        """Return the file, which is complete once the context is closed; waits for nothing.

        Raises:
            VideoFailed: ffmpeg could not make it, or the page closed before it was drawn.
        """
        if self._film.error is not None:
            raise self._film.error
        return self._film.path

    async def save_as(self, path: str | os.PathLike[str], *, timeout_ms: float | None = CALL_MS) -> Path:
        """Wait until the page is closed and its file complete, copy it to a path, and return that.

        Args:
            path: Where to copy it; a file there is replaced, and missing directories are made.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            VideoFailed: ffmpeg could not make it, or the page closed before it was drawn.
            WaitTimeout: It is not complete within `timeout_ms`.
            OptionInvalid: The path is a directory.
            OSError: The copy cannot be written.
        """
        await self._complete(timeout_ms)
        return await asyncio.to_thread(copied, await self.path(), path)

    async def delete(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Wait until the page is closed and its file complete, and delete it.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            WaitTimeout: It is not complete within `timeout_ms`.
            OSError: The file cannot be deleted.
        """
        await self._complete(timeout_ms)
        await asyncio.to_thread(self._film.path.unlink, missing_ok=True)

    async def _complete(self, timeout_ms: float | None) -> None:
        await asyncio.wait({self._film.task}, timeout=in_seconds(timeout_ms))
        if not self._film.task.done():
            missing = "ffmpeg still writes it" if self._film.ended else "its page is still open; close the page first"
            raise WaitTimeout(f"the film {self._film.path} is not complete after {timeout_ms:g} ms: {missing}")
