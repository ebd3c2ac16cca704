"""Read HAR files: those of this package, of Playwright, of DevTools, and others that keep to the specification."""

from __future__ import annotations

import base64
import binascii
import zipfile
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from stillframe.har.errors import HarInvalid
from stillframe.har.model import Named
from stillframe.har.writing import IN_ZIP

if TYPE_CHECKING:
    from pathlib import Path


class ReadContent(msgspec.Struct, frozen=True, rename={"mime_type": "mimeType", "file": "_file"}, kw_only=True):
    """A body as it stands in a file."""

    mime_type: str = ""
    text: str = ""
    encoding: str = ""
    file: str = ""
    """The name of the file that holds it, beside the HAR file or in its zip."""


class ReadRequest(msgspec.Struct, frozen=True, kw_only=True, rename={"post_data": "postData"}):
    """What a replay compares with a request."""

    method: str
    url: str
    headers: list[Named] = []
    post_data: ReadContent | None = None


class ReadResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename={"failure_text": "_failureText", "error": "_error"}
):
    """What a replay answers."""

    status: int
    headers: list[Named] = []
    content: ReadContent = ReadContent()
    failure_text: str | None = None
    error: str | None = None


class ReadEntry(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A request with its response."""

    request: ReadRequest
    response: ReadResponse


class _Log(msgspec.Struct, frozen=True):
    entries: list[ReadEntry]


class _File(msgspec.Struct, frozen=True):
    log: _Log


class HarFile:
    """The entries of a HAR file, and the files that hold bodies."""

    def __init__(self, path: Path, entries: list[ReadEntry], attached: Callable[[str], bytes]) -> None:
        self.path = path
        self.entries = entries
        self._attached = attached

    def body(self, content: ReadContent) -> bytes:
        """Return the bytes of a body; raises HarInvalid for one that is not there."""
        try:
            if content.file:
                return self._attached(content.file)
            return base64.b64decode(content.text) if content.encoding == "base64" else content.text.encode()
        except (OSError, KeyError, ValueError, binascii.Error, zipfile.BadZipFile) as error:
            what = content.file or "a body"
            raise HarInvalid(f"{self.path}: {what} cannot be read: {error}", path=str(self.path)) from None


def read_har(path: Path) -> HarFile:
    """Read a `.har` file, or a zip with one.

    Args:
        path: The file.

    Raises:
        HarInvalid: It is not a HAR file.
        OSError: It cannot be opened.
    """
    try:
        if zipfile.is_zipfile(path):
            return _zipped(path)
        return HarFile(path, _entries(path.read_bytes()), lambda name: _beside(path, name).read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, zipfile.BadZipFile) as error:
        raise HarInvalid(f"{path} is not a HAR file: {error}", path=str(path)) from None


def _zipped(path: Path) -> HarFile:
    def attached(name: str) -> bytes:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        name = IN_ZIP if IN_ZIP in names else next((each for each in names if each.endswith(".har")), None)
        if name is None:
            raise HarInvalid(f"{path} is a zip without a HAR file in it", path=str(path))
        return HarFile(path, _entries(archive.read(name)), attached)


def _entries(data: bytes) -> list[ReadEntry]:
    return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_File).log.entries


def _beside(path: Path, name: str) -> Path:
    """Return a file beside the HAR file; raises ValueError for a name that leads elsewhere."""
    directory = path.resolve().parent
    found = (directory / name).resolve()
    if not found.is_relative_to(directory):
        raise ValueError("it lies outside of the directory of the HAR file")
    return found
