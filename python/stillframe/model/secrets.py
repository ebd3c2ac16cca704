"""Texts that are typed into pages and shown nowhere."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

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


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return the text with every occurrence of each secret replaced; give the longest secrets first."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text
