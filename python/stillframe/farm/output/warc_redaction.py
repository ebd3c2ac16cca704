"""Leave the secrets of a context out of recorded exchanges: pure logic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

from msgspec.structs import replace

from stillframe.extend.network import charset_of
from stillframe.farm.output.warc_records import Exchange, Headers
from stillframe.model.secret import REDACTED
from stillframe.security.redaction import Redaction

NOTE = "secrets of the context are replaced, so this is not what went over the wire"
ANY_BYTES = "latin-1"
"""Decodes whatever bytes there are, and encodes them again as they were."""


def without_secrets(exchange: Exchange, redaction: Redaction) -> Exchange:
    """Return an exchange with every secret replaced, in its URL, headers and bodies; a note says if there was one."""
    if not redaction.redactor:
        return exchange
    redacted = redaction.redact(exchange)
    found = replace(
        redacted,
        url=redacted.url.replace(REDACTED, quote(REDACTED)),
        post_data=_redacted(exchange.post_data, exchange.request_headers, redaction.redact),
        body=exchange.body and _redacted(exchange.body, exchange.response_headers, redaction.redact),
    )
    return exchange if found == exchange else replace(found, notes=found.notes | {"redacted": NOTE})


def _redacted(content: bytes, headers: Headers, redact: Callable[[str], str]) -> bytes:
    """Return a body without secrets, the same object if it has none."""
    for charset in _charsets(headers):
        try:
            text = content.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
        return content if (safe := redact(text)) == text else safe.encode(charset, "replace")
    return content


def _charsets(headers: Headers) -> Iterator[str]:
    """Yield in which ways the bytes may be read: as their header says, as most texts are, and as any bytes are."""
    for name, value in headers:
        if name.lower() == "content-type" and (charset := charset_of(value)):
            yield charset
    yield "utf-8"
    yield ANY_BYTES
