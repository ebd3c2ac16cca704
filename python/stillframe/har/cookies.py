"""The cookies of the headers of requests and responses, as HAR files have them. Pure logic."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from stillframe.har.model import Cookie


def sent(header: str) -> list[Cookie]:
    """Return the cookies of a `Cookie` header.

    >>> [(cookie.name, cookie.value) for cookie in sent("a=1; b=x=y")]
    [('a', '1'), ('b', 'x=y')]
    """
    return [Cookie(name=name, value=value) for name, value in _pairs(header)]


def received(header: str, at: float) -> list[Cookie]:
    """Return the cookies of `Set-Cookie` headers, one on each line, that came `at` some seconds since 1970."""
    return [cookie for line in header.split("\n") if (cookie := _set(line, at)) is not None]


def _set(line: str, at: float) -> Cookie | None:
    pairs = _pairs(line)
    if not pairs:
        return None
    name, value = pairs[0]
    attributes = {key.lower(): text for key, text in pairs[1:]}
    given: dict[str, Any] = {key: attributes[key] for key in ("path", "domain") if attributes.get(key)}
    return Cookie(
        name=name,
        value=value,
        http_only="httponly" in attributes,
        secure="secure" in attributes,
        same_site=attributes.get("samesite"),
        expires=_expires(attributes, at),
        **given,
    )


def _expires(attributes: dict[str, str], at: float) -> str | None:
    """Return when a cookie expires, in ISO 8601; None for one that ends with the session, or that says nonsense."""
    try:
        if "max-age" in attributes:
            moment = datetime.fromtimestamp(at, UTC) + timedelta(seconds=int(attributes["max-age"]))
        elif "expires" in attributes:
            moment = parsedate_to_datetime(attributes["expires"].replace("-", " ")).astimezone(UTC)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _pairs(header: str) -> list[tuple[str, str]]:
    parts = [part.strip() for part in header.split(";")]
    return [(name.strip(), value.strip()) for name, _, value in (part.partition("=") for part in parts if part)]
