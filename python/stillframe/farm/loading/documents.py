"""What the navigation of a page brought: the documents of its main frame, their statuses, and if they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from stillframe import Page
from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.extend import page_state
from stillframe.farm.errors import DocumentReplaced, DocumentTruncated

WHOLE = frozenset({"net::ERR_ABORTED", "net::ERR_HTTP_RESPONSE_CODE_FAILURE"})
"""What Chrome says of a body that the page itself stopped, by `window.stop()` or by going elsewhere, and of an error
without a body, for which it shows a page of its own."""

MOST_HOPS = 100
"""Requests that are remembered; Chrome follows 20 redirects, and a script may go on for ever."""


class Documents:
    """The documents of a frame since it began to listen; pass events to `hear` in their order."""

    def __init__(self, frame_id: str) -> None:
        self._frame_id = frame_id
        self._urls: dict[str, str] = {}
        """The URL that was asked for first, by loader id."""
        self._requested: list[tuple[str, str]] = []
        """Each request for a document, redirects included: its loader id and URL."""
        self._statuses: dict[str, int] = {}
        self._broken: dict[str, str] = {}
        self._last = ""
        self._shown: list[str] = []
        """The loader ids of the documents that were shown."""
        self._strays: set[str] = set()
        """The loader ids of what the page before has asked for while the document that replaces it was on its way."""

    @property
    def status(self) -> int | None:
        """The status of the last response of a document, whether Chrome shows one or not."""
        return self._statuses.get(self._last)

    @property
    def hops(self) -> tuple[str, ...]:
        """The URLs of all documents that were asked for, redirects and those that scripts have led to included."""
        return tuple(dict.fromkeys(url for loader, url in self._requested if loader not in self._strays))

    @property
    def is_shown(self) -> bool:
        """Whether the frame shows what was asked for last."""
        return bool(self._requested) and self._requested[-1][0] in self._shown

    def check(self, url: str) -> None:
        """Raise DocumentReplaced and DocumentTruncated for what the frame shows after a navigation to a URL."""
        stray = next((loader for loader in self._shown if loader in self._strays), None)
        if stray is not None:
            shown = self._urls[stray]
            raise DocumentReplaced(
                f"{url} did not stay: the page that it replaced has navigated to {shown} meanwhile",
                url=url,
                shown=shown,
            )
        reason = self._broken.get(self._shown[-1]) if self._shown else None
        if reason is not None:
            raise DocumentTruncated(f"{url} did not come whole: {reason}", url=url, reason=reason)

    def hear(self, event: Any) -> None:
        """Record an event."""
        self.note(type(event), event)

    def note(self, kind: type[Any], event: Any) -> None:
        """Record an event of a type."""
        if kind is network.RequestWillBeSent:
            if event.request_id == event.loader_id and event.frame_id == self._frame_id:
                self._urls.setdefault(event.loader_id, event.request.url)
                if len(self._requested) < MOST_HOPS:
                    self._requested.append((event.loader_id, event.request.url))
        elif kind is network.ResponseReceived:
            if event.request_id in self._urls:
                self._statuses[event.request_id], self._last = event.response.status, event.request_id
        elif kind is network.LoadingFailed:
            # A failure without a response is that of the navigation, which raises it.
            if event.request_id in self._statuses and event.error_text not in WHOLE:
                self._broken[event.request_id] = event.error_text
        elif event.frame.id == self._frame_id:
            self._commit(event.frame.loader_id)

    def _commit(self, loader: str) -> None:
        """Note that a document is shown. What was asked for since its own request is not of it, but of the one before.

        Chrome may show that next, although the frame has left the page that asked for it.
        """
        asked = list(self._urls)
        if loader in self._urls:
            self._strays.update(asked[asked.index(loader) + 1 :])
        self._shown.append(loader)


EVENTS: tuple[Any, ...] = (
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.LoadingFailed,
    cdp_page.FrameNavigated,
)


@contextmanager
def documents_of(page: Page) -> Iterator[Documents]:
    """Listen to the documents of a page's main frame inside the block."""
    state = page_state(page)
    documents = Documents(state.target_id)
    with ExitStack() as stack:
        for event in EVENTS:
            stack.callback(state.session.on(event, documents.hear))
        yield documents
