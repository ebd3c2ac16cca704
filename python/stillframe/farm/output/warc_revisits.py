"""Payloads that a WARC file has already: the later responses become revisit records (WARC 1.1, section 6.7).

The members that pages recorded are rewritten as they are appended, by the one writer of the files, so that the record
which a revisit names stands before it whatever workers and restarts there were.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import IO, NamedTuple

import msgspec

from stillframe.farm.output.warc_records import NOT_MODIFIED, Headers

KNOWN = 50_000
"""Payloads that are known, those that were seen last: some 20 MB. Our choice."""
LEAST = 512
"""Bytes of a payload from which a revisit is smaller than what it replaces, which is packed."""
LONGEST_URL = 2_000
PIECE = 65_536
MOST_HEADERS = 262_144
"""Bytes of a record's headers and those of its response; a record that has more stays as it is."""
END = b"\r\n\r\n"
ETAG = re.compile(rb"\r\netag:([^\r]*)", re.I)
VERSION = b"WARC/1.1\r\n"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
IDENTICAL, UNCHANGED = f"{PROFILE}identical-payload-digest", f"{PROFILE}server-not-modified"
Place = tuple[int, int]
"""The number of a file, and an offset in it."""


class Original(NamedTuple):
    """A response with its payload, and where the files say so."""

    url: str
    date: str
    record_id: str
    place: Place
    etag: bytes = b""


class Record(NamedTuple):
    """The headers of one record, and those of the response in it, up to and with the blank line."""

    fields: dict[str, str]
    http: bytes

    @property
    def is_whole_response(self) -> bool:
        """Whether it is a response whose bytes are all there."""
        return self.fields.get("WARC-Type") == "response" and "WARC-Truncated" not in self.fields and bool(self.http)

    @property
    def status(self) -> bytes:
        """The status of its response."""
        return self.http.split(None, 2)[1]

    @property
    def etag(self) -> bytes:
        """The `ETag` of its response."""
        found = ETAG.search(self.http)
        return found[1].strip() if found else b""

    @property
    def payload_size(self) -> int:
        """How many bytes follow the headers of its response."""
        return int(self.fields.get("Content-Length", "0")) - len(self.http)


class Revisits:
    """The payloads and the URLs that the files of one export have, as far as they are known."""

    def __init__(self, known: int = KNOWN) -> None:
        self._most = known
        self._digests: OrderedDict[str, Original] = OrderedDict()
        self._urls: OrderedDict[str, Original] = OrderedDict()
        self._end: Place = (0, 0)

    def forget_from(self, place: Place) -> None:
        """Forget what stood at a place or behind it, because the files are cut there."""
        if self._end < place:
            return
        for known in (self._digests, self._urls):
            for key in [key for key, original in known.items() if original.place >= place]:
                del known[key]
        self._end = place

    def recall(self, file: IO[bytes], number: int) -> None:
        """Learn what a file holds that an earlier process has written."""
        offset = 0
        for size, head in members_of(file):
            self._learn(record_of(head), (number, offset))
            offset += size

    def rewritten(self, payload: bytes, place: Place) -> bytes:
        """Return the members of a page with revisits in place of payloads that are known; they go to `place`."""
        out, start = bytearray(), 0
        for size, head in members_of(io.BytesIO(payload)):
            record = record_of(head)
            revisit = self._revisit(record)
            if revisit is None:
                self._learn(record, (place[0], place[1] + len(out)))
            out += payload[start : start + size] if revisit is None else revisit
            start += size
        return bytes(out + payload[start:])

    def _learn(self, record: Record | None, place: Place) -> None:
        if record is None or len(record.fields.get("WARC-Target-URI", "")) > LONGEST_URL:
            return
        fields, digest = record.fields, record.fields.get("WARC-Payload-Digest", "")
        if record.is_whole_response:
            own = Original(fields["WARC-Target-URI"], fields["WARC-Date"], fields["WARC-Record-ID"], place, record.etag)
            if record.payload_size >= LEAST and digest:
                self._keep(self._digests, digest, own)
            if record.status == b"200" and own.etag:
                self._keep(self._urls, own.url, own)
        elif fields.get("WARC-Profile") == IDENTICAL:
            url, date, record_id = (fields.get(f"WARC-Refers-To{end}", "") for end in ("-Target-URI", "-Date", ""))
            self._keep(self._digests, digest, Original(url, date, record_id, place))

    def _keep(self, known: OrderedDict[str, Original], key: str, original: Original) -> None:
        known[key] = original
        known.move_to_end(key)
        if len(known) > self._most:
            known.popitem(last=False)
        self._end = max(self._end, original.place)

    def _revisit(self, record: Record | None) -> bytes | None:
        """Return the revisit for a record, None for one that stays."""
        if record is None or not record.is_whole_response:
            return None
        url = record.fields["WARC-Target-URI"]
        if record.status == b"304":
            original = self._urls.get(url)
            if original is None or original.etag != record.etag:
                return None  # it confirms what the page had from elsewhere
            return revisit_of(record, original, record.http, UNCHANGED)
        digest = record.fields.get("WARC-Payload-Digest", "")
        original = self._digests.get(digest) if record.payload_size >= LEAST else None
        if original is None:
            return None
        self._digests.move_to_end(digest)
        if (confirmed := record.fields.get(NOT_MODIFIED)) is not None and original.url == url:
            return revisit_of(record, original, _not_modified(confirmed), UNCHANGED)
        return revisit_of(record, original, record.http, IDENTICAL)


