"""Secrets in several encodings at once."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe._core import Redactor
from stillframe.security.encodings import without_encoded_secrets

STEM = "c4n4ry9f"
"""What none of the encodings changes."""


def escaped(form: Callable[[int], str]) -> Callable[[str], str]:
    """An encoding that escapes all but ASCII letters and digits by their numbers."""
    return lambda text: "".join(char if char.isalnum() and char.isascii() else form(ord(char)) for char in text)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "plus": quote_plus,
    "json": lambda text: json.dumps(text)[1:-1],
    "json of letters": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "html": html.escape,
    "html by number": escaped("&#{};".format),
    "html by number in hexadecimal": escaped("&#x{:x};".format),
    "script": escaped(lambda code: f"\\x{code:02x}" if code < 256 else chr(code)),
}
WRITTEN = st.characters(exclude_categories=("Cs", "Cc", "Cn"))
"""Characters that have an HTML entity."""


@given(
    st.text(WRITTEN, max_size=8), st.lists(st.sampled_from(sorted(ENCODINGS)), max_size=3), st.sampled_from(["", "?q="])
)
def test_a_secret_in_up_to_three_encodings_is_not_shown(more: str, names: list[str], before: str) -> None:
    secret = f"{STEM}{more}"
    redactor = Redactor([secret])
    text = secret
    for name in names:
        text = ENCODINGS[name](text)
    shown = without_encoded_secrets({"url": [redactor.redact(f"http://a/{before}{text}")]}, redactor)
    assert STEM not in shown["url"][0]
    assert shown["url"][0].startswith("http://a/")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://a:8080/b%2520c/?q=%257B%2522a%2522%253A%2522p%2540ss%2522%257D", "http://a:8080/••••"),
        ("GET https://a/?q=%2570%2540ss", "GET https://a/••••"),
        ("said \\\\u0070@ss", "••••"),
        ("http://a/b%20c/?q=%7B%22a%22%7D&amp;b=1", "http://a/b%20c/?q=%7B%22a%22%7D&amp;b=1"),
        ("100 % \\ & co", "100 % \\ & co"),
    ],
)
def test_what_remains(text: str, shown: str) -> None:
    assert without_encoded_secrets(text, Redactor(["p@ss"])) == shown


def test_what_is_not_text_stays() -> None:
    value = {"a%": [1, None, True, 1.5], "b": ("x",)}
    assert without_encoded_secrets(value, Redactor(["p@ss"])) == {"a%": [1, None, True, 1.5], "b": ["x"]}


def test_the_time_of_a_long_text_is_linear() -> None:
    redactor = Redactor([STEM])

    def seconds(count: int) -> float:
        began = time.process_time()
        without_encoded_secrets("%25\\\\u0041&amp;" * count, redactor)
        return time.process_time() - began

    seconds(100)
    short, long = min(seconds(300) for _ in range(3)), min(seconds(3_000) for _ in range(3))
    assert long < 40 * short + 0.05
