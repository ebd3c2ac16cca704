"""Write a file of lines so that nothing written is lost (no buffer, whole lines, a largest size), and read it again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec

from stillframe.errors import StillframeError
from stillframe.security.input_files import InputRefused, read_file, read_json
from stillframe.security.private_files import open_private
from stillframe.security.redaction import logger
from stillframe.trace.errors import TraceFailed
from stillframe.trace.format import LAST_BYTES, MAX_BYTES, Header, line

if TYPE_CHECKING:
    from pathlib import Path

log = logger("stillframe.trace")


Failure = TypeVar("Failure", bound=StillframeError)


class LineFile(Generic[Failure]):
    """One file of lines, open for writing.

    A write goes to the operating system at once, so that a kill of this process loses nothing. A failed write, such as
    one to a full disk, ends the file and nothing else: `error` says why, and what was written stays readable.
    """

    what: ClassVar[str]
    """What the file is, for messages."""
    failure: Callable[..., Failure]
    """Makes the error of a file that cannot be written, of a message and `path`."""

    def __init__(self, path: Path, header: bytes, *, max_bytes: int) -> None:
        """Create the file, which only its owner may read; raises `failure` if it exists or cannot be written."""
        self.path = path
        self.size = 0
        """Bytes written."""
        self.error: Failure | None = None
        """Why writing ended early; None if it did not."""
        self._max_bytes = max_bytes
        self._descriptor: int | None = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except OSError as error:
            raise self._failed(error) from None
        self._put(header)
        if self.error is not None:
            raise self.error

    @property
    def closed(self) -> bool:
        """Whether nothing more is written."""
        return self._descriptor is None

    def add(self, line: bytes, truncated: Callable[[], bytes]) -> None:
        """Write a line, or `truncated()` as the last line of a file that has reached its largest size."""
        if self._descriptor is None:
            return
        if self.size + len(line) <= self._max_bytes - LAST_BYTES:
            self._put(line)
            return
        self._put(truncated())
        self.close()
        log.warning(
            "the %s %s reached its largest size of %d bytes and ends here", self.what, self.path, self._max_bytes
        )

    def close(self) -> None:
        """Close the file; calls after the first do nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _put(self, content: bytes) -> None:
        assert self._descriptor is not None  # checked by the callers
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            self._give_up(error)
        else:
            self.size += len(content)

    def _give_up(self, error: OSError) -> None:
        assert self._descriptor is not None
        self.error = self._failed(error)
        with contextlib.suppress(OSError):  # the reader drops the part of a line as well
            os.ftruncate(self._descriptor, self.size)
        self.close()
        log.warning("%s; the page goes on without it", self.error)

    def _failed(self, error: OSError) -> Failure:
        return self.failure(f"the {self.what} {self.path} cannot be written: {error.strerror}", path=str(self.path))


class TraceFile(LineFile[TraceFailed]):
    """One trace file, open for writing."""

    what = "trace"
    failure = TraceFailed

    def __init__(self, path: Path, header: Header, *, max_bytes: int = MAX_BYTES) -> None:
        """Create the file, which only its owner may read; raises TraceFailed if it exists or cannot be written."""
        super().__init__(path, line(header), max_bytes=max_bytes)

    def write(self, at: float, type_: str, *, image: str | None = None, **fields: Any) -> None:
        """Write one record; `at` is in milliseconds, `image` in Base64. Does nothing once the file is closed."""
        if self.closed:
            return
        try:
            written = line({"at": round(at, 2), "type": type_, **fields}, image=image)
        except (ValueError, RecursionError) as error:
            written = line({"at": round(at, 2), "type": "unwritable", "of": type_, "error": type(error).__name__})
        self.add(written, lambda: line({"at": round(at, 2), "type": "truncated", "maxBytes": self._max_bytes}))


# -- reading ---------------------------------------------------------------------------------------


FirstLine = TypeVar("FirstLine", bound=msgspec.Struct)


class LineFormat(NamedTuple):
    """What a file of lines is, for `read_lines` and its messages."""

    what: str
    format: str
    """The `format` in the first line: a name, a slash and a version."""
    invalid: Callable[..., StillframeError]
    """Makes the error of a file that cannot be read, of a message and `path`."""
    written_by: str
    """Who writes such files: `page.trace() and --trace write traces`."""
    instead: str
    """What this version does with which format: `; this one reads 'stillframe.trace/1'`."""


def read_lines(
    path: str | os.PathLike[str], kind: LineFormat, first: type[FirstLine]
) -> tuple[FirstLine, list[bytes], bytes]:
    """Return the first line of a file, its other lines, and what there is of a torn last one.

    Raises `kind.invalid` for a file that cannot be read, that is of another kind or version, or whose first line is
    damaged.
    """
    name = str(path)
    try:
        content = read_file(path)
    except InputRefused as error:
        raise kind.invalid(f"cannot read the {kind.what} {name}: {error}", path=name) from None
    head, _, rest = content.partition(b"\n")
    header = _first_line(name, head, kind, first)
    *lines, torn = rest.split(b"\n")
    return header, lines, torn


def _first_line(name: str, head: bytes, kind: LineFormat, first: type[FirstLine]) -> FirstLine:
    try:
        found = read_json(head, _Format).format
    except InputRefused:
        found = ""
    if not found.startswith(f"{kind.format.partition('/')[0]}/"):
        raise kind.invalid(
            f"{name} is not a {kind.what}: its first line does not say {kind.format!r}; {kind.written_by}", path=name
        )
    if found != kind.format:
        raise kind.invalid(f"{name} has the format {found!r} of another version of stillframe{kind.instead}", path=name)
    try:
        return read_json(head, first)
    except InputRefused as error:
        raise kind.invalid(f"{name} has a damaged first line: {error}", path=name) from None


class _Format(msgspec.Struct):
    format: str
