"""What pages logged and requested, kept for the tools that read it; the newest of it, each with a number of its own."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from stillframe.extend import TabEventName, page_state
from stillframe.mcp.page_log import asks_for_icon
from stillframe.model.bounds import short

if TYPE_CHECKING:
    from stillframe import Page, Response
    from stillframe.model.events import ConsoleMessage, PageError, Request, RequestFailure, SourceLocation

KEPT_MESSAGES, KEPT_REQUESTS = 1_000, 1_000
"""Entries of one page; the oldest go first. A page that logs in a loop must not fill memory."""

MESSAGE_CHARS = 4_000
"""Characters of one message or stack that are kept."""

ICON = "/favicon.ico:"

Level = Literal["error", "warning", "info", "debug"]

LEVELS: dict[str, int] = {"error": 0, "warning": 1, "info": 2, "log": 2, "debug": 3}
"""Types of console messages, the gravest first; others, such as `table`, count as `info`."""


class Message(NamedTuple):
    """A console message, or an error that no script caught, which has the type `pageerror`."""

    number: int
    type: str
    text: str
    place: str = ""
    stack: str = ""

    @property
    def rank(self) -> int:
        """How grave it is, 0 for errors."""
        return 0 if self.type == "pageerror" else LEVELS.get(self.type, LEVELS["info"])


class Exchange:
    """A request with what became of it."""

    def __init__(self, number: int, request: Request) -> None:
        self.number = number
        self.request = request
        self.response: Response | None = None
        self.error = ""
        """The network error of one that failed."""
        self.ended = False

    @property
    def has_failed(self) -> bool:
        """Whether it got no response, or one with a status of 400 or more."""
        return bool(self.error) or (self.response is not None and self.response.status >= 400)

    @property
    def outcome(self) -> str:
        """Its status or its error; `pending` while there is neither."""
        if self.error:
            return self.error
        return "pending" if self.response is None else str(self.response.status)


class PageRecord:
    """Keeps what one page logs and requests from now on."""

    def __init__(self, page: Page) -> None:
        state = page_state(page)
        self.messages: deque[Message] = deque(maxlen=KEPT_MESSAGES)
        self.exchanges: deque[Exchange] = deque(maxlen=KEPT_REQUESTS)
        self._open: dict[int, Exchange] = {}
        """Exchanges by the identity of their requests: redirects share one id."""
        self._message_numbers = itertools.count(1)
        self._request_numbers = itertools.count(1)
        listeners: dict[TabEventName, Callable[..., None]] = {
            "console": self._console,
            "pageerror": self._error,
            "request": self._request,
            "response": self._response,
            "requestfinished": self._finished,
            "requestfailed": self._failed,
        }
        for name, listener in listeners.items():
            state.listen(name, listener)
        state.show_console_objects()

    def exchange(self, number: int) -> Exchange | None:
        """Return the exchange of a number, or None if there is none or it is not kept any more."""
        return next((each for each in self.exchanges if each.number == number), None)

    def newest_messages(self) -> Iterator[Message]:
        """Yield the messages, the newest first."""
        return reversed(self.messages)

    def newest_exchanges(self) -> Iterator[Exchange]:
        """Yield the exchanges, the newest first, without the icon that the browser asks every site for."""
        return (each for each in reversed(self.exchanges) if not asks_for_icon(each.request))

    def _console(self, message: ConsoleMessage) -> None:
        place = _place(message.location)
        if message.source == "network" and ICON in place:
            return  # about the icon that the browser asks every site for
        self.messages.append(
            Message(
                next(self._message_numbers),
                message.type,
                short(message.text, MESSAGE_CHARS),
                place,
            )
        )

    def _error(self, error: PageError) -> None:
        text, stack = short(error.message, MESSAGE_CHARS), short(error.stack, MESSAGE_CHARS)
        self.messages.append(Message(next(self._message_numbers), "pageerror", text, _place(error.location), stack))

    def _request(self, request: Request) -> None:
        if len(self.exchanges) == KEPT_REQUESTS:
            self._open.pop(id(self.exchanges[0].request), None)
        exchange = self._open[id(request)] = Exchange(next(self._request_numbers), request)
        self.exchanges.append(exchange)

    def _response(self, response: Response) -> None:
        exchange = self._open.get(id(response.request))
        if exchange is not None:
            exchange.response = response

    def _finished(self, request: Request) -> None:
        self._end(request)

    def _failed(self, failure: RequestFailure) -> None:
        self._end(failure.request, failure.error)

    def _end(self, request: Request, error: str = "") -> None:
        exchange = self._open.pop(id(request), None)
        if exchange is not None:
            exchange.ended, exchange.error = True, error


def _place(location: SourceLocation | None) -> str:
    return "" if location is None else f"{location.url}:{location.line}:{location.column}"
