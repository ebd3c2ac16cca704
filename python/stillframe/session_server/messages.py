"""What commands and the background process say to each other: one JSON object per line.

The process greets each connection with its version. A connection carries one request. The answers to it are any number
of events, and then one result or one error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.model.failure import Failure, error_data, failure_error

if TYPE_CHECKING:
    from stillframe.errors import StillframeError

LIMIT = 64 << 20
"""Bytes of one line: a result has a page's text at most."""


class Greeting(msgspec.Struct, frozen=True):
    """The first line of a connection: the process answers, and `version` is its own."""

    version: str


class CallMessage(msgspec.Struct, frozen=True, rename="camel"):
    """A request: `call` names it, `version` is that of the client."""

    call: str
    version: str
    session: str = ""
    fields: dict[str, Any] = {}


class OpenFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of `open`."""

    url: str | None = None
    headless: bool = True
    secrets: str | None = None
    """The path of a file."""
    trace: str | None = None
    """The path of a folder."""
    trace_screenshots: bool = False
    dialogs: str | None = None
    """How to answer dialogs: accept, dismiss or ask."""


class ActFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of `act`: what `execute_sequence` takes."""

    actions: list[Any]
    options: dict[str, Any] = {}


class TextFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of `text`: what `Page.aria_snapshot` takes."""

    budget: int


class Answer(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One answer; exactly one of the fields is set."""

    event: Any = None
    result: Any = None
    error: Failure | None = None

    @property
    def is_last(self) -> bool:
        """Whether no answer follows."""
        return self.event is None


def line(message: Greeting | CallMessage | Answer) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def failure_of(error: StillframeError) -> Failure:
    """Return an error as a value."""
    return Failure(index=0, action="", error=str(error), code=error.code, data=error_data(error))


def error_of(failure: Failure) -> Exception:
    """Return the error that a value stands for."""
    return failure_error(failure)
