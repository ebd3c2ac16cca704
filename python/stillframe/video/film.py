"""The films of pages: pictures of a screencast, written by a task to an ffmpeg of its own; each context has its set.

    Chrome ─screencast─▶ _take ─queue─▶ the task ─pipe─▶ ffmpeg ─▶ file

Every picture is acknowledged as soon as it comes, so a slow encoder never slows the page down: pictures that it cannot
take in time are left out, and those before them show for longer.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from stillframe.cdp.loop_clock import ClockTimer, loop_clock
from stillframe.cdp_types import page as cdp_page
from stillframe.security.private_files import write_private
from stillframe.security.redaction import logger
from stillframe.video import matroska
from stillframe.video.errors import VideoFailed
from stillframe.video.ffmpeg import Encoder, command, find_ffmpeg
from stillframe.video.timeline import FPS, SLOT_MS, Timeline, slots_of

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.context.options import ContextOptions
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.drawing import Drawing
    from stillframe.tab.tab import Tab

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


# The films of one context: which pages have one, and their end with the context.

FITTING = 800
"""Pixels that the longer side of a film has at most unless its size is given, as in Playwright."""
WITHOUT_VIEWPORT = (800, 450)
"""The size of the films of pages that have the size of their window, as in Playwright."""


def size_of(options: ContextOptions) -> tuple[int, int]:
    """Return the width and the height of a context's films, in pixels; VP8 as written by ffmpeg needs even ones."""
    if (wanted := options.record_video_size) is not None:
        return _even(wanted.width, wanted.height)
    if (viewport := options.viewport) is None:
        return WITHOUT_VIEWPORT
    scale = min(1.0, FITTING / max(viewport.width, viewport.height))
    return _even(round(viewport.width * scale), round(viewport.height * scale))


def _even(width: int, height: int) -> tuple[int, int]:
    return max(2, width & ~1), max(2, height & ~1)


class Films:
    """The films of one context that are not complete; without a directory there are none."""

    def __init__(self) -> None:
        self._program = ""
        self._directory: Path | None = None
        self._films: set[Film] = set()

    def start(self, options: ContextOptions) -> None:
        """Film the pages that open from now on if the options say so; raises FfmpegNotFound."""
        if options.record_video_dir is not None:
            self._program = find_ffmpeg()
            self._directory = Path(options.record_video_dir).expanduser().absolute()

    def begin(self, tab: Tab) -> Film | None:
        """Begin the film of a tab that was attached to, and return it; awaits nothing."""
        if self._directory is None:
            return None
        path = self._directory / f"{uuid4().hex}.webm"
        film = Film(tab.session, tab.drawing, path, size_of(tab.context.options), self._program)
        self._films.add(film)
        film.task.add_done_callback(lambda _: self._films.discard(film))
        return film

    def end(self) -> None:
        """End all films, because the context or its browser is about to go."""
        for film in tuple(self._films):
            film.end()

    async def written(self, deadline: Deadline) -> None:
        """Wait until all films that have ended are complete, or until the deadline; raises nothing."""
        if tasks := {film.task for film in self._films if film.ended}:
            await asyncio.wait(tasks, timeout=deadline.left_s)
