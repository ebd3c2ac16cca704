"""Bodies that Chrome hands over as text become the bytes that the server sent."""

from __future__ import annotations

import codecs

import pytest

from stillframe.tab.network.bodies import charset_of, encoded, length_of

META = '<meta http-equiv=content-type content="text/html; charset=Shift_JIS"><p>日本'
DECLARED = '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'

ROWS = {
    "nothing is known": ("text/plain", "naÃ¯ve æµ‹", "naïve 测".encode()),
    "a charset": ("text/html; charset=windows-1251", "Привет", "Привет".encode("cp1251")),
    "a charset in quotes": ('text/plain; charset="KOI8-R"', "Привет", "Привет".encode("koi8-r")),
    "a label that means more in a browser": ("text/plain;charset=ISO-8859-1", "“é”", b"\x93\xe9\x94"),
    "a label of its own": ("text/plain; charset=x-sjis", "日本", "日本".encode("cp932")),
    "half of a pair of bytes": ("text/plain; charset=utf-16le", "hé", "hé".encode("utf-16-le")),
    "a charset that nobody knows": ("text/plain; charset=nonsense", "Ã©", "é".encode()),
    "a page": ("text/html", "<p>é", "<p>é".encode()),
    "a page that names its charset": ("text/html", META, META.encode("cp932")),
    "XML": ("image/svg+xml", "<a>é</a>", "<a>é</a>".encode()),
    "XML that names its charset": ("application/xml", DECLARED, DECLARED.encode("latin-1")),
    "JSON": ("application/problem+json", '{"a": "é"}', '{"a": "é"}'.encode()),
    "a script": ("text/javascript", "'é'", "'é'".encode()),
    "a style": ("text/css", "Ã©", "é".encode()),
}


@pytest.mark.parametrize("what", ROWS)
def test_a_text_becomes_the_bytes_that_it_was_read_from(what: str) -> None:
    content_type, text, content = ROWS[what]
    assert encoded(text, content_type) == content


def test_a_byte_that_stands_for_nothing_is_kept() -> None:
    undefined = "\x81\x8d\x8f\x90\x9d"
    assert encoded(f"a{undefined}é", "text/plain") == f"a{undefined}é".encode("latin-1")


@pytest.mark.parametrize(("mark", "charset"), [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")])
def test_the_length_tells_a_mark_that_chrome_has_removed(mark: bytes, charset: str) -> None:
    content = mark + "hé, 测".encode(charset)
    assert encoded("hé, 测", "application/json", len(content)) == content
    assert encoded("hé, 测", "application/json") == "hé, 测".encode()


def test_a_length_that_fits_nothing_changes_nothing() -> None:
    assert encoded("é", "text/html", 77) == "é".encode()


def test_headers_say_how_long_a_body_is_only_without_an_encoding() -> None:
    assert length_of({"content-length": "12"}) == 12
    assert length_of({"content-length": "12", "content-encoding": "gzip"}) is None
    assert length_of({"content-length": "x"}) is length_of({}) is None
    assert charset_of("text/html") == ""
