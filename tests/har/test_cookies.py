"""Cookies of headers, as HAR files have them."""

from __future__ import annotations

import pytest

from stillframe.har import cookies
from stillframe.har.model import Cookie


def test_a_request_has_names_and_values() -> None:
    assert cookies.sent("a=1; b=x=y; c") == [
        Cookie(name="a", value="1"),
        Cookie(name="b", value="x=y"),
        Cookie(name="c", value=""),
    ]
    assert cookies.sent("") == []


@pytest.mark.parametrize(
    ("line", "expires"),
    [
        ("a=1", None),
        ("a=1; Max-Age=60", "1970-01-01T00:01:00.000Z"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:05 GMT", "1970-01-01T00:00:05.000Z"),
        ("a=1; expires=Thu, 01-Jan-1970 00:00:05 GMT", "1970-01-01T00:00:05.000Z"),
        ("a=1; Expires=soon", None),
        ("a=1; Max-Age=99999999999999", None),
        ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:05 GMT", "1970-01-01T00:01:00.000Z"),
    ],
)
def test_a_response_says_when_a_cookie_expires(line: str, expires: str | None) -> None:
    (cookie,) = cookies.received(line, at=0)
    assert (cookie.name, cookie.value, cookie.expires) == ("a", "1", expires)


def test_a_response_sets_several() -> None:
    first, second = cookies.received("a=1; Path=/x; Domain=e.org; Secure; HttpOnly; SameSite=Lax\nb=2", at=0)
    assert first == Cookie(name="a", value="1", path="/x", domain="e.org", http_only=True, secure=True, same_site="Lax")
    assert second == Cookie(name="b", value="2")
    assert cookies.received("", at=0) == []
