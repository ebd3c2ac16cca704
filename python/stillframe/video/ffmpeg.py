"""The program that encodes films: where it is, how it is called, and its process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import weakref
from typing import TYPE_CHECKING

from stillframe.chrome.owned_process import STDERR_S, destroy, within
from stillframe.chrome.process import spawn_filter
from stillframe.video.errors import FfmpegNotFound
from stillframe.video.timeline import FPS

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT_VARIABLE = "STILLFRAME_FFMPEG"
PROGRAM = "ffmpeg"

INSTALL_HINTS = {
    "linux": "install it (Debian and Ubuntu: `apt-get install ffmpeg`)",
    "darwin": "install it (`brew install ffmpeg`)",
    "win32": "install it (`winget install Gyan.FFmpeg`)",
}

ENCODER = (
    *("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-threads", "1"),
    *("-b:v", "1M", "-crf", "10", "-static-thresh", "100", "-lag-in-frames", "0"),
)
"""VP8 as fast as it goes: text stays sharp at a megabit per second, and blocks that do not change are skipped."""
CANCELLED_S = 0.3
"""Seconds that an ffmpeg whose film was cancelled has to end by itself; it takes 20 ms with nothing left to encode."""


def find_ffmpeg() -> str:
    """Return the path of ffmpeg: what STILLFRAME_FFMPEG names, or else what is on PATH; raises FfmpegNotFound."""
    chosen = os.environ.get(ENVIRONMENT_VARIABLE)
    if (found := shutil.which(chosen or PROGRAM)) is not None:
        return found
    install = INSTALL_HINTS.get(sys.platform, "install it")
    if chosen:
        raise FfmpegNotFound(
            f"the environment variable {ENVIRONMENT_VARIABLE} names {chosen!r}, which is not a program: correct it, or "
            "remove it to use the ffmpeg on PATH",
            tried=(chosen,),
        )
    raise FfmpegNotFound(
        f"videos are made by ffmpeg, which is not on PATH: {install}, or set {ENVIRONMENT_VARIABLE} to its path",
        tried=(PROGRAM,),
    )


def command(program: str, path: Path, width: int, height: int) -> list[str]:
    """Return the command that makes a film of the pictures at its stdin, each at the top left of a grey frame."""
    fitted = f"pad=max(iw\\,{width}):max(ih\\,{height}):0:0:gray,crop={width}:{height}:0:0"
    source = ("-f", "matroska", "-analyzeduration", "0", "-i", "pipe:0")
    return [
        *(program, "-hide_banner", "-loglevel", "error", "-nostdin"),
        *source,
        *("-an", "-vf", fitted, "-r", str(FPS), *ENCODER, "-f", "webm", "-y", f"file:{path}"),
    ]


class Encoder:
    """A running ffmpeg; `release` ends it, and this process does in any case."""

    def __init__(self, arguments: list[str]) -> None:
        """Start it; raises OSError."""
        self.process, self._fd = spawn_filter(arguments, os.environ)
        self._loop = asyncio.get_running_loop()
        self._is_open = True
        self._finalizer = weakref.finalize(self.process, destroy, self.process.popen, os.getpid())

    async def write(self, data: bytes) -> None:
        """Write bytes when ffmpeg takes them; raises BrokenPipeError once it is gone."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                await self._writable()

    async def finish(self) -> int:
        """Let ffmpeg write the end of the film, and return its exit status; raises nothing. `kill` is its limit."""
        self._close()
        await self.process.exited.wait()
        await within(self.process.stderr_closed, STDERR_S)
        return self.process.returncode or 0

    def kill(self) -> None:
        """Kill ffmpeg: `write` raises then, and `finish` returns."""
        if self.process.popen.poll() is None:
            self.process.signal_group(signal.SIGKILL)

    def release(self) -> None:
        """Leave nothing behind, and await nothing: an ffmpeg that still runs has `CANCELLED_S` to end. Idempotent."""
        self._close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.popen.wait(CANCELLED_S)
        self._finalizer()
        self.process.release()

    async def _writable(self) -> None:
        free = asyncio.Event()
        self._loop.add_writer(self._fd, free.set)
        try:
            await free.wait()
        finally:
            self._loop.remove_writer(self._fd)

    def _close(self) -> None:
        if self._is_open:
            self._is_open = False
            os.close(self._fd)
