"""How long a server asks to wait (RFC 9110, section 10.2.3): a pure reading of `Retry-After`."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after_s(header: str | None, now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, None without a usable one; `now` has a time zone."""
    if header is None:
        return None
    text = header.strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (ValueError, TypeError):
        return None
