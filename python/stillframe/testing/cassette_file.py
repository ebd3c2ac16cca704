"""The format of a cassette, and how it is written and read.

The first line is the header. Each other line is an entry: a command that was sent, a message that arrived, a timer
that fired or a jump of the clock, in this order in time. A line is written whole and at once, so a killed process
loses nothing but a torn last line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from stillframe.chrome.browser_info import BrowserInfo
from stillframe.security.input_files import InputRefused, read_json
from stillframe.testing.errors import CassetteFailed, CassetteInvalid
from stillframe.trace.file import LineFile, LineFormat, read_lines

FORMAT = "stillframe.cassette/1"
CASSETTE = LineFormat(
    "cassette",
    FORMAT,
    CassetteInvalid,
    "stillframe.testing.record writes them",
    f", and this one plays {FORMAT!r}: record it again",
)

IDLE_TURNS = 25
"""Turns of the loop after which tasks have finished with a message: more than the longest chain of awaits."""

MAX_BYTES = 256_000_000
"""The default largest size of a cassette: some hundred large pages."""


class Header(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first line of a cassette."""

    format: str
    version: str
    """The version of stillframe that recorded it."""
    browser: BrowserInfo
    options: dict[str, Any] = {}
    """The options of the browser that a replay needs as well and that are not secrets."""


class CassetteEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line; `at` is a time of the loop's clock in seconds, and exactly one other field says what it is."""

    at: float
    send: msgspec.Raw = msgspec.Raw()
    """A command; empty if the line has another field."""
    recv: msgspec.Raw = msgspec.Raw()
    """A message of the browser; empty if the line has another field."""
    timer: float | None = None
    """The time that a timer was set to, which fired now."""
    turns: int | None = None
    """How many turns of the loop that message or timer came after the one before; None if the loop was idle between
    them. The tasks got so far in the meantime, and no farther."""
    jump: int | None = None
    """How many times the clock was read since the last entry before time jumped, because nothing happened."""
    lost: str | None = None
    """Why the connection was lost."""
    end: bool | None = None
    """The recording ended."""
    truncated: int | None = None
    """The file reached its largest size in bytes, and the recording ended."""


class Cassette(msgspec.Struct, frozen=True):
    """A cassette as it was read."""

    path: str
    header: Header
    entries: list[CassetteEntry]

    @property
    def is_complete(self) -> bool:
        """Whether the recording ended with its block, and not with its process or at the largest size."""
        return bool(self.entries) and self.entries[-1].end is not None


class CassetteFile(LineFile[CassetteFailed]):
    """One cassette, open for writing."""

    what = "cassette"
    failure = CassetteFailed

    def __init__(self, path: Path, header: Header, *, max_bytes: int = MAX_BYTES) -> None:
        """Create the file, which only its owner may read; raises CassetteFailed if that fails."""
        super().__init__(path, msgspec.json.encode(header) + b"\n", max_bytes=max_bytes)

    def write(self, entry: CassetteEntry) -> None:
        """Write one entry; does nothing once the file is closed."""
        self.add(_line(entry), lambda: _line(CassetteEntry(entry.at, truncated=self._max_bytes)))


def _line(entry: CassetteEntry) -> bytes:
    return msgspec.json.encode(entry) + b"\n"


def read_cassette(path: str | os.PathLike[str]) -> Cassette:
    """Read a cassette; a torn last line is left out.

    Raises CassetteInvalid for a file that cannot be read, is damaged or no cassette, or that another version wrote.
    """
    header, lines, _ = read_lines(path, CASSETTE, Header)
    name = str(path)
    return Cassette(name, header, [_entry(name, number, line) for number, line in enumerate(lines, 2)])


def _entry(name: str, number: int, line: bytes) -> CassetteEntry:
    try:
        return read_json(line, CassetteEntry)
    except InputRefused as error:
        raise CassetteInvalid(
            f"line {number} of the cassette {name} is damaged: {error}; record it again", path=name
        ) from None
