"""The recording of a cassette: what one connection sends and receives, and what its clock does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from stillframe import _core
from stillframe._core import __version__
from stillframe.cdp import Connection
from stillframe.cdp.loop_clock import loop_clock
from stillframe.cdp.wire import is_cbor, mend
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.security.redaction import logger
from stillframe.testing.cassette_clock import RecordingClock
from stillframe.testing.cassette_file import FORMAT, IDLE_TURNS, CassetteEntry, CassetteFile, Header, read_cassette
from stillframe.testing.cassette_placeholders import Placeholders, hidden_late
from stillframe.testing.errors import CassetteFailed
from stillframe.testing.frame_log import tap

log = logger("stillframe.testing")

UNFINISHED = ".partial"
"""The end of the name of a cassette that is being recorded."""
REWRITTEN = ".new"
"""The end of the name of a cassette whose secrets are being hidden."""


class CassetteRecording:
    """Writes the traffic of one connection to a file, from `start` to `stop`; `finish` makes it the cassette."""

    def __init__(self, path: Path, placeholders: Placeholders, options: dict[str, Any], *, max_bytes: int) -> None:
        self.path = path
        self.clock = RecordingClock(asyncio.get_running_loop())
        self.error: CassetteFailed | None = None
        """Why the file could not be written to the end."""
        self._placeholders = placeholders
        self._options = options
        self._max_bytes = max_bytes
        self._file: CassetteFile | None = None
        self._taps = ExitStack()
        self._turns = IDLE_TURNS
        """Turns of the loop since the last message or timer, counted up to IDLE_TURNS."""
        self._counting = False

    def start(self, connection: Connection, info: BrowserInfo) -> None:
        """Record a connection from now on; raises CassetteFailed if the file cannot be written."""
        header = Header(
            format=FORMAT,
            version=__version__,
            browser=structs.replace(
                info, pid=None, profile=None, endpoint=None, executable=None, flags=_harmless_flags(info)
            ),
            options=self._options,
        )
        self._file = self._new_file(self._beside(UNFINISHED), header)
        self.clock.start(self._clocked)
        self._taps.enter_context(tap(connection, self._sent, self._received))
        connection.root.on_closed(lambda error: self._note(lost=str(error)))

    def stop(self) -> None:
        """Record nothing more."""
        self._note(end=True)
        self._taps.close()
        self.clock.stop()
        if self._file is not None:
            self._file.close()
            self.error = self.error or self._file.error

    def finish(self) -> None:
        """Give the cassette its name, and hide the secrets that became known after they were written."""
        self.stop()
        if self._file is None or self.error is not None:
            return
        unfinished = self._file.path
        try:
            if self._placeholders.secrets:
                self._hide_late(unfinished)
            unfinished.replace(self.path)
        except CassetteFailed as error:
            self.error = error
        except OSError as error:
            self.error = _failed(self.path, error)

    def _hide_late(self, unfinished: Path) -> None:
        recorded = read_cassette(unfinished)
        path = self._beside(REWRITTEN)
        try:
            file = self._new_file(path, recorded.header)
            for entry in hidden_late(recorded.entries, self._placeholders.secrets):
                file.write(entry)
            file.close()
            if file.error is not None:
                raise file.error
        except CassetteFailed:
            path.unlink(missing_ok=True)
            raise
        path.replace(unfinished)

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def _new_file(self, path: Path, header: Header) -> CassetteFile:
        try:
            path.unlink(missing_ok=True)  # that of a recording that was killed
        except OSError as error:
            raise _failed(path, error) from None
        return CassetteFile(path, header, max_bytes=self._max_bytes)

    # -- entries -----------------------------------------------------------------------------------

    def _sent(self, frame: bytes) -> None:
        self.clock.on_entry()
        if loop_clock() is not self.clock:
            self._warn()
        self._write(CassetteEntry(self.clock.shown, send=self._hidden(frame)))

    def _warn(self) -> None:
        log.warning(
            "the browser of the cassette %s was used by a task or callback that began outside of the block of record, "
            "where another clock runs; the replay will refuse that",
            self.path,
        )

    def _received(self, frame: bytes) -> None:
        text = _core.cbor_to_json(frame) if is_cbor(frame) else frame
        self._write(CassetteEntry(self.clock.step(), recv=self._hidden(text), turns=self._turns_since()))

    def _clocked(self, entry: CassetteEntry) -> None:
        self._write(entry if entry.timer is None else structs.replace(entry, turns=self._turns_since()))

    def _turns_since(self) -> int | None:
        """Return the turns of the loop since the last message or timer, None if it was idle since; count from here."""
        turns, self._turns = self._turns, 0
        if not self._counting:
            self._counting = True
            asyncio.get_running_loop().call_soon(self._count)
        return turns if turns < IDLE_TURNS else None

    def _count(self) -> None:
        self._turns += 1
        self._counting = self._turns < IDLE_TURNS
        if self._counting:
            asyncio.get_running_loop().call_soon(self._count)

    def _hidden(self, frame: bytes) -> msgspec.Raw:
        return msgspec.Raw(self._placeholders.hide(bytes(mend(frame))))

    def _note(self, **fields: Any) -> None:
        self._write(CassetteEntry(self.clock.step(), **fields))

    def _write(self, entry: CassetteEntry) -> None:
        if self._file is not None:
            self._file.write(entry)


def _failed(path: Path, error: OSError) -> CassetteFailed:
    return CassetteFailed(f"the cassette {path} cannot be written: {error.strerror}", path=str(path))


def _harmless_flags(info: BrowserInfo) -> tuple[str, ...]:
    """Return the switches without those that name files or servers."""
    return tuple(flag for flag in info.flags if "/" not in flag)


def kept(options: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Return the options with these names, as JSON has them."""
    return {
        name: msgspec.to_builtins(list(value) if isinstance(value, set | frozenset) else value)
        for name, value in options.items()
        if name in names
    }
