"""The errors of films of pages; `stillframe.errors` has them all."""

from __future__ import annotations

from collections.abc import Sequence

from stillframe.errors import StillframeError


class VideoError(StillframeError):
    """The base class of the errors of films."""

    code = "video_error"


class FfmpegNotFound(VideoError):
    """A context is to record videos, and there is no ffmpeg to make them; `tried` names where it was looked for.

    Remedy: Install ffmpeg (`apt-get install ffmpeg`, `brew install ffmpeg`), or set STILLFRAME_FFMPEG to its path.
    """

    code = "ffmpeg_not_found"

    def __init__(self, message: str, *, tried: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.tried = tuple(tried)


class VideoFailed(VideoError, OSError):
    """A film could not be made, or not to its end; `path` is its file, which holds what was written before.

    Remedy: Do what the message says; it has what ffmpeg wrote. A page that closes before it was drawn has no film.
    """

    code = "video_failed"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path
