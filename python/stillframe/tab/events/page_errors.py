"""Report uncaught errors of a page without Runtime.enable, by a listener in the main world."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stillframe.model.events import PageError, SourceLocation

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.channel import Channel
    from stillframe.tab.document_scripts import DocumentScript
    from stillframe.tab.frames import Frame

TRACE = "\n    at "
"""The beginning of each stack line, after the name and message of the error."""


class PageErrors:
    """Watches the documents of one tab for uncaught errors while there are listeners."""

    def __init__(self, channel: Channel, report: Callable[[PageError], None]) -> None:
        self._channel = channel
        self._report = report
        self._script: DocumentScript | None = None

    def start(self) -> None:
        """Report errors from now on; awaits nothing."""
        self._channel.open("error", self._received)
        self._script = self._channel.run("page_errors")

    def stop(self) -> None:
        """Stop reporting and remove the listeners from the documents; awaits nothing."""
        if self._script is not None:
            self._channel.withdraw(self._script, "errors-")
            self._script = None

    def joined(self, session: CDPSession) -> None:
        """Do nothing: the channel adds its scripts to new sessions."""

    def _received(self, _frame: Frame, message: dict[str, Any]) -> None:
        if self._script is not None:
            self._report(page_error(message))


def page_error(values: dict[str, Any]) -> PageError:
    """Return the error in a message of `page_errors.ts`; its content is up to the page."""
    stack = str(values.get("stack") or "")
    message = str(values.get("message") or "").removeprefix("Uncaught ")
    url, line, column = (values.get(name) for name in ("url", "line", "column"))
    location = None
    if isinstance(url, str) and isinstance(line, int) and isinstance(column, int) and line > 0:
        location = SourceLocation(url=url, line=line, column=column)
    return PageError(
        message=stack.partition(TRACE)[0] or message,
        stack=stack,
        location=location,
        timestamp_ms=time.time() * 1000,
    )
