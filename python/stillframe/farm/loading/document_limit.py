"""A limit for the HTML of a page, which takes some fifty times its size of memory (200 MB took 10 GB)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stillframe import Page
from stillframe.cdp_types import network
from stillframe.errors import NavigationFailed
from stillframe.extend import CDPSession, page_state
from stillframe.extend.network import lowered
from stillframe.farm.reasons import TOO_LARGE


@asynccontextmanager
async def limited_document(page: Page, url: str, limit: int | None) -> AsyncIterator[None]:
    """Cancel the body as soon as the page's document says or shows to have more than `limit` bytes; None for any size.

    Received bytes count as unpacked. The page is then still loading: close it. Raises NavigationFailed with the
    reason TOO_LARGE.
    """
    if limit is None:
        yield
        return
    state = page_state(page)
    exceeded = asyncio.timeout(None)  # noqa: TID251  a limit of bytes, not of time
    size = _DocumentSize(state.session, state.target_id, limit, exceeded)
    try:
        async with exceeded:
            size.start()
            yield
    except TimeoutError:
        if not exceeded.expired():
            raise
        raise NavigationFailed(
            f"{url} has more than {limit:,} bytes of HTML; raise max_document_bytes (--max-document-bytes, or Scrapy's "
            "DOWNLOAD_MAXSIZE) to load it",
            url=url,
            reason=TOO_LARGE,
            cause="too_large",
        ) from None
    finally:
        size.stop()


class _DocumentSize:
    """Counts the bytes of a frame's documents, and lets a timeout expire when one has more than its limit."""

    def __init__(self, session: CDPSession, frame_id: str, limit: int, exceeded: asyncio.Timeout) -> None:
        self._session = session
        self._frame_id = frame_id
        self._limit = limit
        self._exceeded = exceeded
        self._document = ""
        self._bytes = 0
        self._removers: list[Callable[[], None]] = []

    def start(self) -> None:
        on = self._session.on
        self._removers = [
            on(network.RequestWillBeSent, self._requested),
            on(network.ResponseReceived, self._responded),
            on(network.DataReceived, self._arrived),
        ]

    def stop(self) -> None:
        while self._removers:
            self._removers.pop()()

    def _requested(self, event: network.RequestWillBeSent) -> None:
        if event.request_id == event.loader_id and event.frame_id == self._frame_id:
            self._document, self._bytes = event.request_id, 0

    def _responded(self, event: network.ResponseReceived) -> None:
        if event.request_id == self._document:
            announced = lowered(event.response.headers).get("content-length", "")
            self._check(int(announced) if announced.isdecimal() else 0)

    def _arrived(self, event: network.DataReceived) -> None:
        if event.request_id == self._document:
            self._bytes += event.data_length
            self._check(self._bytes)

    def _check(self, size: int) -> None:
        if size > self._limit:
            self.stop()
            self._exceeded.reschedule(asyncio.get_running_loop().time())
