"""Errors that no script of a page caught, without Runtime.enable: a listener in the page's own world tells of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from stillframe.cdp import CDPSession
from stillframe.model.events import PageError, SourceLocation
from stillframe.tab.channel import Channel
from stillframe.tab.document_scripts import DocumentScript
from stillframe.tab.frames import Frame

TRACE = "\n    at "
"""What the lines of a stack begin with, after the name and the message of the error."""


class PageErrors:
    """Watches the documents of one tab for uncaught errors while somebody listens."""

    def __init__(self, channel: Channel, tell: Callable[[PageError], None]) -> None:
        self._channel = channel
        self._tell = tell
        self._script: DocumentScript | None = None

    def start(self) -> None:
        """Report errors from now on; awaits nothing."""
        self._channel.open("error", self._told)
        self._script = self._channel.run("page_errors")

    def stop(self) -> None:
        """Report no more, and take the listeners out of the documents; awaits nothing."""
        if self._script is not None:
            self._channel.withdraw(self._script, "errors-")
            self._script = None

    def joined(self, session: CDPSession) -> None:
        """Do nothing: the channel brings its scripts to new sessions."""

    def _told(self, frame: Frame, told: dict[str, Any]) -> None:
        if self._script is not None:
            self._tell(page_error(told))


def page_error(told: dict[str, Any]) -> PageError:
    """Return the error that `page_errors.js` tells of; a page may have written anything into it."""
    stack = str(told.get("stack") or "")
    message = str(told.get("message") or "").removeprefix("Uncaught ")
    url, line, column = (told.get(name) for name in ("url", "line", "column"))
    location = None
    if isinstance(url, str) and isinstance(line, int) and isinstance(column, int) and line > 0:
        location = SourceLocation(url=url, line=line, column=column)
    return PageError(
        message=stack.partition(TRACE)[0] or message,
        stack=stack,
        location=location,
        timestamp_ms=time.time() * 1000,
    )
