"""What a page reported since the last call: console messages, uncaught errors and failed requests, as short lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from stillframe.extend import page_state
from stillframe.extend.text import quote
from stillframe.model.bounds import short

if TYPE_CHECKING:
    from stillframe import Page, Response
    from stillframe.model.events import ConsoleMessage, PageError, Request, RequestFailure

KEPT = 100
"""Lines of a page that are kept between two calls, the last ones."""

SHOWN, TRIVIAL = 6, 2
"""Lines in a reply, and those among them that are neither errors nor warnings: pages log a lot that helps nobody."""

LINE_CHARS = 200

ABORTED = "net::ERR_ABORTED"
"""A request that the page or a navigation cancelled, which is not a failure."""


class LogLine(NamedTuple):
    """One line, and whether it is an error or a warning."""

    text: str
    is_trouble: bool


class PageLog:
    """Listens to one page; the first lines of a kind may be those of the document that is there already."""

    def __init__(self, page: Page) -> None:
        state = page_state(page)
        self._lines: deque[LogLine] = deque(maxlen=KEPT)
        self._dropped = 0
        state.listen("console", self._console)
        state.listen("pageerror", self._error)
        state.listen("response", self._response)
        state.listen("requestfailed", self._failure)

    def take(self) -> list[str]:
        """Return what came since the last time, errors before the rest, and how many lines were left out."""
        trouble = [line.text for line in self._lines if line.is_trouble][-SHOWN:]
        others = [line.text for line in self._lines if not line.is_trouble]
        shown = [*trouble, *others[-TRIVIAL:]][:SHOWN]
        left = len(self._lines) + self._dropped - len(shown)
        self._lines.clear()
        self._dropped = 0
        return [*shown, *([f"… {left} more console messages, errors or failed requests"] if left else [])]

    def _add(self, line: str, *, is_trouble: bool) -> None:
        self._dropped += len(self._lines) == KEPT
        self._lines.append(LogLine(line, is_trouble))

    def _console(self, message: ConsoleMessage) -> None:
        # The request itself already reports what the browser says about the network.
        if message.source != "network":
            line = f"console {message.type}: {quote(short(message.text, LINE_CHARS))}"
            self._add(line, is_trouble=message.type in ("error", "warning"))

    def _error(self, error: PageError) -> None:
        self._add(f"page error: {quote(short(error.message, LINE_CHARS))}", is_trouble=True)

    def _response(self, response: Response) -> None:
        if response.status >= 400 and not asks_for_icon(response.request):
            self._add(_request_line(response.request, str(response.status)), is_trouble=True)

    def _failure(self, failure: RequestFailure) -> None:
        if failure.error != ABORTED:
            self._add(_request_line(failure.request, failure.error), is_trouble=True)


def asks_for_icon(request: Request) -> bool:
    """Return whether the browser itself sent a request: it asks every site for an icon."""
    return request.resource_type == "other" and request.url.endswith("/favicon.ico")


def _request_line(request: Request, outcome: str) -> str:
    return f"request failed: {request.method} {quote(short(request.url, LINE_CHARS))}, {outcome}"


def lines_of(*logs: PageLog) -> Iterator[str]:
    """Yield the lines of several logs, each once."""
    for log in dict.fromkeys(logs):
        yield from log.take()
