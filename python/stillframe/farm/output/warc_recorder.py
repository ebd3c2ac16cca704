"""Record what Chrome sends and receives while a page loads, as WARC records."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from stillframe import Page
from stillframe.cdp_types import network
from stillframe.extend import CDPSession, page_state, time_limit
from stillframe.extend.network import charset_of, encoded, lowered
from stillframe.farm.output.bodies import BODY_BYTES, Body
from stillframe.farm.output.warc_hops import RequestLog
from stillframe.farm.output.warc_records import Exchange, Headers, members
from stillframe.model.secret import REDACTED
from stillframe.security.redaction import Redaction, logger

# Leave the secrets of a context out of recorded exchanges: pure logic.

NOTE = "secrets of the context are replaced, so this is not what went over the wire"
ANY_BYTES = "latin-1"
"""Decodes whatever bytes there are, and encodes them again as they were."""


def without_secrets(exchange: Exchange, redaction: Redaction) -> Exchange:
    """Return an exchange with every secret replaced, in its URL, headers and bodies; a note says if there was one."""
    if not redaction.redactor:
        return exchange
    redacted = redaction.redact(exchange)
    found = replace(
        redacted,
        url=redacted.url.replace(REDACTED, quote(REDACTED)),
        post_data=_redacted(exchange.post_data, exchange.request_headers, redaction.redact),
        body=exchange.body and _redacted(exchange.body, exchange.response_headers, redaction.redact),
    )
    return exchange if found == exchange else replace(found, notes=found.notes | {"redacted": NOTE})


def _redacted(content: bytes, headers: Headers, redact: Callable[[str], str]) -> bytes:
    """Return a body without secrets, the same object if it has none."""
    for charset in _charsets(headers):
        try:
            text = content.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
        return content if (safe := redact(text)) == text else safe.encode(charset, "replace")
    return content


def _charsets(headers: Headers) -> Iterator[str]:
    """Yield in which ways the bytes may be read: as their header says, as most texts are, and as any bytes are."""
    for name, value in headers:
        if name.lower() == "content-type" and (charset := charset_of(value)):
            yield charset
    yield "utf-8"
    yield ANY_BYTES


_log = logger(__name__)

PAGE_BYTES = 64 * 1024 * 1024
"""The limit of all bodies of one page in memory; our choice."""
BODY_MS = 10_000.0
"""How long Chrome may take to hand over one body, in milliseconds: 16 MB take under a second."""
DRAIN_S = 1.0
"""How long to wait for events that are under way, in seconds; a page that is still answers in milliseconds."""
GRACE_S = 0.25
"""How long to wait for the ends of responses that have begun, in seconds: a page may be still before Chrome reports the
end of a body that no script reads (2 of 40 loads, measured)."""
REQUESTS = 10_000
"""How many requests are recorded; a page that requests in a loop must not fill memory."""


class WarcRecorder:
    """Records the documents and resources of a page from `start` to `finish`; also `async with`.

    Bodies are read the moment they are complete, so the page does not wait for anything. The archive contains cookies
    and everything else that went over the wire, but for the secrets of the context. `data:` and `blob:` URLs and
    WebSockets are left out.
    """

    def __init__(self, page: Page, *, body_bytes: int = BODY_BYTES, page_bytes: int = PAGE_BYTES) -> None:
        self._page = page
        self._state = page_state(page)
        self._body_bytes = body_bytes
        self._page_bytes = page_bytes
        self._logs: dict[str, RequestLog] = {}
        self._reading: set[asyncio.Future[Any]] = set()
        self._removers: list[Callable[[], None]] = []
        self._sessions: set[CDPSession] = set()
        self._memory = 0
        self._change = asyncio.Event()

    def start(self) -> None:
        """Record from now on; sends nothing."""
        _feed_of(self._page).add(self)
        for session in self._state.sessions():
            self.joined(session)

    def joined(self, session: CDPSession) -> None:
        """Record a session of the tab, too."""
        if session in self._sessions:
            return
        self._sessions.add(session)
        # One table instead of as many decorators: what each event of the Network domain does here.
        handlers: tuple[tuple[type[Any], Callable[[Any], object]], ...] = (
            (network.RequestWillBeSent, partial(self._request, session)),
            (network.RequestWillBeSentExtraInfo, lambda event: self._log(event.request_id).sent.append(event)),
            (network.ResponseReceived, self._response),
            (network.ResponseReceivedExtraInfo, lambda event: self._log(event.request_id).headers.append(event)),
            (network.RequestServedFromCache, self._cached),
            (network.DataReceived, self._data),
            (network.LoadingFinished, partial(self._finished, session)),
            (network.LoadingFailed, self._failed),
        )
        for event, handler in handlers:
            self._removers.append(session.on(event, handler))

    def keep(self, url: str, body: Body) -> None:
        """Record the body of the document of a URL, which was loaded once more."""
        for log in reversed(self._logs.values()):
            if log.hops and log.hops[-1].event.type == "Document" and log.hops[-1].event.request.url == url:
                log.again = log.ended = True
                log.body, log.error, log.missing = body.content, "", ""
                log.truncated = "" if body.whole else "length"
                self._change.set()
                return

    async def finish(self, *, timeout_ms: float = BODY_MS) -> bytes:
        """Stop, wait up to `timeout_ms` for bodies that are on their way, and return gzip members for a WARC file.

        What is missing is recorded as missing; raises nothing for a page that is gone.
        """
        try:
            async with time_limit(timeout_ms / 1000):
                await self._arrived()
        except TimeoutError:
            _log.info("some bodies of %s did not arrive within %g ms", self._page.url, timeout_ms)
        finally:
            self.stop()
        page_url = self._state.redact(self._page.url)
        return await asyncio.to_thread(members, self._shown(), page_url=page_url)

    def stop(self) -> None:
        """Record nothing more; may be called twice."""
        _feed_of(self._page).discard(self)
        while self._removers:
            self._removers.pop()()
        self._sessions.clear()

    def exchanges(self) -> list[Exchange]:
        """Return what was recorded so far, in the order of the requests, without the secrets of the context."""
        return list(self._shown())

    def _shown(self) -> Iterator[Exchange]:
        redaction = self._state.redaction
        for log in self._logs.values():
            yield from (without_secrets(exchange, redaction) for exchange in log.exchanges())

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    # -- events ----------------------------------------------------------------------------------

    def _log(self, request_id: str) -> RequestLog:
        log = self._logs.get(request_id)
        if log is None:
            log = RequestLog()
            if len(self._logs) < REQUESTS:
                self._logs[request_id] = log
        return log

    def _request(self, session: CDPSession, event: network.RequestWillBeSent) -> None:
        log = self._log(event.request_id)
        log.request(event)
        if event.request.has_post_data and event.request.post_data is None:
            reply = session.post(network.GetRequestPostData(request_id=event.request_id), timeout=BODY_MS / 1000)
            self._await(reply, partial(_keep_post_data, log))

    def _response(self, event: network.ResponseReceived) -> None:
        log = self._log(event.request_id)
        log.respond(event.response, bool(event.has_extra_info))
        log.from_cache |= bool(event.response.from_disk_cache or event.response.from_prefetch_cache)

    def _cached(self, event: network.RequestServedFromCache) -> None:
        self._log(event.request_id).from_cache = True

    def _data(self, event: network.DataReceived) -> None:
        self._log(event.request_id).received += event.data_length

    def _failed(self, event: network.LoadingFailed) -> None:
        log = self._log(event.request_id)
        log.ended, log.error = True, event.error_text
        self._change.set()

    def _finished(self, session: CDPSession, event: network.LoadingFinished) -> None:
        log = self._logs.get(event.request_id)
        if log is None or log.ended or not log.hops:
            return
        log.ended = True
        self._change.set()
        if log.received > self._body_bytes or self._memory + log.received > self._page_bytes:
            log.truncated, log.missing = "length", f"{log.received} bytes are more than the limit"
            return
        self._memory += log.received
        reply = session.post(network.GetResponseBody(request_id=event.request_id), timeout=BODY_MS / 1000)
        self._await(reply, partial(self._keep_body, log))

    # -- bodies ----------------------------------------------------------------------------------

    def _await(self, reply: asyncio.Future[Any], keep: Callable[[asyncio.Future[Any]], None]) -> None:
        self._reading.add(reply)
        reply.add_done_callback(self._reading.discard)
        reply.add_done_callback(keep)

    def _keep_body(self, log: RequestLog, reply: asyncio.Future[network.GetResponseBodyResult]) -> None:
        if log.again:
            return  # what Chrome has is the document of its viewer
        if reply.cancelled() or (error := reply.exception()) is not None:
            reason = "cancelled" if reply.cancelled() else str(error)
            log.truncated, log.missing = "unspecified", f"Chrome no longer has the body: {reason}"
            return
        log.body = _bytes_of(reply.result(), log)
        # A body from the cache comes without an event for its data.
        self._memory += max(0, len(log.body) - log.received)
        if len(log.body) > self._body_bytes:
            log.truncated, log.missing = "length", f"{len(log.body)} bytes are more than the limit"
            log.body = log.body[: self._body_bytes]

    async def _arrived(self) -> None:
        # Extra information may come after the end of a request: one round trip brings what is under way. A busy worker
        # would not answer, and its requests have come by then.
        frames = [session for session in self._sessions if session.target_type in ("page", "iframe")]
        await asyncio.gather(*(each.drain_events(timeout=DRAIN_S) for each in frames), return_exceptions=True)
        with suppress(TimeoutError):
            async with time_limit(GRACE_S):
                while self._incomplete():
                    self._change.clear()
                    await self._change.wait()
        while self._reading:
            await asyncio.wait(set(self._reading))

    def _incomplete(self) -> bool:
        """Whether a response has begun and not ended; streams of events never end."""
        last = [log.hops[-1] for log in self._logs.values() if log.hops and not log.ended]
        return any(hop.response is not None and hop.event.type != "EventSource" for hop in last)


def _keep_post_data(log: RequestLog, reply: asyncio.Future[network.GetRequestPostDataResult]) -> None:
    if not reply.cancelled() and reply.exception() is None:
        result = reply.result()
        raw = result.post_data
        log.post_data = base64.b64decode(raw) if result.base64_encoded else raw.encode("utf-8", "replace")


def _bytes_of(result: network.GetResponseBodyResult, log: RequestLog) -> bytes:
    """Return the bytes of a body; the log says how they differ from those that came."""
    body = base64.b64decode(result.body) if result.base64_encoded else _encoded(result.body, log)
    if log.received and not body:
        # Chrome throws the bytes of a picture away that it cannot decode, and then hands over an empty body.
        log.truncated, log.missing = "unspecified", f"Chrome no longer has the {log.received} bytes of the body"
    elif log.received and len(body) != log.received:
        log.missing = f"{log.received} bytes were received, of which Chrome handed over {len(body)} after decoding"
    return body


def _encoded(text: str, log: RequestLog) -> bytes:
    """Return a text that Chrome has decoded, encoded as it was."""
    response = log.hops[-1].response
    content_type = "" if response is None else lowered(response.headers).get("content-type", response.mime_type)
    return encoded(text, content_type, log.received or None)


# -- sessions that join later --------------------------------------------------------------------

# A page keeps its session listeners for life and may be recorded many times, so it gets one for all recorders.
_feeds: WeakKeyDictionary[Page, set[WarcRecorder]] = WeakKeyDictionary()


def _feed_of(page: Page) -> set[WarcRecorder]:
    feed = _feeds.get(page)
    if feed is None:
        feed = _feeds[page] = set()
        page_state(page).on_session(partial(_join_all, feed))
    return feed


def _join_all(feed: set[WarcRecorder], session: CDPSession) -> None:
    for recorder in list(feed):
        recorder.joined(session)
