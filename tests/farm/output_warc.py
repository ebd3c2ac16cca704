"""Read WARC records with warcio, which checks the digests."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator


@dataclass
class Record:
    """One record; `status` is the status line or the request line."""

    kind: str
    path: str
    status: str
    headers: dict[str, str]
    warc: dict[str, str]
    body: bytes


def read_records(content: bytes) -> list[Record]:
    """Return all records; a digest that is wrong raises an error."""
    found = []
    for record in ArchiveIterator(io.BytesIO(content), check_digests="raise"):
        http = record.http_headers
        # The bytes as they stand there: `content_stream` would undo an encoding.
        body = record.raw_stream.read()
        warc = dict(record.rec_headers.headers)
        status = "" if http is None else http.statusline
        if record.rec_type == "request" and http is not None:
            status = f"{http.protocol} {http.statusline}"
        path = urlsplit(warc.get("WARC-Target-URI", "")).path
        found.append(Record(record.rec_type, path, status, dict(http.headers) if http else {}, warc, body))
    return found


def picture(side: int) -> bytes:
    """Return a grey PNG of this width and height."""
    rows = b"".join(b"\0" + bytes((n * 7) % 256 for n in range(side)) for _ in range(side))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
