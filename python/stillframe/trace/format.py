"""The format of a trace file.

The first line is the header. Every other line is a record with `at`, the milliseconds since the trace began, and
`type`, one of the keys of `TYPES`. A line is written whole and at once, so a trace can be read up to the last moment of
a process that was killed; only the last line can be torn.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stillframe.model.secret import REDACTED

FORMAT = "stillframe.trace/1"
SUFFIX = ".trace.jsonl"

MAX_BYTES = 256_000_000
"""The default largest size of a file: an hour of work with screenshots, and what the report still opens."""
LAST_BYTES = 4096
"""Bytes kept for the records that say how the trace ended."""

TYPES = {
    "call": "a method of the page was called: id, name, and selector or url",
    "returned": "that call ended: id, arguments, error",
    "sequence": "a sequence began: id, its actions and options",
    "action": "an action began: sequence, index, action (its kind), selector",
    "step": "that action ended: sequence, index, action (with its fields), step",
    "result": "the sequence ended: sequence, result",
    "verdict": "a wait ended: verdict",
    "signal": "the settling logic heard something: signal (its name) and its fields",
    "fence": "a fence was sent: id, realms",
    "fenceDone": "a realm answered it: id, realm, report, lost",
    "pending": "the pending set changed: opened (rows), closed (kind and key)",
    "request": "the page sent a request",
    "response": "the headers of a response arrived: id, status, headers, …",
    "requestfinished": "the body of a response arrived: id",
    "requestfailed": "a request ended without a response: id, error",
    "console": "a message in the console: message",
    "pageerror": "an exception that no code of the page caught: error",
    "dialog": "a JavaScript dialog: dialog",
    "download": "a download began: download",
    "popup": "the page opened another page: target",
    "screenshot": "the page before or after a sequence: sequence, when, url, data (JPEG in Base64), width, "
    "height; or sameAs, the sequence whose screenshot afterwards shows the same",
    "text": "the text of the page after a sequence, with the refs of its delta: sequence, text",
    "boxes": "where the elements of a delta are in these screenshots: sequence, before and after, by ref",
    "crash": "the renderer of the page crashed",
    "close": "the page is gone",
    "unwritable": "a record could not be written: of (its type), error",
    "truncated": "the file reached its largest size, and the trace ended: maxBytes",
    "end": "the trace ended",
}

SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token", "x-csrf-token"}
    | {"x-xsrf-token", "x-amz-security-token", "x-goog-api-key", "x-vault-token", "api-key", "apikey"}
)
"""Headers whose values are credentials, whatever the texts are."""

_TELLING_NAMES = (
    r"(?:[\w.-]*(?:password|passwd|passphrase|secret|token|api_?-?key|credential|signature)"
    r"|pwd|auth|authorization|session_?id|sid|jwt|otp|code|sig|x-amz-[\w-]+)"
)
_TELLING_FIELDS = re.compile(
    # in a query, a fragment or a form: name=value
    rf"((?:[?&#;]|%3[Ff]|%26){_TELLING_NAMES}=)(?!{REDACTED})[^&#;\s\"'\\<>]+"
    # in JSON within a text, where quotes are escaped: \"name\":\"value\"
    rf"|(\\\"{_TELLING_NAMES}\\\"\s*:\s*\\\")(?!{REDACTED})(?:[^\"\\]|\\\\\\\"|\\[^\"])+"
    # in a script within a text: name: 'value'
    rf"|((?:['`\s{{,]|\\\"){_TELLING_NAMES}(?:['`]|\\\")?\s*:\s*(?:['`]|\\\"))(?!{REDACTED})[^\"'`\\]+"
    # a login in a URL: //user:password@
    r"|(//[^/\s:@\"\\]*:)[^/\s@\"\\]+(?=@)",
    re.IGNORECASE,
)


class Header(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The first line of a trace: what was traced, with what, and since when."""

    format: str
    version: str
    """The version of stillframe that wrote it."""
    started_at: float
    """When the trace began, in milliseconds since 1970."""
    browser: str
    """The browser's product, such as `Chrome/156.0.8078.79`."""
    target_id: str
    url: str
    width: float | None = None
    height: float | None = None
    """The size of the page in CSS pixels, if it was emulated."""


def line(record: dict[str, Any] | Header, *, image: str | None = None) -> bytes:
    """Return a record as one line; a value in a field whose name tells a secret is replaced.

    `image`, in Base64, becomes the field `data`. It is not searched: no field can be in it, and it has 100,000
    characters. Raises ValueError for a text that UTF-8 cannot represent.
    """
    text = _TELLING_FIELDS.sub(_hidden, msgspec.json.encode(record).decode())
    if image is not None:
        text = f'{text[:-1]},"data":"{image}"}}'
    return text.encode() + b"\n"


def _hidden(match: re.Match[str]) -> str:
    return f"{match[match.lastindex or 0]}{REDACTED}"


def without_credentials(headers: dict[str, str]) -> dict[str, str]:
    """Return headers, by their names in lower case, with the values of those that carry credentials replaced."""
    return {name: REDACTED if name in SECRET_HEADERS else value for name, value in headers.items()}
