"""Texts that actions type and no result shows."""

from __future__ import annotations

import msgspec

REDACTED = "••••"
"""What stands wherever a secret would."""


class Secret(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"name": "secretName"}
):
    """A text that is typed into the page and never shown: not in results, errors, logs or reprs.

    In JSON: `{"secret": "…"}`, or `{"secretName": "…"}` for one that was declared in a `Secrets`; see `SecretName`.
    """

    secret: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if (self.secret is None) == (self.name is None):
            raise ValueError("a secret is either its text (secret) or its name (secretName)")

    def reveal(self) -> str:
        """Return the text itself, for the one place that types it; a secret known by name has none before that."""
        return self.secret or ""

    def __repr__(self) -> str:
        return f"Secret({REDACTED})" if self.name is None else f"SecretName({self.name!r})"

    __str__ = __repr__


def SecretName(name: str) -> Secret:  # noqa: N802  it is used as a type, beside `Secret`
    """Stand for the declared secret of that name wherever a `Secret` may be; its text is filled in as it is typed."""
    return Secret(name=name)


Text = str | Secret


def reveal(text: Text) -> str:
    """Return the plain text of a value that may be a `Secret`."""
    return text.reveal() if isinstance(text, Secret) else text
