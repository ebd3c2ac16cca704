"""Texts that are typed into pages and shown nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast
from urllib.parse import quote, quote_plus

import msgspec

Value = TypeVar("Value")

REDACTED = "••••"
"""What stands wherever a secret would."""


class Secret(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that is typed into the page and never shown: not in results, errors, logs or reprs.

    In JSON: `{"secret": "…"}`.
    """

    secret: str

    def reveal(self) -> str:
        """Return the text itself, for the one place that types it."""
        return self.secret

    def __repr__(self) -> str:
        return f"Secret({REDACTED})"

    __str__ = __repr__


Text = str | Secret


def reveal(text: Text) -> str:
    """Return the plain text of a value that may be a `Secret`."""
    return text.reveal() if isinstance(text, Secret) else text


def longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return secrets in the order in which they are redacted, so that none is hidden by a part of itself."""
    return tuple(sorted(secrets, key=lambda text: (-len(text), text)))


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return the text with every occurrence of each secret replaced; give the longest secrets first."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def forms(secret: str) -> set[str]:
    """Return the texts in which a page shows a secret: as it is, and as the parts of a URL have it."""
    # The unreserved marks of encodeURIComponent, of URLSearchParams, and of the value of an `action` or `href`.
    return {
        secret,
        quote(secret, safe="!'()*-._~"),
        quote_plus(secret, safe="*-._"),
        quote(secret, safe="!#$&'()*+,/:;=?@~"),
    }


def redact_all(value: Value, secrets: Iterable[str]) -> Value:
    """Return a Struct, a tuple of them or a text with every text in it redacted; give the longest secrets first."""
    if isinstance(value, str):
        return cast(Value, redact(value, secrets))
    if isinstance(value, tuple):
        return cast(Value, tuple(redact_all(each, secrets) for each in value))
    if isinstance(value, msgspec.Struct):
        named = {name: redact_all(getattr(value, name), secrets) for name in value.__struct_fields__}
        return type(value)(**named)
    return value
