"""The traces and HAR files that one client records: each in a directory of its own until it becomes a resource."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from stillframe.errors import StillframeError
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.resource_store import MAX_BYTES, Kind

if TYPE_CHECKING:
    from stillframe import HarRecording, Tracing
    from stillframe.sessions import Session

FILES: dict[str, tuple[Kind, str, str]] = {
    "trace": ("trace", "page.trace.jsonl", "application/jsonl"),
    "har": ("har", "session.har", "application/json"),
}
"""The kind of resource, the name and the type of each format."""


class RecordingSession:
    """A recording in a directory of its own, which goes with it."""

    def __init__(self, session: Session, form: str, *, screenshots: bool) -> None:
        self.kind, name, self.mime_type = FILES[form]
        self._directory = tempfile.TemporaryDirectory(prefix="stillframe-tracing-")
        self.path = Path(self._directory.name, name)
        self._begun: Tracing | HarRecording
        if form == "har":
            self._begun = session.context.record_har(self.path)
        else:
            self._begun = session.page.trace(self.path, screenshots=screenshots, max_bytes=MAX_BYTES)

    async def end(self) -> None:
        """Write the file."""
        await self._begun.close()

    def remove(self) -> None:
        """Remove the file."""
        self._directory.cleanup()

    async def discard(self) -> None:
        """End and remove it; its session may be gone."""
        with suppress(StillframeError):
            await self.end()
        self.remove()


class Recordings:
    """The recordings of one client that are under way, by session and format."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, str], RecordingSession] = {}

    def of(self, session: str) -> list[str]:
        """Return the formats that a session records."""
        return [form for name, form in self._running if name == session]

    def begin(self, session: Session, form: str, *, screenshots: bool) -> None:
        """Begin a recording; raises ToolError if there is one."""
        if (session.id, form) in self._running:
            message = f"session {session.id!r} records a {form} file already"
            raise ToolError("recording_running", message, format=form)
        self._running[session.id, form] = RecordingSession(session, form, screenshots=screenshots)

    def take(self, session: str, form: str) -> RecordingSession:
        """Return a recording, which is the caller's from now on; raises ToolError if there is none."""
        recording = self._running.pop((session, form), None)
        if recording is None:
            raise ToolError("recording_unknown", f"session {session!r} records no {form} file", format=form)
        return recording

    async def discard(self, session: str | None = None) -> None:
        """End the recordings of a session, or all of them, and keep nothing."""
        for key in [key for key in self._running if session in (None, key[0])]:
            await self._running.pop(key).discard()