def revisit_of(record: Record, original: Original, http: bytes, profile: str) -> bytes:
    """Return the revisit of an original in place of a record, with the headers of its response, as a gzip member."""
    fields = {name: value for name, value in record.fields.items() if name != NOT_MODIFIED}
    fields |= {
        "WARC-Type": "revisit",
        "WARC-Profile": profile,
        "WARC-Refers-To-Target-URI": original.url,
        "WARC-Refers-To-Date": original.date,
        "WARC-Refers-To": original.record_id,
        "WARC-Block-Digest": f"sha1:{base64.b32encode(hashlib.sha1(http).digest()).decode()}",  # noqa: S324  as warcio
        "Content-Length": str(len(http)),
    }
    if profile == IDENTICAL:
        fields["WARC-Truncated"] = "length"  # the block is that of a response without its payload
    else:
        fields.pop("WARC-Payload-Digest", None)
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return gzip.compress(VERSION + head.encode() + b"\r\n" + http + END, mtime=0)


def _not_modified(recorded: str) -> bytes:
    headers = msgspec.json.decode(recorded, type=Headers)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return b"HTTP/1.1 304 Not Modified\r\n" + lines.encode() + b"\r\n"


def members_of(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the packed size of each gzip member and the beginning of what is in it; a member that is cut ends it."""
    waiting = b""
    while True:
        inflate, head, size = zlib.decompressobj(16 + zlib.MAX_WBITS), bytearray(), 0
        while not inflate.eof:
            piece, waiting = waiting or file.read(PIECE), b""
            if not piece:
                return
            try:
                inflated = inflate.decompress(piece)
            except zlib.error:
                return
            head += inflated[: MOST_HEADERS - len(head)]
            size += len(piece)
        waiting = inflate.unused_data
        yield size - len(waiting), bytes(head)


def record_of(head: bytes) -> Record | None:
    """Return the headers at the beginning of a record, None if they are not all there."""
    found, end, rest = head.partition(END)
    if not end or not found.startswith(VERSION):
        return None
    lines = found.decode("utf-8", "replace").split("\r\n")[1:]
    fields = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    http, end, _ = rest.partition(END)
    is_http = http.startswith(b"HTTP/") and len(http.split(None, 2)) > 1
    return Record(fields, http + end if end and is_http else b"")
