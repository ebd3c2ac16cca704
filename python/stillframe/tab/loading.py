"""What one navigation of a page has come to: the events of the page in, its state out.

A navigation is a chain. The document that was asked for may lead elsewhere by script while it loads (`location.href=`,
a form that is submitted, `<meta http-equiv=refresh>`), and so may the next one. Such a document often fires neither
DOMContentLoaded nor `load` (Chrome stops its parser), so the chain ends where nothing more is under way: the last
document has reached what is waited for, or the browser has stopped loading it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page

SAME_DOCUMENT = frozenset({"sameDocument", "historySameDocument"})
"""Kinds of navigation that keep the document."""

NEW_TAB = frozenset({"newTab", "newWindow"})
"""Dispositions of a navigation that opens a tab: what a Ctrl-, Shift- or middle click on a link asks for."""

WaitUntil = Literal["commit", "domcontentloaded", "load"]

LIFECYCLE_NAMES: dict[str, str] = {"domcontentloaded": "DOMContentLoaded", "load": "load"}

WITH_STATUS = ("http:", "https:")
"""Of the URLs with a response, those whose status a server gave: Chrome makes one up for `data:` and `blob:`."""

MOST_DOCUMENTS = 20
"""How many documents may lead on by script before it counts as endless: what Fetch allows HTTP redirects."""

ABORTED = "net::ERR_ABORTED"
NO_PAGE = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
"""A failed status without a body, for which Chrome shows a page of its own. Any status is an answer."""


class Document:
    """A document that the main frame shows since the navigation began."""

    def __init__(self, loader: str, url: str, *, failed: bool, bodiless: bool, restored: bool) -> None:
        self.loader = loader
        self.url = url
        self.failed = failed
        """Whether it is the page that Chrome shows for what it could not load."""
        self.bodiless = bodiless
        """Whether it is the page that Chrome shows for an answer with nothing but a failed status."""
        self.restored = restored
        """Whether it came out of the back/forward cache, with its load behind it."""
        self.reached: set[str] = set()


class Departure:
    """A navigation that has begun and not come to a document."""

    def __init__(self, loader: str, url: str) -> None:
        self.loader = loader
        self.url = url
        self.in_flight = False


class Loading:
    """Follows the main frame of a page from document to document; `hear` takes the events, in their order."""

    def __init__(self, frame_id: str) -> None:
        self.documents: list[Document] = []
        self.leaving: Departure | None = None
        self.requested: str | None = None
        """The URL that the page asked to go to, until the browser has begun or refused."""
        self.within: str | None = None
        """The URL of the last navigation within a document."""
        self.stopped = False
        """Whether the browser stopped loading after the last of all that."""
        self.reasons: dict[str, str] = {}
        """Net errors by loader."""
        self.statuses: dict[str, int] = {}
        """HTTP statuses by loader."""
        self.redirected: dict[str, str] = {}
        """The last URL of HTTP redirects, by loader."""
        self.last_loader = ""
        self._frame_id = frame_id
        self._root: str | None = None

    # -- what it has come to ---------------------------------------------------------------------

    def follow(self, loader: str | None) -> None:
        """Count from the document of this loader on; without it, from the first that comes."""
        self._root = loader

    @property
    def document(self) -> Document | None:
        """The document it has come to so far."""
        chain = self._chain()
        return chain[-1] if chain else None

    @property
    def last_url(self) -> str | None:
        """Where it goes, or has come to."""
        if self.leaving is not None:
            return self.leaving.url
        return self.requested or (self.document.url if self.document else None)

    @property
    def endless(self) -> bool:
        """Whether one document after the other leads on."""
        return self.hops >= MOST_DOCUMENTS

    @property
    def hops(self) -> int:
        """How many documents have given way to the next one."""
        return len(self._chain()) - 1

    @property
    def given_up(self) -> bool:
        """Whether it has ended without any document: an answer without one (204), a download, an abort."""
        return self.document is None and self.leaving is None and bool(self.reasons)

    @property
    def leads_on(self) -> bool:
        """Whether the document it has come to gives way to another one."""
        return self.leaving is not None or self.requested is not None

    def arrived(self, until: WaitUntil) -> bool:
        """Whether the events show that the document has reached the awaited point."""
        document = self.document
        if document is None:
            return False
        if until == "commit" or document.failed:
            return True
        if self.leads_on:
            return False
        return document.restored or self.stopped or LIFECYCLE_NAMES[until] in document.reached

    def _chain(self) -> list[Document]:
        for index, document in enumerate(self.documents):
            if self._root in (None, document.loader):
                return self.documents[index:]
        return []

    # -- what happens ----------------------------------------------------------------------------

    def hear(self, event: Any) -> bool:
        """Take in an event; tell whether it says anything about the navigation."""
        return _HEARD[type(event)](self, event)

    def _asked(self, event: cdp_page.FrameRequestedNavigation) -> bool:
        here = event.frame_id == self._frame_id and event.disposition == "currentTab"
        if here and not event.url.startswith("javascript:"):
            self.requested = event.url
        return here

    def _started(self, event: cdp_page.FrameStartedNavigating) -> bool:
        if event.frame_id != self._frame_id or event.navigation_type in SAME_DOCUMENT:
            return False
        self.leaving, self.requested, self.stopped = Departure(event.loader_id, event.url), None, False
        self.last_loader = event.loader_id
        return True

    def _committed(self, event: cdp_page.FrameNavigated) -> bool:
        frame = event.frame
        if frame.id != self._frame_id:
            return False
        if self.leaving is not None and self.leaving.loader == frame.loader_id:
            self.leaving = None
        url = frame.unreachable_url or frame.url + (frame.url_fragment or "")
        bodiless = self.reasons.get(frame.loader_id) == NO_PAGE
        failed = bool(frame.unreachable_url) and not bodiless
        restored = event.type == "BackForwardCacheRestore"
        self.documents.append(Document(frame.loader_id, url, failed=failed, bodiless=bodiless, restored=restored))
        self.requested, self.stopped = None, False
        return True

    def _moved_within(self, event: cdp_page.NavigatedWithinDocument) -> bool:
        if event.frame_id != self._frame_id:
            return False
        self.requested, self.within = None, event.url
        return True

    def _lived(self, event: cdp_page.LifecycleEvent) -> bool:
        document = self.documents[-1] if self.documents else None
        if document is None or event.loader_id != document.loader or event.frame_id != self._frame_id:
            return False
        document.reached.add(event.name)
        return event.name in LIFECYCLE_NAMES.values()

    def _stopped(self, event: cdp_page.FrameStoppedLoading) -> bool:
        if event.frame_id != self._frame_id:
            return False
        if self.leaving is not None and not self.leaving.in_flight:
            # One without a request, to about:blank say: nothing else tells that it was given up.
            self.leaving = None
        self.stopped = self.leaving is None
        return True

    def _sent(self, event: network.RequestWillBeSent) -> bool:
        if self.leaving is not None and event.request_id == self.leaving.loader:
            self.leaving.in_flight = True
            if event.redirect_response is not None:
                self.leaving.url = self.redirected[event.request_id] = event.request.url
        return False

    def _answered(self, event: network.ResponseReceived) -> bool:
        own = event.request_id == event.loader_id and event.frame_id == self._frame_id
        if own and event.response.url.startswith(WITH_STATUS):
            self.statuses[event.loader_id] = event.response.status
        return False

    def _failed(self, event: network.LoadingFailed) -> bool:
        leaving = self.leaving
        if leaving is None or event.request_id != leaving.loader:
            return False
        self.reasons[leaving.loader] = event.error_text
        if event.error_text == ABORTED:
            self.leaving = None  # for all others Chrome shows a page of its own
        return True


_HEARD: dict[type[Any], Callable[[Loading, Any], bool]] = {
    cdp_page.FrameRequestedNavigation: Loading._asked,
    cdp_page.FrameStartedNavigating: Loading._started,
    cdp_page.FrameNavigated: Loading._committed,
    cdp_page.NavigatedWithinDocument: Loading._moved_within,
    cdp_page.LifecycleEvent: Loading._lived,
    cdp_page.FrameStoppedLoading: Loading._stopped,
    network.RequestWillBeSent: Loading._sent,
    network.ResponseReceived: Loading._answered,
    network.LoadingFailed: Loading._failed,
}

EVENTS = tuple(_HEARD)
"""What `Loading.hear` takes."""
