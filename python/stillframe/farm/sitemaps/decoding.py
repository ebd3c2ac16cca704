"""The text of a sitemap: its encoding is that of a byte order mark, the XML declaration, the header, or UTF-8."""

from __future__ import annotations

import codecs
import re

HEAD = 1_024
"""Bytes in which a byte order mark and an XML declaration stand."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the mark of UTF-16 does, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
UNMARKED = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
WIDE = ("utf-16", "utf-32")
LATIN = frozenset({"ascii", "iso8859-1"})
"""Names of codecs by which the web means windows-1252."""


class Decoder:
    """Turns the bytes of a file into text as they come; what cannot be decoded becomes U+FFFD."""

    def __init__(self, charset: str | None = None) -> None:
        self._charset = charset
        self._head: bytes | None = b""
        self._decoder: codecs.IncrementalDecoder | None = None

    def feed(self, data: bytes) -> str:
        """Return the text that these bytes end."""
        if self._head is not None:
            self._head += data
            if len(self._head) < HEAD:
                return ""
            data = self._begin()
        assert self._decoder is not None
        return self._decoder.decode(data)

    def close(self) -> str:
        """Return the text at the end of the file."""
        data = self._begin() if self._head is not None else b""
        assert self._decoder is not None
        return self._decoder.decode(data, final=True)

    def _begin(self) -> bytes:
        head, self._head = self._head or b"", None
        name, mark = encoding_of(head[:HEAD], self._charset)
        self._decoder = codecs.getincrementaldecoder(name)("replace")
        return head[mark:]


def encoding_of(head: bytes, charset: str | None) -> tuple[str, int]:
    """Return the codec of a file by its first bytes and its header, and the length of the byte order mark.

    The declaration goes before the header: it was written with the file, while the header is often the default of the
    server. A declaration that can be read is not UTF-16, whatever it says.
    """
    for mark, name in MARKS:
        if head.startswith(mark):
            return name, len(mark)
    if head[:2] in UNMARKED:
        return UNMARKED[head[:2]], 0
    declared = DECLARED.search(head)
    for given in (declared and declared[1].decode("ascii"), charset):
        codec = codec_of(given)
        if codec is not None and not codec.startswith(WIDE):
            return codec, 0
    return "utf-8", 0


def codec_of(name: str | None) -> str | None:
    """Return the codec of texts that has a name, None if Python has none."""
    if not name:
        return None
    try:
        found = codecs.lookup(name.strip().strip("\"'"))
    except (LookupError, ValueError):
        return None
    if not found._is_text_encoding or found.name in NOT_CHARSETS:
        return None
    return "cp1252" if found.name in LATIN else found.name


NOT_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7", "mbcs"})
"""Codecs of Python that decode text and that the web does not use."""
