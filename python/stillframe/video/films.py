"""The films of one context: which pages have one, and their end with the context.

What films a page is imported with the first film, because few contexts have one.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from stillframe.tab.context.options import ContextOptions
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab
    from stillframe.video.film import Film

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
            from stillframe.video.ffmpeg import find_ffmpeg

            self._program = find_ffmpeg()
            self._directory = Path(options.record_video_dir).expanduser().absolute()

    def begin(self, tab: Tab) -> Film | None:
        """Begin the film of a tab that was attached to, and return it; awaits nothing."""
        if self._directory is None:
            return None
        from stillframe.video.film import Film

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
