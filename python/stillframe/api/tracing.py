"""Record a page in a trace file; what writes it is imported with the first trace."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stillframe._core import __version__
from stillframe.cdp import CDPSession
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.extend import PageState
from stillframe.security.encodings import without_encoded_secrets
from stillframe.security.redaction import logger
from stillframe.trace.errors import TraceFailed
from stillframe.trace.format import FORMAT, LAST_BYTES, MAX_BYTES, SUFFIX, Header

if TYPE_CHECKING:
    from stillframe.trace.recorder import TraceRecorder

log = logger("stillframe.trace")


class Tracing:
    """A trace of one page that is being recorded; `Page.trace` begins one.

    It ends with its block, with `close`, or with the page.
    """

    def __init__(self, parts: PageParts, path: Path, *, screenshots: bool, max_bytes: int) -> None:
        from stillframe.trace.file import TraceFile

        self._parts = parts
        self._path = path
        self._screenshots = screenshots
        self._file = TraceFile(path, _header(parts), max_bytes=max_bytes)
        self._recorder: TraceRecorder | None = None
        if parts.tab.attached:
            self._begin()
        else:
            parts.tab.on_session(self._joined)

    def __repr__(self) -> str:
        return f"Tracing({str(self._path)!r}, {self.size} bytes)"

    @property
    def path(self) -> Path:
        """The trace file."""
        return self._path

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return self._file.size

    @property
    def error(self) -> TraceFailed | None:
        """Why the file could not be written to the end; None if nothing failed."""
        return self._file.error

    def _joined(self, session: CDPSession) -> None:
        if self._recorder is None and session is self._parts.tab.session and not self._file.closed:
            self._begin()

    def _begin(self) -> None:
        from stillframe.trace.recorder import TraceRecorder

        self._recorder = TraceRecorder(PageState(self._parts), self._file, screenshots=self._screenshots)

    def _end(self) -> None:
        if self._recorder is None:
            self._file.close()
        else:
            self._recorder.stop()

    async def close(self) -> None:
        """End the trace.

        Raises:
            TraceFailed: The file could not be written to the end.
        """
        self._end()
        if self.error is not None:
            raise self.error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        if self.error is not None and error is None:
            raise self.error


def begin(
    parts: PageParts, path: str | os.PathLike[str], *, screenshots: bool = False, max_bytes: int = MAX_BYTES
) -> Tracing:
    """Begin a trace; see `Page.trace`."""
    if max_bytes < 2 * LAST_BYTES:
        raise OptionInvalid(f"max_bytes is {max_bytes}: it must be at least {2 * LAST_BYTES}", option="max_bytes")
    return Tracing(parts, Path(path), screenshots=screenshots, max_bytes=max_bytes)


def begin_in(parts: PageParts, directory: str, *, screenshots: bool) -> None:
    """Begin a trace of a page that has just been attached, in a new file of a directory.

    A file that cannot be written is logged: the page works without its trace.
    """
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{parts.tab.target_id[:12]}{SUFFIX}"
    try:
        begin(parts, Path(directory, name), screenshots=screenshots)
    except TraceFailed as error:
        log.warning("%s; the page goes on without it", error)


def _header(parts: PageParts) -> Header:
    tab = parts.tab
    viewport = tab.viewport
    return Header(
        format=FORMAT,
        version=__version__,
        started_at=round(time.time() * 1000, 2),
        browser=tab.context.info.product,
        target_id=tab.target_id,
        url=without_encoded_secrets(tab.context.redaction.redact(tab.url), tab.redactor),
        width=None if viewport is None else viewport.width,
        height=None if viewport is None else viewport.height,
    )
