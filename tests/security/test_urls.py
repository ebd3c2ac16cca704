"""What a URL names: parts, origins, hosts that stand alone, and the words of errors for texts that are not URLs."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.security.policy import UrlPolicy
from stillframe.security.urls import (
    is_origin,
    origin_of,
    parse_authority,
    parse_host,
    parse_scheme,
    parse_url,
    same_origin,
)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("HTTP://Example.ORG", ("http", "example.org", 80, "")),
        ("https://a:b@example.org:8443/x?y#z", ("https", "example.org", 8443, "")),
        ("wss://x.test:443", ("wss", "x.test", 443, "")),
        ("http://x.test:", ("http", "x.test", 80, "")),
        ("about:blank?a#b", ("about", None, None, "blank")),
        ("blob:https://x.test/1-2", ("blob", None, None, "https://x.test/1-2")),
        ("java\nscript:alert(1)", ("javascript", None, None, "alert(1)")),
        ("file:///etc/passwd", ("file", None, None, "/etc/passwd")),
    ],
)
def test_the_parts_of_a_url(url: str, parts: tuple[str, str | None, int | None, str]) -> None:
    read = parse_url(url)
    assert (read.scheme, read.host and read.host.name, read.port, read.path) == parts


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://site:1/a?b#c", "http://site:1"),
        ("https://SITE:443/", "https://site"),
        ("http://user:pw@site/", "http://site"),
        ("blob:https://site/1-2", "https://site"),
        ("about:blank", ""),
        ("http://[bad", ""),
        ("data:text/html,x", ""),
        ("file:///x", ""),
        ("", ""),
    ],
)
def test_origins(url: str, origin: str) -> None:
    assert origin_of(url) == origin
    assert same_origin(url, origin) is bool(origin)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.test/x", "http://A.test:80/y", True),
        ("http://0x7f.1/", "http://127.0.0.1", True),
        ("http://b\u00fccher.example/", "http://xn--bcher-kva.example", True),
        ("http://a.test", "https://a.test", False),
        ("http://a.test:8080", "http://a.test", False),
        ("about:blank", "about:blank", False),
        ("http://a.test\\@b.test/", "http://b.test", False),
    ],
)
def test_one_origin_in_two_spellings(one: str, other: str, same: bool) -> None:
    assert same_origin(one, other) is same


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("https://a.test", True),
        ("http://a.test:8080", True),
        ("http://a.test:80", True),
        ("https://a.test/", False),
        ("https://a.test/x", False),
        ("https://u@a.test", False),
        ("https://a.test?x", False),
        ("https://a.test#", False),
        ("ftp://a.test", False),
        ("a.test", False),
    ],
)
def test_an_origin_and_nothing_more(text: str, plain: bool) -> None:
    assert is_origin(text) is plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.test", ("a.test", None)),
        ("A.Test.:80", ("a.test", 80)),
        ("a.test:443", ("a.test", 443)),
        ("a.test:65535", ("a.test", 65535)),
        ("a.test:", ("a.test", None)),
        ("::1", ("::1", None)),
        ("[::1]:80", ("::1", 80)),
        ("0x7f.1:8080", ("127.0.0.1", 8080)),
        ("b\u00fccher.example:443", ("xn--bcher-kva.example", 443)),
    ],
)
def test_a_host_that_stands_alone(text: str, expected: tuple[str, int | None]) -> None:
    host, port = parse_authority(text)
    assert (host.name, port) == expected


@pytest.mark.parametrize(
    "text",
    ["", ":80", "a/b", "u@a.test", "a.test?x", "a.test#x", "a\\b", "a\tb", " a", "a.test:x", "a:65536", "[::1", "a b"],
)
def test_what_is_not_a_host(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_authority(text)


def test_a_host_alone_has_no_port() -> None:
    assert parse_host("a.test").name == "a.test"
    with pytest.raises(ValueError, match="port"):
        parse_host("a.test:80")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("shop.example/x", "no scheme: write the complete URL, for example https://shop.example/x$"),
        ("/path", "for example https://example.org/$"),
        ("", "no scheme"),
        ("http://", "has no host"),
        ("http://u@/", "has no host"),
        ("http://a.test:x/", "'x' is not a port"),
        ("http://a.test:65536/", "'65536' is not a port"),
        ("http://[::1/", "is not an IPv6 address"),
        ("http://a b/", "U\\+0020"),
        ("http://a\u0378b/", "U\\+0378"),
        ("http://a..b/", "is not a host name"),
        ("http://" + "a" * 2000 + ":/", "is not a host name"),
    ],
)
def test_what_is_wrong_is_reported(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parse_url(url)
    assert len(str(caught.value)) < 400


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_any_text_is_read_or_said_to_be_wrong(text: str) -> None:
    """Halves of surrogate pairs too, which JSON may hold."""
    for url in (text, f"http://{text}/", f"blob:{text}"):
        with contextlib.suppress(ValueError):
            parse_url(url)
        with contextlib.suppress(ValueError):
            parse_scheme(url)
        assert isinstance(origin_of(url), str)


@pytest.mark.parametrize(
    "url",
    [
        "blob:" * 200_000 + "http://127.0.0.1/",
        "http://" + "a." * 500_000 + "test/",
        "http://" + "a@" * 500_000 + "127.0.0.1/",
        "http://a.test:" + "9" * 1_000_000,
        "http://[" + ":" * 1_000_000 + "]/",
        "http://" + "%41" * 300_000 + "/",
        "http://" + "\u0378" * 300_000 + "/",
        "x" * 1_000_000,
        "x" * 1_000_000 + ":",
        " " * 1_000_000,
    ],
)
def test_a_long_url_is_judged_in_no_time_and_few_words(url: str) -> None:
    start = time.process_time()
    refusal = UrlPolicy().judge(url)
    assert time.process_time() - start < 2
    assert refusal is not None
    assert len(refusal.rule + refusal.reason) < 2000


def test_a_package_that_is_only_imported_reads_no_url() -> None:
    code = "import stillframe, sys; print(sorted({'ada_url', 'idna', 'h11', 'dotenv'} & set(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert output == "[]\n"
