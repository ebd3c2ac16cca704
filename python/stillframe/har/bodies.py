"""The bodies of a recording: kept in files of a private directory until the HAR file is written."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from stillframe.security.encodings import without_encoded_secrets

if TYPE_CHECKING:
    from stillframe._core import Redactor
    from stillframe.har.model import Body

LEFT_OUT = "(left out: it holds a secret)"


class BodyStore:
    """Files with bodies, by their digests, in a directory of their own beside the HAR file, removed by `close`."""

    def __init__(self, beside: Path) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix=".har-", dir=beside)
        self._path = Path(self._directory.name)

    def put(self, data: bytes) -> str:
        """Keep a body; returns what `get` takes."""
        digest = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        path = self._path / digest
        if not path.exists():
            path.write_bytes(data)
        return digest

    def get(self, digest: str) -> bytes:
        """Return a body."""
        return (self._path / digest).read_bytes()

    def close(self) -> None:
        """Remove all of them."""
        self._directory.cleanup()


def without_secrets(data: bytes, redactor: Redactor) -> tuple[bytes, bool]:
    """Return a body without the secrets in it, and whether it is text; bytes that hold a secret are left out."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raw = data.decode("latin-1")
        return (LEFT_OUT.encode(), True) if redactor and redactor.redact(raw) != raw else (data, False)
    if redactor:
        data = without_encoded_secrets(redactor.redact(text), redactor).encode()
    return data, "\0" not in text


def embed(body: Body, data: bytes, *, is_text: bool) -> None:
    """Put a body into its entry."""
    if is_text:
        body.text = data.decode()
    else:
        body.text, body.encoding = base64.b64encode(data).decode(), "base64"


def file_name(data: bytes, mime_type: str) -> str:
    """Return the name of the file that a body is attached as: its digest, as Playwright names them.

    >>> file_name(b"", "text/css")
    'da39a3ee5e6b4b0d3255bfef95601890afd80709.css'
    """
    suffix = mimetypes.guess_extension(mime_type.partition(";")[0].strip()) or ".dat"
    return hashlib.sha1(data, usedforsecurity=False).hexdigest() + suffix
