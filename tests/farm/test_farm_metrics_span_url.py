"""URLs in spans: no credentials, no secret parameters, no fragment."""

from __future__ import annotations

import pytest

from stillframe.farm.metrics.page_spans import MAX_URL, span_url
from stillframe.security.redaction import Redaction


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://shop.test/a?page=2&sort=up", "https://shop.test/a?page=2&sort=up"),
        ("HTTPS://Shop.test:443", "https://shop.test"),
        ("http://[::1]:8080/a?x", "http://[::1]:8080/a?x"),
        ("https://shop.test/a#access_token=abc", "https://shop.test/a"),
        ("https://user:pass@shop.test/", "https://REDACTED:REDACTED@shop.test/"),
        ("https://user@shop.test/", "https://REDACTED:REDACTED@shop.test/"),
        (r"https:\\user:pass@shop.test\a", "https://shop.test"),
        ("https:/user:pass@shop.test/", "https://shop.test"),
        ("https://s.test/?X-Amz-Signature=ab&sig=cd", "https://s.test/?X-Amz-Signature=REDACTED&sig=REDACTED"),
        ("https://s.test/?X-Amz-Credential=ab&a=1", "https://s.test/?X-Amz-Credential=REDACTED&a=1"),
        ("https://s.test/?PHPSESSID=ab", "https://s.test/?PHPSESSID=REDACTED"),
        ("https://s.test/?access%5Ftoken=ab&api_key=", "https://s.test/?access%5Ftoken=REDACTED&api_key="),
        ("https://s.test/?author=ann&keyword=k&zipcode=1", "https://s.test/?author=ann&keyword=k&zipcode=1"),
        ("https://s.test/?auth=ab&code=cd", "https://s.test/?auth=REDACTED&code=REDACTED"),
        (
            "https://s.test/a;jsessionid=ab/b;v=1?x=1;token=cd",
            "https://s.test/a;jsessionid=REDACTED/b;v=1?x=1;token=REDACTED",
        ),
        ("https://s.test/?next=/a/b&q=a;b", "https://s.test/?next=/a/b&q=a;b"),
        ("https://s.test/?token=ab/cd;ef&state=ok", "https://s.test/?token=REDACTED&state=ok"),
        ("https://s.test/\ud800", "https://s.test/?"),
    ],
)
def test_what_a_span_shows(url: str, shown: str) -> None:
    assert span_url(url) == shown


@pytest.mark.parametrize("url", ["", "about:blank", "data:text/html,x", "file:///etc/passwd", "https://", "no url"])
def test_other_urls_are_left_out(url: str) -> None:
    assert span_url(url) is None


def test_a_long_url_is_cut() -> None:
    assert len(span_url("https://shop.test/" + "a" * 5_000) or "") == MAX_URL


def test_declared_secrets_are_replaced() -> None:
    redaction = Redaction()
    redaction.add("hunter2")
    assert "hunter2" not in (span_url("https://shop.test/hunter2/a?q=hunter2") or "hunter2")
