"""Follow one navigation of a page: CDP events in, its state out.

A navigation is a chain. The requested document may lead elsewhere by script while it loads (`location.href=`, a form
submission, `<meta http-equiv=refresh>`), and so may the next one. Such a document often fires neither DOMContentLoaded
nor `load` (Chrome stops its parser), so the chain ends when nothing more is under way: the last document has reached
the awaited point, or the browser has stopped loading it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.tab.network.exchanges import received_headers

# Advice for people on Chrome's net errors, by error name.

CERTIFICATE = "net::ERR_CERT_"
CERTIFICATE_ADVICE = "the certificate is not trusted: make this machine trust its issuer, or use http"

_ASKS = "the server asks for a client certificate: give one that it accepts as the option client_certificates"
_HUNG_UP = "the server closed the connection without a response: check the protocol and the server's log"
_NO_PROXY = "the proxy refuses this connection: check the option proxy and the policy"

CUT_OFF = frozenset({
    "net::ERR_CONNECTION_CLOSED", "net::ERR_CONNECTION_RESET", "net::ERR_EMPTY_RESPONSE",
    "net::ERR_HTTP2_PING_FAILED", "net::ERR_HTTP2_PROTOCOL_ERROR", "net::ERR_SOCKET_NOT_CONNECTED",
    "net::ERR_TUNNEL_CONNECTION_FAILED",
})  # fmt: skip
"""What Chrome says of a connection that a proxy has ended; for an origin with a client certificate we know why."""

ADVICE: dict[str, str] = {
    "net::ERR_ADDRESS_UNREACHABLE": "the address is unreachable: check the address and the network",
    "net::ERR_BAD_SSL_CLIENT_AUTH_CERT": _ASKS,
    "net::ERR_BLOCKED_BY_CLIENT": "an option of the context blocks this URL",
    "net::ERR_CONNECTION_CLOSED": _HUNG_UP,
    "net::ERR_CONNECTION_REFUSED": "nothing listens there: check the port and that the server runs",
    "net::ERR_CONNECTION_RESET": _HUNG_UP,
    "net::ERR_CONNECTION_TIMED_OUT": "the server did not accept the connection: check the address and the firewall",
    "net::ERR_EMPTY_RESPONSE": _HUNG_UP,
    "net::ERR_INTERNET_DISCONNECTED": "the context is offline: call set_offline(False)",
    "net::ERR_INVALID_HTTP_RESPONSE": "the server does not speak HTTP: check the scheme and the port",
    "net::ERR_NAME_NOT_RESOLVED": "no such host: check the spelling of its name",
    "net::ERR_PROXY_CONNECTION_FAILED": _NO_PROXY,
    "net::ERR_SOCKET_NOT_CONNECTED": _HUNG_UP,
    "net::ERR_SSL_CLIENT_AUTH_CERT_NEEDED": _ASKS,
    "net::ERR_SSL_PROTOCOL_ERROR": "the server does not speak TLS: check the scheme and the port",
    "net::ERR_TOO_MANY_REDIRECTS": "the redirects never end: a missing cookie is a frequent cause",
    "net::ERR_TUNNEL_CONNECTION_FAILED": _NO_PROXY,
    "net::ERR_UNSAFE_PORT": "Chrome blocks this port because another protocol uses it: use another port",
}


def cause_of(reason: str) -> Literal["net", "tls"]:
    """Return what kind of net error it is; Chrome's names of those that concern certificates and TLS begin alike."""
    return "tls" if reason.startswith((CERTIFICATE, "net::ERR_SSL_")) else "net"


def advice(reason: str) -> str:
    """Return the advice for a net error after a colon, or "" if there is none."""
    text = CERTIFICATE_ADVICE if reason.startswith(CERTIFICATE) else ADVICE.get(reason)
    return f": {text}" if text else ""


SAME_DOCUMENT = frozenset({"sameDocument", "historySameDocument"})
"""Navigation types that keep the document."""

NEW_TAB = frozenset({"newTab", "newWindow"})
"""Dispositions of a navigation that opens a tab, such as a Ctrl-, Shift- or middle click on a link."""

CURRENT_TAB = frozenset({"currentTab", None})
"""Dispositions of a navigation that replaces the document; before Chrome 84 it has none."""

WaitUntil = Literal["commit", "domcontentloaded", "load"]
WAIT_UNTIL: tuple[str, ...] = ("commit", "domcontentloaded", "load")

LIFECYCLE_NAMES: dict[str, str] = {"domcontentloaded": "DOMContentLoaded", "load": "load"}

WITH_STATUS = ("http:", "https:")
"""Schemes whose status comes from a server: Chrome makes one up for `data:` and `blob:`."""

MAX_DOCUMENTS = 20
"""How many documents may lead on by script before the chain counts as endless: Fetch's limit for HTTP redirects."""

