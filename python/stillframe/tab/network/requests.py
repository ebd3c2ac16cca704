"""A request that a page sent, with what is known about it later: its response, its sizes, its times."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandTimeout, InputError
from stillframe.model import events
from stillframe.tab.deadline import Deadline

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.cdp_types import network

T = TypeVar("T")

RESPONSE_MS = 30_000.0
"""Default limit in milliseconds for a response, and for the end of a request."""

UNKNOWN = -1.0
"""A time that does not apply, as in Playwright: there was no new connection, or no server at all."""

FORM = "application/x-www-form-urlencoded"

TIMES = {
    "domainLookupStart": "dns_start",
    "domainLookupEnd": "dns_end",
    "connectStart": "connect_start",
    "secureConnectionStart": "ssl_start",
    "connectEnd": "connect_end",
    "requestStart": "send_start",
    "responseStart": "receive_headers_end",
}
"""The keys of `Request.timing` and their fields in CDP."""


class Progress:
    """How far one request has come; a redirect is a request of its own."""

    def __init__(self, session: CDPSession, event: network.RequestWillBeSent) -> None:
        loop = asyncio.get_running_loop()
        self.session = session
        self.event = event
        self.wire: network.RequestWillBeSentExtraInfo | None = None
        """The request as the network service sent it."""
        self.received: network.ResponseReceivedExtraInfo | None = None
        """The response as the network service received it."""
        self.raw: network.Response | None = None
        """The response as the renderer got it."""
        self.body: bytes | None = None
        """What it posted."""
        self.before: Request | None = None
        self.after: Request | None = None
        self.ended_at: float | None = None
        """When it ended, in seconds of the browser's clock."""
        self.length = 0.0
        """How many bytes of the response came over the wire, headers included."""
        self.error: str | None = None
        self.sent: asyncio.Future[None] = loop.create_future()
        """Done once the headers on the wire are known, or cannot be."""
        self.answered: asyncio.Future[Any] = loop.create_future()
        """The Response, or None for a request without one."""
        self.ended: asyncio.Future[None] = loop.create_future()

    def note_sent(self) -> None:
        """Note that all is known about the request itself."""
        _resolve(self.sent, None)

    def note_answer(self, response: Any) -> None:
        """Note the response, or that there is none."""
        self.note_sent()
        _resolve(self.answered, response)

    def note_end(self, at: float | None, length: float, error: str | None = None) -> None:
        """Note that nothing more comes."""
        self.ended_at, self.length, self.error = at, length, error
        _resolve(self.ended, None)

    async def until(self, future: asyncio.Future[T], deadline: Deadline, what: str) -> T:
        """Wait for one of the futures; raises CommandTimeout, and SessionLost if the page closes before."""
        gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        remove = self.session.on_closed(lambda _: _resolve(gone, None))
        try:
            async with time_limit(deadline.left_s):
                awaited: set[asyncio.Future[Any]] = {future, gone}
                await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            timeout_ms = deadline.timeout * 1000
            raise CommandTimeout(
                f"{what} did not come within {timeout_ms:g} ms", timeout_ms=timeout_ms, method=""
            ) from None
        finally:
            remove()
        if not future.done() and self.session.error is not None:
            raise self.session.error
        return future.result()


