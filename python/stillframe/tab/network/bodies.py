"""The bytes of a body that Chrome hands over as text. Pure logic.

Chrome decodes a body before it hands it over, in the way that its type, its charset and its first bytes suggest, unless
that fails. So the bytes come back by encoding the text in the same way. A byte order mark is lost; the length tells it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

LATIN = "windows-1252"
"""How Chrome reads a text of which nothing is known, and of a charset that it does not know."""

CODECS = {
    **dict.fromkeys(("ascii", "us-ascii", "latin1", "iso8859-1", "iso-8859-1", "l1"), LATIN),
    **dict.fromkeys(("iso-8859-9", "latin5"), "windows-1254"),
    **dict.fromkeys(("iso-8859-11", "tis-620"), "cp874"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "korean", "windows-949"), "cp949"),
    **dict.fromkeys(("gb2312", "gb_2312-80", "chinese", "x-gbk"), "gbk"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("utf-16", "ucs-2", "unicode"), "utf-16-le"),
}
"""Labels of the Encoding Standard that mean something else in Python, or nothing."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""A mark at the beginning counts for more than everything else that is known."""

IN_UTF8 = re.compile(r"(?:application|text)/(?:[\w.+-]*\+)?(?:json|x?html|(?:x-)?(?:java|ecma)script)\b|text/json\b")
IN_XML = re.compile(r"(?:application|text)/xml\b|[\w.-]+/[\w.+-]+\+xml\b")
IN_META = re.compile(r"<meta\b[^>]*\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
IN_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*\bencoding\s*=\s*[\"']([\w.:-]+)")
READ_FOR_CHARSET = 1024
"""Characters at the beginning of a page that may name its charset, as the HTML standard has it."""

KEEPS_CONTROLS = "stillframe.keeps-controls"


class Body(NamedTuple):
    """A body as the server sent it, and as Chrome has decoded it, None if it has not."""

    content: bytes
    text: str | None = None


def charset_of(content_type: str) -> str:
    """Return the charset that a Content-Type names, in lower case; empty if none.

    >>> charset_of('text/html; Charset="KOI8-R"; a=b')
    'koi8-r'
    """
    for part in content_type.lower().split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip() == "charset":
            return value.strip(" \t\"'")
    return ""


def encoded(text: str, content_type: str, length: int | None = None) -> bytes:
    """Return the bytes of a text that Chrome has decoded; `length` is how many they are, None if that is unknown."""
    ways = _ways(text, content_type.lower())
    first = next(ways)
    if length in (None, len(first)):
        return first
    return next((content for content in ways if len(content) == length), first)


def _ways(text: str, content_type: str) -> Iterator[bytes]:
    """Yield what the bytes may have been, most likely first."""
    yield from (_in_charset(text, label) for label in _charsets(text, content_type))
    yield from (mark + text.encode(charset, "replace") for mark, charset in MARKS)


def _charsets(text: str, content_type: str) -> Iterator[str]:
    if named := charset_of(content_type):
        yield named
    beginning, is_xml = text[:READ_FOR_CHARSET], IN_XML.match(content_type)
    if is_xml and (found := IN_DECLARATION.match(beginning)):
        yield found[1]
    if content_type.startswith("text/html") and (found := IN_META.search(beginning)):
        yield found[1]
    yield "utf-8" if is_xml or IN_UTF8.match(content_type) or not content_type.startswith("text/") else LATIN


def _in_charset(text: str, label: str) -> bytes:
    name = CODECS.get(label.lower(), label)
    try:
        return text.encode(name, KEEPS_CONTROLS)
    except LookupError:
        return text.encode(LATIN, KEEPS_CONTROLS)
    except UnicodeEncodeError:
        # Then the text was not decoded in this way, for instance because of a mark.
        return text.encode("utf-8", "replace")


def _keep_controls(error: UnicodeError) -> tuple[bytes, int]:
    """Encode a control character as its own number: Chrome reads a byte so that stands for nothing in its charset."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end].encode("latin-1"), error.end


codecs.register_error(KEEPS_CONTROLS, _keep_controls)


def length_of(headers: Mapping[str, str]) -> int | None:
    """Return how many bytes a body has by its headers, whose names are in lower case; None if they do not say."""
    size = headers.get("content-length", "")
    return int(size) if size.isdecimal() and headers.get("content-encoding", "identity") == "identity" else None