ABORTED = "net::ERR_ABORTED"
NO_PAGE = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
"""A failed status without a body, for which Chrome shows a page of its own. Every status counts as a response."""


class Document:
    """A document that the main frame has shown since the navigation began."""

    def __init__(self, loader: str, url: str, *, failed: bool, bodiless: bool, restored: bool) -> None:
        self.loader = loader
        self.url = url
        self.failed = failed
        """Whether it is Chrome's error page for a failed load."""
        self.bodiless = bodiless
        """Whether it is Chrome's page for a response with a failed status and no body."""
        self.restored = restored
        """Whether it came from the back/forward cache, already loaded."""
        self.reached: set[str] = set()


class Departure:
    """A navigation that has started and not committed a document."""

    def __init__(self, loader: str, url: str) -> None:
        self.loader = loader
        self.url = url
        self.in_flight = False
        """Whether Chrome has taken it on."""
        self.is_sent = False
        """Whether its request has a connection to the server, and went over it."""


class Loading:
    """Follows the main frame of a page from document to document; pass events to `hear` in their order.

    Before Chrome 134, a navigation is not `announced` by an event of its own: it starts with its first request.
    """

    def __init__(self, frame_id: str, *, announced: bool = True) -> None:
        self.documents: list[Document] = []
        self.leaving: Departure | None = None
        self.requested: str | None = None
        """The URL that the page requested to go to, until the browser has started or refused it."""
        self.within: str | None = None
        """The URL of the last same-document navigation."""
        self.stopped = False
        """Whether the browser has stopped loading since the last of these events."""
        self.reasons: dict[str, str] = {}
        """Net errors by loader id."""
        self.statuses: dict[str, int] = {}
        """HTTP statuses by loader id."""
        self.response: network.ResponseReceived | None = None
        """The last response of a document."""
        self.on_wire: network.ResponseReceivedExtraInfo | None = None
        """What went over the wire for the last response of a document, or a redirect to it."""
        self.redirected: dict[str, str] = {}
        """The last URL of HTTP redirects, by loader id."""
        self.last_loader = ""
        self._frame_id = frame_id
        self._announced = announced
        self._root: str | None = None

    # -- state -----------------------------------------------------------------------------------

    def follow(self, loader: str | None) -> None:
        """Start the chain at the document of this loader; with None, at the first new document."""
        self._root = loader

    @property
    def document(self) -> Document | None:
        """Return the last document of the chain so far."""
        chain = self._chain()
        return chain[-1] if chain else None

    @property
    def last_url(self) -> str | None:
        """Return the URL that the navigation goes to, or has reached."""
        if self.leaving is not None:
            return self.leaving.url
        return self.requested or (self.document.url if self.document else None)

    @property
    def endless(self) -> bool:
        """Return whether the documents keep leading on."""
        return self.hops >= MAX_DOCUMENTS

    @property
    def hops(self) -> int:
        """Return how many documents were replaced by the next one."""
        return len(self._chain()) - 1

    @property
    def given_up(self) -> bool:
        """Return whether it ended without any document: a response without one (204), a download, an abort."""
        return self.document is None and self.leaving is None and bool(self.reasons)

    @property
    def leads_on(self) -> bool:
        """Return whether the current document is being replaced by another one."""
        return self.leaving is not None or self.requested is not None

    @property
    def awaits_server(self) -> bool:
        """Return whether the browser has asked a server for the next document, and has no answer yet."""
        leaving = self.leaving
        return leaving is not None and leaving.in_flight and leaving.loader not in self.statuses

    @property
    def unsent(self) -> str | None:
        """Return the loader id of the navigation if its request still waits for a connection to the server."""
        leaving = self.leaving
        if leaving is None or not self.awaits_server or leaving.is_sent or not leaving.url.startswith(WITH_STATUS):
            return None
        return leaving.loader

    @property
    def begun(self) -> bool:
        """Return whether the document that is to be left has let the browser begin, or it has ended already."""
        in_flight = self.leaving is not None and self.leaving.in_flight
        return in_flight or bool(self.documents or self.within or self.reasons)

    @property
    def rests(self) -> bool:
        """Return whether nothing is under way: the last document, if there is a new one, has ended loading."""
        if self.leads_on:
            return False
        return not self.documents or self._has_loaded(self.documents[-1], "load")

    def arrived(self, until: WaitUntil) -> bool:
        """Return whether the document has reached the awaited point."""
        document = self.document
        if document is None:
            return False
        if until == "commit" or document.failed:
            return True
        if self.leads_on:
            return False
        return self._has_loaded(document, until)

    def _has_loaded(self, document: Document, until: WaitUntil) -> bool:
        return document.restored or self.stopped or LIFECYCLE_NAMES[until] in document.reached

    def _chain(self) -> list[Document]:
        for index, document in enumerate(self.documents):
            if self._root in (None, document.loader):
                return self.documents[index:]
        return []

    # -- events ----------------------------------------------------------------------------------

    def hear(self, event: Any) -> bool:
        """Record an event; returns whether it concerns the navigation."""
        return _HANDLERS[type(event)](self, event)

    def _navigation_requested(self, event: cdp_page.FrameRequestedNavigation) -> bool:
        here = event.frame_id == self._frame_id and event.disposition in CURRENT_TAB
        if here and not event.url.startswith("javascript:"):
            self.requested = event.url
        return here

    def _navigation_started(self, event: cdp_page.FrameStartedNavigating) -> bool:
        if event.frame_id != self._frame_id or event.navigation_type in SAME_DOCUMENT:
            return False
        self._depart(event.loader_id, event.url)
        return True

    def _depart(self, loader: str, url: str) -> None:
        self.leaving, self.requested, self.stopped = Departure(loader, url), None, False
        self.last_loader = loader

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

    def _navigated_within_document(self, event: cdp_page.NavigatedWithinDocument) -> bool:
        if event.frame_id != self._frame_id:
            return False
        self.requested, self.within = None, event.url
        return True

    def _lifecycle_event(self, event: cdp_page.LifecycleEvent) -> bool:
        document = self.documents[-1] if self.documents else None
        if document is None or event.loader_id != document.loader or event.frame_id != self._frame_id:
            return False
        document.reached.add(event.name)
        return event.name in LIFECYCLE_NAMES.values()

    def _loading_stopped(self, event: cdp_page.FrameStoppedLoading) -> bool:
        if event.frame_id != self._frame_id:
            return False
        if self.leaving is not None and not self.leaving.in_flight:
            # A navigation without a request, such as to about:blank, has no other event for its cancellation.
            self.leaving = None
        self.stopped = self.leaving is None
        return True

    def _request_sent(self, event: network.RequestWillBeSent) -> bool:
        if not self._announced and event.frame_id == self._frame_id and starts_navigation(event):
            self._depart(event.loader_id, event.request.url + (event.request.url_fragment or ""))
        if self.leaving is not None and event.request_id == self.leaving.loader:
            self.leaving.in_flight = True
            if event.redirect_response is not None:
                self.leaving.url = self.redirected[event.request_id] = event.request.url
        return False

    def _sent_on_wire(self, event: network.RequestWillBeSentExtraInfo) -> bool:
        if self.leaving is not None and event.request_id == self.leaving.loader:
            self.leaving.is_sent = True
        return False

    def _response_received(self, event: network.ResponseReceived) -> bool:
        own = event.request_id == event.loader_id and event.frame_id == self._frame_id
        if own and event.response.url.startswith(WITH_STATUS):
            self.statuses[event.loader_id] = event.response.status
            self.response = event
        return False

    def _response_on_wire(self, event: network.ResponseReceivedExtraInfo) -> bool:
        own = event.request_id == (self.response.loader_id if self.response is not None else None)
        if own or (self.leaving is not None and event.request_id == self.leaving.loader):
            self.on_wire = event
        return False

    def headers(self, loader: str) -> dict[str, str]:
        """Return the headers of the response with which a document came; none if there was no server."""
        response, on_wire = self.response, self.on_wire
        if response is None or response.loader_id != loader:
            return {}
        has_extra_info = response.has_extra_info is not False and on_wire is not None and on_wire.request_id == loader
        return received_headers(response.response, on_wire if has_extra_info else None)

    def _loading_failed(self, event: network.LoadingFailed) -> bool:
        leaving = self.leaving
        if leaving is None or event.request_id != leaving.loader:
            return False
        self.reasons[leaving.loader] = event.error_text
        if event.error_text == ABORTED:
            self.leaving = None  # for all other errors Chrome shows an error page
        return True


def starts_navigation(event: network.RequestWillBeSent) -> bool:
    """Return whether a request is the first one of a navigation."""
    own = event.type == "Document" and event.request_id == event.loader_id
    return own and event.redirect_response is None


_HANDLERS: dict[type[Any], Callable[[Loading, Any], bool]] = {
    cdp_page.FrameRequestedNavigation: Loading._navigation_requested,
    cdp_page.FrameStartedNavigating: Loading._navigation_started,
    cdp_page.FrameNavigated: Loading._committed,
    cdp_page.NavigatedWithinDocument: Loading._navigated_within_document,
    cdp_page.LifecycleEvent: Loading._lifecycle_event,
    cdp_page.FrameStoppedLoading: Loading._loading_stopped,
    network.RequestWillBeSent: Loading._request_sent,
    network.RequestWillBeSentExtraInfo: Loading._sent_on_wire,
    network.ResponseReceived: Loading._response_received,
    network.ResponseReceivedExtraInfo: Loading._response_on_wire,
    network.LoadingFailed: Loading._loading_failed,
}

EVENTS = tuple(_HANDLERS)
"""The events that `Loading.hear` takes."""
