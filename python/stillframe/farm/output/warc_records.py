"""WARC 1.1 records of HTTP exchanges: pure logic, from what was sent and received to gzip members.

Chrome hands over bodies without their Content-Encoding and Transfer-Encoding. The headers that no longer describe the
recorded bytes keep their values under `x-orig-` names, as in the archives of Webrecorder's tools.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from stillframe.extend.network import has_body

Headers = list[tuple[str, str]]

SOFTWARE = "stillframe"
NOT_MODIFIED = "Stillframe-Not-Modified"
"""The field of a response that came from Chrome's cache: the headers by which the server confirmed it, as JSON."""
_ENCODINGS = frozenset({"content-encoding", "transfer-encoding"})


class Exchange(msgspec.Struct, kw_only=True):
    """One request and what came back; `status` is None if nothing did.

    `body` is None if Chrome no longer had it; `missing` then says why. `truncated` is a reason of WARC 1.1 §5.13.
    `sent_at` is in seconds since 1970. `not_modified` are the headers of the 304 that has confirmed a cached response.
    """

    url: str
    method: str
    sent_at: float
    request_headers: Headers = []
    post_data: bytes = b""
    protocol: str = ""
    status: int | None = None
    status_text: str = ""
    response_headers: Headers = []
    remote_ip: str = ""
    body: bytes | None = None
    truncated: str = ""
    missing: str = ""
    error: str = ""
    notes: dict[str, str] = {}
    not_modified: Headers | None = None


def members(exchanges: Iterable[Exchange], *, page_url: str = "") -> bytes:
    """Return the records of the exchanges as gzip members, one per record, in their order."""
    out = io.BytesIO()
    writer = _Writer(out)
    for exchange in exchanges:
        writer.write(exchange, page_url)
    return out.getvalue()


def warcinfo(file: str, *, crawl: str = "", version: str = "") -> bytes:
    """Return the record that a WARC file begins with, as a gzip member."""
    from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    fields = {
        "software": f"{SOFTWARE} {version}".strip(),
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "isPartOf": crawl,
    }
    writer.write_record(writer.create_warcinfo_record(file, fields))
    return out.getvalue()


def recorded_headers(exchange: Exchange, body: bytes) -> Headers:
    """Return the headers of a response as they describe the bytes of `body`."""
    headers = exchange.response_headers
    if exchange.truncated or not has_body(exchange.method, exchange.status):
        return headers
    lengths = [value for name, value in headers if name.lower() == "content-length"]
    size = str(len(body))
    if not any(_is_encoding(name, value) for name, value in headers) and lengths in ([], [size]):
        return headers
    return [*((_original(name, value), value) for name, value in headers), ("Content-Length", size)]


def _original(name: str, value: str) -> str:
    wrong = name.lower() == "content-length" or _is_encoding(name, value)
    return f"x-orig-{name.lower()}" if wrong else name


def _is_encoding(name: str, value: str) -> bool:
    return name.lower() in _ENCODINGS and value.strip().lower() != "identity"


class _Writer:
    def __init__(self, out: io.BytesIO) -> None:
        # Importing warcio takes milliseconds, and only crawls that write WARC need it.
        from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
        from warcio.warcwriter import WARCWriter

        self._writer = WARCWriter(out, gzip=True, warc_version="1.1")
        self._headers = StatusAndHeaders

    def write(self, exchange: Exchange, page_url: str) -> None:
        if exchange.status is None:
            self._metadata(exchange, None, page_url)
            return
        body = exchange.body or b""
        common = _common(exchange)
        status = _in_ascii(f"{exchange.status} {_one_line(exchange.status_text)}".strip())
        received = self._headers(status, _clean(recorded_headers(exchange, body)), protocol="HTTP/1.1")
        extra = {"WARC-Truncated": exchange.truncated} if exchange.truncated else {}
        if exchange.not_modified is not None:
            extra[NOT_MODIFIED] = msgspec.json.encode(_clean(exchange.not_modified)).decode()
        response = self._record(exchange, "response", body, received, common | extra)
        sent = self._headers(_request_line(exchange), _clean(_request_headers(exchange)), is_http_request=True)
        request = self._record(exchange, "request", exchange.post_data, sent, common)
        self._writer.write_request_response_pair(request, response)
        if _fields(exchange, ""):
            self._metadata(exchange, response.rec_headers.get_header("WARC-Record-ID"), page_url)

    def _record(self, exchange: Exchange, kind: str, content: bytes, headers: Any, fields: dict[str, str]) -> Any:
        return self._writer.create_warc_record(
            exchange.url,
            kind,
            payload=io.BytesIO(content),
            length=len(content),
            http_headers=headers,
            warc_headers_dict=fields,
        )

    def _metadata(self, exchange: Exchange, response_id: str | None, page_url: str) -> None:
        content = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in _fields(exchange, page_url).items())
        fields = {"WARC-Date": _date(exchange.sent_at)}
        if response_id is not None:
            fields["WARC-Concurrent-To"] = response_id
        raw = content.encode()
        self._writer.write_record(
            self._writer.create_warc_record(
                exchange.url, "metadata", payload=io.BytesIO(raw), length=len(raw), warc_headers_dict=fields
            )
        )


def _common(exchange: Exchange) -> dict[str, str]:
    fields = {"WARC-Date": _date(exchange.sent_at)}
    if exchange.remote_ip:
        fields["WARC-IP-Address"] = exchange.remote_ip
    if exchange.protocol:
        fields["WARC-Protocol"] = exchange.protocol
    return fields


def _fields(exchange: Exchange, page_url: str) -> dict[str, str]:
    """Return what a metadata record says of an exchange; nothing if the exchange is complete."""
    reasons = {"error": exchange.error, "missingBody": exchange.missing, **exchange.notes}
    fields = {name: value for name, value in reasons.items() if value}
    return {"method": exchange.method, "via": page_url, **fields} if fields and page_url else fields


def _request_line(exchange: Exchange) -> str:
    parts = urlsplit(exchange.url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return f"{exchange.method} {path} HTTP/1.1"


def _request_headers(exchange: Exchange) -> Headers:
    """HTTP/2 has the host in a pseudo-header, which HTTP/1.1 notation has no place for."""
    headers = [(name, value) for name, value in exchange.request_headers if not name.startswith(":")]
    if not any(name.lower() == "host" for name, _ in headers):
        headers.insert(0, ("Host", urlsplit(exchange.url).netloc.rpartition("@")[2]))
    return headers


def _clean(headers: Sequence[tuple[str, str]]) -> Headers:
    return [(_one_line(name), _one_line(value)) for name, value in headers]


def _one_line(text: str) -> str:
    """Return a text without control characters and lone surrogates, which would break the record."""
    shown = "".join(" " if ord(char) < 32 or ord(char) == 127 else char for char in text)
    return shown.encode("utf-8", "replace").decode()


def _in_ascii(line: str) -> str:
    """Return a status line as warcio takes it, which encodes the headers only."""
    return "".join(char if char.isascii() else quote(char) for char in line)


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