def _resolve(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


class Request(events.Request, frozen=True, kw_only=True, dict=True):
    """A request that a page sent; it is known before its response, and `response()` waits for that.

    Its progress is known if events reported it. For the request of a Route, and for what `page.requests()` lists from
    before, the members about progress raise InputError.
    """

    @property
    def page(self) -> Any:
        """The page that sent it."""
        return self.__dict__.get("page")

    @property
    def frame(self) -> Any:
        """The Frame that sent it, or for which the document is; raises InputError for a request of a worker."""
        make = self.__dict__.get("frame_of")
        if make is None or not self.frame_id:
            raise InputError(f"the request {self.url} belongs to no frame: a worker has sent it")
        return make(self.frame_id)

    @property
    def redirected_from(self) -> Request | None:
        """The request that was redirected here; None if there is none."""
        progress = self._known()
        return None if progress is None else progress.before

    @property
    def redirected_to(self) -> Request | None:
        """The request that a redirect of the server led to; None if there is none so far."""
        progress = self._known()
        return None if progress is None else progress.after

    @property
    def failure(self) -> str | None:
        """The network error, such as `net::ERR_ABORTED`; None for a request that has not failed so far."""
        progress = self._known()
        return None if progress is None else progress.error

    @property
    def post_data_buffer(self) -> bytes | None:
        """The bytes of its body, without the content of files on disk; they are not redacted. None if there is none."""
        progress = self._known()
        if progress is not None and progress.body is not None:
            return progress.body
        return None if self.post_data is None else self.post_data.encode()

    @property
    def post_data_json(self) -> Any:
        """The body as JSON, or the fields of a form as a dict; None without one. Raises ValueError if it is neither."""
        if self.post_data is None:
            return None
        if self.headers.get("content-type", "").startswith(FORM):
            return dict(parse_qsl(self.post_data, keep_blank_values=True))
        return json.loads(self.post_data)

    @property
    def timing(self) -> dict[str, float]:
        """When what happened, with Playwright's keys: `startTime` in milliseconds since 1970, all others after that.

        The others are domainLookupStart, domainLookupEnd, connectStart, secureConnectionStart, connectEnd,
        requestStart, responseStart and responseEnd; -1 is a time that does not apply, or that is not known yet.
        """
        progress = self._known()
        raw = None if progress is None else progress.raw
        timing = None if raw is None else raw.timing
        if progress is None or timing is None:
            return dict.fromkeys(("startTime", *TIMES, "responseEnd"), UNKNOWN)
        event = progress.event
        start = (timing.request_time - event.timestamp + event.wall_time) * 1000
        ended = UNKNOWN if progress.ended_at is None else (progress.ended_at - timing.request_time) * 1000
        times = {name: float(getattr(timing, field)) for name, field in TIMES.items()}
        return {"startTime": start, **times, "responseEnd": ended}

    async def all_headers(self, *, timeout_ms: float | None = RESPONSE_MS) -> dict[str, str]:
        """Wait until the headers on the wire are known, cookies included, and return them by names in lower case."""
        await self._sent(timeout_ms)
        return dict(self.headers)

    async def headers_array(self, *, timeout_ms: float | None = RESPONSE_MS) -> list[dict[str, str]]:
        """Return the headers on the wire, each as `{"name", "value"}`, with their names as they were sent."""
        await self._sent(timeout_ms)
        progress = self._known()
        wire = None if progress is None else progress.wire
        if wire is None:
            return [{"name": name, "value": value} for name, value in self.headers.items()]
        return [
            {"name": name, "value": self.headers.get(name.lower(), "")}
            for name in wire.headers
            if not name.startswith(":")
        ]

    async def header_value(self, name: str, *, timeout_ms: float | None = RESPONSE_MS) -> str | None:
        """Return the value of a header on the wire, in whatever case its name is; None if there is none.

        Args:
            name: The name of the header.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.
        """
        return (await self.all_headers(timeout_ms=timeout_ms)).get(name.lower())

    async def response(self, *, timeout_ms: float | None = RESPONSE_MS) -> Any:
        """Wait for its Response and return it; None for a request that fails without one.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
            SessionLost: The page closes meanwhile.
            InputError: No event has told of the request, as the class says.
        """
        progress = self._progress()
        return await progress.until(progress.answered, Deadline.of_ms(timeout_ms), f"the response to {self.url}")

    async def sizes(self, *, timeout_ms: float | None = RESPONSE_MS) -> dict[str, int]:
        """Wait for the end of the request, and return how many bytes went over the wire.

        The keys are requestBodySize, requestHeadersSize, responseBodySize and responseHeadersSize. Raises as `response`
        does.
        """
        progress = self._progress()
        await progress.until(progress.ended, Deadline.of_ms(timeout_ms), f"the end of {self.url}")
        head = _head_size(progress)
        return {
            "requestBodySize": len(self.post_data_buffer or b""),
            "requestHeadersSize": _sent_size(progress),
            "responseBodySize": max(0, int(progress.length) - head),
            "responseHeadersSize": head,
        }

    async def _sent(self, timeout_ms: float | None) -> None:
        progress = self._known()
        if progress is not None:
            await progress.until(progress.sent, Deadline.of_ms(timeout_ms), f"what was sent to {self.url}")

    def _known(self) -> Progress | None:
        return self.__dict__.get("progress")

    def _progress(self) -> Progress:
        progress = self._known()
        if progress is None:
            raise InputError(
                f"only what was sent is known of the request {self.url}: use page.expect_response, or the events "
                "request and response, which report requests from their beginning"
            )
        return progress


def _head_size(progress: Progress) -> int:
    """Return how many bytes the status line and the headers of a response had."""
    received = progress.received
    if received is not None and received.headers_text:
        return len(received.headers_text)
    if progress.raw is None:
        return 0
    headers = progress.raw.headers if received is None else received.headers
    first = f"HTTP/1.1 {progress.raw.status} {progress.raw.status_text}"
    return _lines_size([first, *_lines(headers)])


def _sent_size(progress: Progress) -> int:
    """Return how many bytes the request line and the headers of a request had, or would have in HTTP/1.1."""
    request = progress.event.request
    headers = request.headers if progress.wire is None else progress.wire.headers
    parts = urlsplit(request.url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = {name: value for name, value in headers.items() if not name.startswith(":")}
    return _lines_size([f"{request.method} {path} HTTP/1.1", *_lines(kept)])


def _lines(headers: Mapping[str, Any]) -> Iterator[str]:
    for name, values in headers.items():
        for value in str(values).split("\n"):
            yield f"{name}: {value}"


def _lines_size(lines: list[str]) -> int:
    return sum(len(line.encode()) + 2 for line in lines) + 2
