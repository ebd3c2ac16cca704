"""What becomes of a page that failed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stillframe.errors import (
    CommandTimeout,
    ConnectionLost,
    NavigationCause,
    NavigationFailed,
    OptionInvalid,
    TargetCrashed,
    UrlRefused,
)
from stillframe.farm.errors import DocumentReplaced, DocumentTruncated, RendererHung
from stillframe.farm.loading.retries import blames_browser, is_lasting
from stillframe.farm.retry_after import retry_after_s

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


def failed(reason: str, cause: NavigationCause = "net") -> NavigationFailed:
    return NavigationFailed("x", url="http://a/", reason=reason, cause=cause)


@pytest.mark.parametrize(
    ("error", "lasting", "browser"),
    [
        (failed("net::ERR_NAME_NOT_RESOLVED"), True, False),
        (failed("net::ERR_TOO_MANY_REDIRECTS"), True, False),
        (failed("net::ERR_CERT_AUTHORITY_INVALID", "tls"), True, False),
        (failed("download", "download"), True, False),
        (failed("refused: denied_hosts", "refused"), True, False),
        (failed("net::ERR_CONNECTION_REFUSED"), False, True),
        (failed("timeout", "timeout"), False, True),
        (UrlRefused("x", url="ftp://a/"), True, False),
        (OptionInvalid("x", option="y"), True, False),
        (ConnectionLost("x"), False, True),
        (CommandTimeout("x", timeout_ms=1), False, True),
        (TimeoutError(), False, True),
        (DocumentTruncated("x", url="http://a/", reason="net::ERR_CONNECTION_RESET"), False, True),
        (DocumentReplaced("x", url="http://a/", shown="http://b/"), False, True),
        (KeyError("of a handler"), False, False),
    ],
)
def test_what_is_tried_again_and_where(error: Exception, lasting: bool, browser: bool) -> None:
    assert (is_lasting(error), blames_browser(error)) == (lasting, browser)


@pytest.mark.parametrize("error", [TargetCrashed("the renderer ended"), RendererHung("it hangs", url="http://a/")])
def test_a_page_that_crashes_or_hangs_is_tried_twice(error: Exception) -> None:
    assert [is_lasting(error, tries) for tries in (1, 2, 3)] == [False, True, True]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("-1", None),
        ("soon", None),
        ("Tue, 24 Nov 2026 12:00:30 GMT", 30.0),
        ("Tue, 24 Nov 2026 11:00:00 GMT", 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds
