"""The cookies of requests that are made outside of the pages."""

from __future__ import annotations

import pytest

from stillframe.tab.context.http_cookies import cookie_header, set_cookie
from stillframe.tab.context.storage_state import CookieState

NOW = 1_800_000_000.0
URL = "http://shop.example.org/cart/items?x=1"


@pytest.mark.parametrize(
    ("line", "domain", "path", "expires"),
    [
        ("a=1", "shop.example.org", "/cart", -1),
        ("a=1; Path=/; Max-Age=60", "shop.example.org", "/", NOW + 60),
        ("a=1; path=/x; domain=.Example.org", ".example.org", "/x", -1),
        ("a=1; Max-Age=0; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "shop.example.org", "/cart", 1),
        ("a=1; Expires=Wed, 09-Jun-2100 10:18:14 GMT", "shop.example.org", "/cart", 4116219494),
        ("a=1; Max-Age=soon; Path=x", "shop.example.org", "/cart", -1),
    ],
)
def test_a_line_sets_a_cookie(line: str, domain: str, path: str, expires: float) -> None:
    cookie = set_cookie(URL, line, NOW)
    assert cookie is not None
    assert (cookie.name, cookie.value) == ("a", "1")
    assert (cookie.domain, cookie.path, cookie.expires) == (domain, path, expires)


def test_attributes_have_any_case() -> None:
    cookie = set_cookie("https://example.org/", "a=b=c; SECURE; httponly; SameSite=STRICT", NOW)
    assert cookie is not None
    assert (cookie.value, cookie.secure, cookie.http_only, cookie.same_site) == ("b=c", True, True, "Strict")


@pytest.mark.parametrize(
    "line", ["a=1; Domain=example.com", "a=1; Domain=org.evil", "a=1; Domain=ple.org", "a=1; Secure", "=; Path=/", ""]
)
def test_what_a_browser_would_refuse_sets_none(line: str) -> None:
    assert set_cookie(URL, line, NOW) is None


def test_an_address_has_no_subdomains() -> None:
    assert set_cookie("http://127.0.0.1/", "a=1; Domain=0.0.1", NOW) is None


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://example.org/", "any=1"),
        ("https://example.org/", "any=1; safe=1"),
        ("http://example.org/deep/er", "deep=1; any=1"),
        ("http://example.org/deeper", "any=1"),
        ("http://sub.example.org/", "any=1"),
        ("http://notexample.org/", ""),
        ("http://example.com/", ""),
    ],
)
def test_a_url_takes_its_cookies(url: str, sent: str) -> None:
    cookies = [
        CookieState(name="any", value="1", domain=".example.org", path="/"),
        CookieState(name="deep", value="1", domain="example.org", path="/deep"),
        CookieState(name="safe", value="1", domain="example.org", path="/", secure=True),
        CookieState(name="past", value="1", domain=".example.org", path="/", expires=NOW - 1),
        CookieState(name="part", value="1", domain=".example.org", path="/", partition_key="https://example.com"),
    ]
    assert cookie_header(url, cookies, NOW) == sent
