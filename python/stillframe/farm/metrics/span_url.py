"""URLs as spans may have them: without credentials, fragments and secret parameters."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus, urlsplit

from stillframe.security.redaction import Redaction
from stillframe.security.urls import WEB, origin_of

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
    shown = "&".join(map(_parameter, query.split("&")))
    return f"{origin}{path}?{shown}" if shown else f"{origin}{path}"


def _parameter(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name}={REDACTED}" if equals and value and _SECRET.search(unquote_plus(name)) else text
