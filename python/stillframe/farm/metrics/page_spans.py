"""One span per page and one for each part of it, made when the page is over, with URLs that hold no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus, urlsplit

from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context

from stillframe.security.redaction import Redaction
from stillframe.security.urls import WEB, origin_of

if TYPE_CHECKING:
    from stillframe.farm.output import PageRecord, PageTimings

# URLs as spans may have them: without credentials, fragments and secret parameters.

REDACTED = "REDACTED"
"""What replaces a secret; the word of OpenTelemetry's conventions."""
MAX_URL = 2_000
"""Characters of a URL in a span; our choice. Longer ones are cut."""
_SECRET = re.compile(
    r"(?:^|[-_.\[])(?:sig|signature|credential|security[-_]?token|jwt|sid|otp|pin|code)s?\]?$"
    r"|sessid|token|secret|passw|pwd|session|api[-_]?key|access[-_]?key|auth(?!or)|ticket",
    re.IGNORECASE,
)
"""Names of parameters whose values are left out: those of OpenTelemetry's conventions for `url.full`, and the usual
names of tokens, keys, passwords and sessions. A harmless value too many is better than a secret in a trace."""


def span_url(url: str) -> str | None:
    """Return a URL as a span may have it, or None for one that is not an http or https URL.

    Leaves out the fragment, which may hold a token and is never sent. Replaces user and password, the values of
    parameters with the name of a secret, and every declared secret.
    """
    origin = origin_of(url)
    if origin.partition(":")[0] not in WEB:
        return None
    # A truncated secret is no longer found, so redact before cutting.
    whole = Redaction.redact_everywhere(_without_secrets(origin, url))[:MAX_URL]
    return whole.encode("utf-8", "replace").decode()


def _without_secrets(origin: str, url: str) -> str:
    _, netloc, path, query, _ = urlsplit(url)
    if not netloc or "\\" in url:
        return origin  # only a browser's parser knows where its password ends
    if "@" in netloc:
        origin = origin.replace("://", f"://{REDACTED}:{REDACTED}@", 1)
    path, shown = _shown(path, "/"), _shown(query, "&")
    return f"{origin}{path}?{shown}" if shown else f"{origin}{path}"


def _shown(text: str, separator: str) -> str:
    """Return a path or a query without the values of secrets; its parts may have parameters, as `/a;jsessionid=…`."""
    parts = map(_parameter, text.split(separator))
    return separator.join(";".join(map(_parameter, part.split(";"))) for part in parts)


def _parameter(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name}={REDACTED}" if equals and value and _SECRET.search(unquote_plus(name)) else text


SPAN = "crawl page"
PARTS = ("load", "settle", "read")
"""The parts of a page, in their order; a span of each is a child of the page's."""
NS_PER_MS = 1_000_000

Attributes = Mapping[str, str | bool | int | float]


def record_span(
    tracer: Tracer, record: PageRecord, *, ended_ns: int, outcome: str, kind: str, attributes: Attributes
) -> None:
    """Make the spans of a page that ended at `ended_ns`, in nanoseconds since 1970.

    They lie in the past, where the record's timings put them: a page has no span while it is worked on, which costs
    nothing and needs no context that would have to reach through the crawler.
    """
    timings = record.timings
    started_ns = ended_ns - _ns(None if timings is None else timings.total_ms)
    span = tracer.start_span(SPAN, start_time=started_ns)
    if span.is_recording():
        span.set_attributes({**dict(_attributes(record)), "stillframe.outcome": outcome, **attributes})
        if outcome == "failed":
            span.set_attribute("error.type", kind)
            span.set_status(Status(StatusCode.ERROR, kind))
        if timings is not None:
            _record_parts(tracer, span, timings, started_ns)
    span.end(end_time=ended_ns)


def _record_parts(tracer: Tracer, page: Span, timings: PageTimings, started_ns: int) -> None:
    context = set_span_in_context(page)
    for part, took_ms in parts_of(timings):
        ended_ns = started_ns + _ns(took_ms)
        tracer.start_span(part, context=context, start_time=started_ns).end(end_time=ended_ns)
        started_ns = ended_ns


def parts_of(timings: PageTimings) -> Iterator[tuple[str, float]]:
    """Yield the parts of a page that were timed, each with its duration in milliseconds."""
    for part in PARTS:
        took_ms = getattr(timings, f"{part}_ms")
        if took_ms is not None:
            yield part, took_ms


def _ns(ms: float | None) -> int:
    return round((ms or 0.0) * NS_PER_MS)


def _attributes(record: PageRecord) -> Iterator[tuple[str, str | bool | int]]:
    """Yield what is known; `url.full`, `http.response.status_code` are names of OpenTelemetry's conventions."""
    verdict = record.verdict
    known = {
        "url.full": span_url(record.final_url or record.url),
        "http.response.status_code": record.status,
        "stillframe.verdict": None if verdict is None else verdict.reason,
        "stillframe.stable": None if verdict is None else verdict.stable,
        "stillframe.depth": record.depth,
        "stillframe.attempts": record.attempts,
    }
    yield from ((name, value) for name, value in known.items() if value is not None)
