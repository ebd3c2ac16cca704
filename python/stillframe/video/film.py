"""The film of one page: pictures of its screencast, written by a task to an ffmpeg of its own.

    Chrome ─screencast─▶ _take ─queue─▶ the task ─pipe─▶ ffmpeg ─▶ file

Every picture is acknowledged as soon as it comes, so a slow encoder never slows the page down: pictures that it cannot
take in time are left out, and those before them show for longer.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from stillframe.cdp.loop_clock import ClockTimer, loop_clock
from stillframe.cdp_types import page as cdp_page
from stillframe.security.private_files import write_private
from stillframe.security.redaction import logger
from stillframe.video import matroska
from stillframe.video.errors import VideoFailed
from stillframe.video.ffmpeg import Encoder, command
from stillframe.video.timeline import FPS, SLOT_MS, Timeline, slots_of

if TYPE_CHECKING:
    from pathlib import Path

    from stillframe.cdp import CDPSession
    from stillframe.tab.drawing import Drawing

QUALITY = 90
"""JPEG quality of the pictures, which the film compresses once more."""
QUEUED = FPS
"""Pictures that wait for the encoder: a second of a page that animates, some 2 MB."""
BEHIND_S = 3.0
"""Seconds that a picture waits for an encoder that is behind; then only pictures that differ are encoded."""
END_S = 30.0
"""Seconds that ffmpeg may take for what is left when the page is closed: some hundred frames, at 2 ms each unless the
machine is busy with other things."""
STDERR_SHOWN = 500
"""Characters of what ffmpeg wrote last that an error shows."""

log = logger("stillframe.video")


class _Picture(NamedTuple):
    data: str
    """The JPEG in Base64."""
    slot: int


class _Shown(NamedTuple):
    """A picture, and the slot in which it is gone."""

    picture: _Picture
    end: int
    gone_at: float
    """When that was known, by the loop's clock."""


class Film:
    """The film of one page, from now until the page closes or `end`."""

    def __init__(self, session: CDPSession, drawing: Drawing, path: Path, size: tuple[int, int], program: str) -> None:
        self.path = path
        self.error: VideoFailed | None = None
        """Why there is no film, or not all of it."""
        self._session = session
        self._size = size
        self._program = program
        self._loop = asyncio.get_running_loop()
        self._timeline = Timeline()
        self._latest: _Picture | None = None
        self._queue: deque[_Shown] = deque(maxlen=QUEUED)
        self._news = asyncio.Event()
        self.ended = False
        """Whether nothing more comes; what has come may still have to be encoded."""
        self._encoder: Encoder | None = None
        self._overdue: ClockTimer | None = None
        """Kills an ffmpeg that does not end."""
        width, height = size
        self._stop = drawing.film(
            cdp_page.StartScreencast(format="jpeg", quality=QUALITY, max_width=width, max_height=height)
        )
        self.task = self._loop.create_task(self._write(), name="stillframe-film")
        self._removers = [session.on(cdp_page.ScreencastFrame, self._take)]
        self._removers.append(session.on_closed(lambda _: self.end()))

    def __repr__(self) -> str:
        return f"Film({str(self.path)!r})"

    def end(self) -> None:
        """Take no more pictures, and write what has come; `written` waits for that. Idempotent."""
        if self.ended:
            return
        self.ended = True
        for remove in self._removers:
            remove()
        self._stop()
        if self._latest is not None:
            self._show_until(self._timeline.end(self._loop.time()))
        self._news.set()
        if not self.task.done():
            clock = loop_clock()
            self._overdue = clock.call_at(clock.now() + END_S, self._give_up)

    def _give_up(self) -> None:
        self._fail(f"ffmpeg did not write the end within {END_S:g} s; the machine may be too slow for films")
        if self._encoder is not None:
            self._encoder.kill()

    # -- pictures that come ------------------------------------------------------------------------

    def _take(self, event: cdp_page.ScreencastFrame) -> None:
        self._session.post(cdp_page.ScreencastFrameAck(session_id=event.session_id))
        slot = self._timeline.slot(event.metadata.timestamp, self._loop.time())
        if self._latest is not None and self._latest.slot < slot:
            self._show_until(slot)
        self._latest = _Picture(event.data, slot)  # the last one of a slot is the one that shows

    def _show_until(self, slot: int) -> None:
        assert self._latest is not None  # the callers look
        self._queue.append(_Shown(self._latest, slot, self._loop.time()))
        self._news.set()

    # -- the task ----------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Encode what comes until the end; note and log what fails."""
        try:
            if (shown := await self._next()) is None:
                self._fail("the page closed before it was drawn")
            else:
                await self._encode(shown)
        except OSError as error:
            self._fail(error.strerror or str(error))
        finally:
            self.end()
            if self._overdue is not None:
                self._overdue.cancel()
            self._queue.clear()

    async def _encode(self, shown: _Shown) -> None:
        write_private(self.path, b"")  # the encoder writes into a file that is its owner's alone
        encoder = self._encoder = Encoder(command(self._program, self.path, *self._size))
        remove = encoder.process.on_stderr(self._news.set)
        try:
            with contextlib.suppress(BrokenPipeError):
                await self._feed(encoder, shown)
            if (status := await encoder.finish()) != 0 or not self.ended:
                wrote = encoder.process.stderr_tail().strip()[-STDERR_SHOWN:]
                self._fail(f"ffmpeg ended with the status {status}{wrote and f': {wrote}'}")
        finally:
            remove()
            encoder.release()

    async def _feed(self, encoder: Encoder, shown: _Shown | None) -> None:
        await encoder.write(matroska.head(*self._size))
        while shown is not None:
            jpeg = base64.b64decode(shown.picture.data)
            behind = self._loop.time() - shown.gone_at > BEHIND_S
            for slot in slots_of(shown.picture.slot, shown.end, behind=behind):
                await encoder.write(matroska.picture(jpeg, slot * SLOT_MS))
            shown = await self._next(encoder)

    async def _next(self, encoder: Encoder | None = None) -> _Shown | None:
        """Wait for a picture whose time is over; None after the last one. Raises BrokenPipeError without ffmpeg."""
        while not self._queue:
            if self.ended:
                return None
            self._news.clear()
            await self._news.wait()
            if encoder is not None and encoder.process.stderr_closed.is_set():
                raise BrokenPipeError
        return self._queue.popleft()

    def _fail(self, reason: str) -> None:
        if self.error is not None:
            return  # what follows from it
        self.error = VideoFailed(f"the film {self.path} is missing or incomplete: {reason}", path=str(self.path))
        log.warning("%s", self.error)
        with contextlib.suppress(OSError):
            if self.path.stat().st_size == 0:
                self.path.unlink()
