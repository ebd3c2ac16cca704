"""Secret texts: actions type them, and no result shows them."""

from __future__ import annotations

import msgspec

from stillframe.errors import ActionInvalid
from stillframe.model.validation import Validated

REDACTED = "••••"
"""The text that replaces a secret."""


def _secret_invalid(message: str, field: str | None) -> ActionInvalid:
    return ActionInvalid(message, field=field)


class Secret(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"name": "secretName"},
    metaclass=Validated,
):
    """A text that actions type into the page; no result, error, log or repr shows it.

    In JSON it is `{"secret": "…"}`, or `{"secretName": "…"}` for a secret declared in a `Secrets`; see `SecretName`.
    """

    secret: str | None = None
    name: str | None = None

    invalid = staticmethod(_secret_invalid)

    def __post_init__(self) -> None:
        if (self.secret is None) == (self.name is None):
            raise ActionInvalid("a secret has either a text (secret) or a name (secretName)")

    def reveal(self) -> str:
        """Return the text, for the code that types it; empty for a secret that has only a name."""
        return self.secret or ""

    def __repr__(self) -> str:
        return f"Secret({REDACTED})" if self.name is None else f"SecretName({self.name!r})"

    __str__ = __repr__


def SecretName(name: str) -> Secret:  # noqa: N802  it reads like a class, as `Secret` does
    """Return a `Secret` that refers to a declared secret by its name; the text is looked up when it is typed."""
    return Secret(name=name)


Text = str | Secret


def reveal(text: Text) -> str:
    """Return the plain text of a value that may be a `Secret`."""
    return text.reveal() if isinstance(text, Secret) else text
