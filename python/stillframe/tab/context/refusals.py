"""Report the URLs that the pages of a context tried to load and the policy refused, stopping them early if possible.

Documents are judged while Chrome has them paused. The policy proxy stops every other request, but it only knows hosts
and not which page asked; the pages' own request events supply that. Either side may report first.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from stillframe.cdp_types import fetch, network
from stillframe.chrome.dns import POSITIVE_TTL_S
from stillframe.chrome.flags import NO_DIRECT_WEBRTC
from stillframe.model.events import RefusedUrl
from stillframe.security.urls import Host, parse_url

if TYPE_CHECKING:
    from contextlib import ExitStack

    from stillframe.cdp import CDPSession
    from stillframe.chrome.policy_proxy import PolicyProxy
    from stillframe.security.policy import Refusal, UrlPolicy
    from stillframe.security.redaction import Redaction
    from stillframe.tab.tab import Tab

KEPT = 1000
"""Refusals remembered; a page that requests in a loop must not use up memory."""
UNDECIDED = 256
"""Requests and endpoints remembered until both sides have reported, which takes milliseconds."""

MAX_URL = 2000
"""Characters of a refused URL that are kept, the last of them "…" if it was longer: Chrome takes two million."""
READ_URL = 4 * MAX_URL
"""Characters of a longer URL that are searched for secrets before it is cut."""

Endpoint = tuple[Host, int]


class Refusals:
    """The refusals of one context, latest last, and the listeners that find them."""

    def __init__(self, policy: UrlPolicy | None, policy_proxy: PolicyProxy | None, flags: Sequence[str] = ()) -> None:
        self.policy = policy
        self.takes_webrtc = policy is not None and NO_DIRECT_WEBRTC not in flags
        """Whether pages must do without WebRTC, because the browser would bypass the proxy."""
        self.all: deque[RefusedUrl] = deque(maxlen=KEPT)
        """The latest refusals; those known to belong to a page are also in the results of its sequences."""
        self.count = 0
        """How many there were in total."""
        self._policy_proxy = policy_proxy
        self._requested: deque[tuple[Endpoint, weakref.ref[Tab], RefusedUrl]] = deque(maxlen=UNDECIDED)
        """Requests that the policy allows by host name, which the policy proxy may still refuse by address."""
        self._stopped: dict[Endpoint, tuple[float, str]] = {}
        """When and by which rule the policy proxy refused an endpoint whose host name is allowed."""
        self._tasks: set[asyncio.Task[None]] = set()
        if policy_proxy is not None:
            policy_proxy.listen(self._refused_by_proxy, self._requester)

    @property
    def omitted(self) -> int:
        """Return how many refusals `all` no longer contains."""
        return self.count - len(self.all)

    @property
    def stops_all(self) -> bool:
        """Return whether every request must be judged here, because there is no policy proxy."""
        return self.policy is not None and self._policy_proxy is None

    def stop(self) -> None:
        """Stop judging; paused requests stay paused, because their page is about to close."""
        for task in self._tasks:
            task.cancel()

    def watch(self, session: CDPSession, tab: Tab, listening: ExitStack) -> None:
        """Listen to the requests of a page's session until the stack is closed."""
        if self.policy is None:
            return
        requests = session.on(network.RequestWillBeSent, lambda event: self._request(tab, event))
        sockets = session.on(network.WebSocketCreated, lambda event: self._requesting(tab, event.url, "websocket"))
        listening.callback(requests)
        listening.callback(sockets)

    def judge(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused, allow: Callable[[], object]) -> None:
        """Fail a paused request or call `allow`; for a document only after its host was resolved."""
        refusal = self.policy.judge(event.request.url) if self.policy else None
        if refusal is not None:
            self._refuse(session, tab, event, refusal)
        elif self._policy_proxy is None or self.policy is None or event.resource_type != "Document":
            allow()
        else:
            task = asyncio.get_running_loop().create_task(
                self._vet(self._policy_proxy, session, tab, event, allow), name="stillframe-vet"
            )
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _vet(
        self,
        policy_proxy: PolicyProxy,
        session: CDPSession,
        tab: Tab,
        event: fetch.RequestPaused,
        allow: Callable[[], object],
    ) -> None:
        try:
            refusal = await policy_proxy.judge(event.request.url, tab.target_id)
        except OSError:
            session.post(fetch.FailRequest(request_id=event.request_id, error_reason="NameNotResolved"))
            return
        if refusal is None:
            allow()
        else:
            self._refuse(session, tab, event, refusal)

    def _refuse(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused, refusal: Refusal) -> None:
        # Any other reason would replace the page's current document by an error page.
        session.post(fetch.FailRequest(request_id=event.request_id, error_reason="Aborted"))
        if event.resource_type == "Document":
            self._report(tab, _refused(tab, _whole(event), refusal.rule, _kind(tab, event)))

    # -- requests that are not paused ------------------------------------------------------------

    def _request(self, tab: Tab, event: network.RequestWillBeSent) -> None:
        if event.type != "Document":  # documents are paused, and reported then
            self._requesting(tab, event.request.url, (event.type or "Other").lower())

    def _requesting(self, tab: Tab, url: str, kind: str) -> None:
        assert self.policy is not None  # without a policy nothing listens
        refusal = self.policy.judge(url)
        if refusal is not None:
            self._report(tab, _refused(tab, url, refusal.rule, kind))
            return
        endpoint = _endpoint(url)
        if endpoint is None:
            return
        at, rule = self._stopped.get(endpoint, (0.0, ""))
        if rule and asyncio.get_running_loop().time() - at < POSITIVE_TTL_S:
            self._report(tab, _refused(tab, url, rule, kind))
        else:
            self._requested.append((endpoint, weakref.ref(tab), _refused(tab, url, "", kind)))

    def _requester(self, host: Host, port: int) -> str | None:
        """Return the target id of the page that last requested an endpoint, or None."""
        tabs = (tab for endpoint, tab, _ in reversed(self._requested) if endpoint == (host, port))
        tab = next(tabs, lambda: None)()
        return None if tab is None else tab.target_id

    def _refused_by_proxy(self, host: Host, port: int, refusal: Refusal) -> None:
        self._keep(RefusedUrl(url=f"{host}:{port}", rule=refusal.rule, kind="connection"))
        if self.policy is None or self.policy.judge_host(host, port) is not None:
            return  # refused by host name: the requesting page reports it
        self._stopped.pop((host, port), None)
        self._stopped[host, port] = asyncio.get_running_loop().time(), refusal.rule
        if len(self._stopped) > UNDECIDED:
            del self._stopped[next(iter(self._stopped))]
        for request in [request for request in self._requested if request[0] == (host, port)]:
            self._requested.remove(request)
            tab = request[1]()
            if tab is not None:
                self._report(tab, msgspec.structs.replace(request[2], rule=refusal.rule))

    def _keep(self, report: RefusedUrl) -> None:
        self.all.append(report)
        self.count += 1

    def _report(self, tab: Tab, report: RefusedUrl) -> None:
        self._keep(report)
        reporter: Tab | None = tab
        while reporter is not None:
            # The opener of a popup gets the report too: the caller acts there and may not watch the popup.
            reporter.recorder.add(report)
            reporter = reporter.opener


def _refused(tab: Tab, url: str, rule: str, kind: str) -> RefusedUrl:
    return RefusedUrl(url=_shortened(url, tab.context.redaction), rule=rule, kind=kind)


def _shortened(url: str, redaction: Redaction) -> str:
    if len(url) <= MAX_URL:
        return url
    # A truncated secret is no longer found, so redact before cutting.
    return redaction.redact(url[:READ_URL])[: MAX_URL - 1] + "…"


def _whole(event: fetch.RequestPaused) -> str:
    return event.request.url + (event.request.url_fragment or "")


def _kind(tab: Tab, event: fetch.RequestPaused) -> str:
    if event.redirected_request_id is not None:
        return "redirect"
    if event.frame_id != tab.target_id:
        return "frame"
    return "popup" if tab.opener is not None and tab.is_blank else "navigation"


def _endpoint(url: str) -> Endpoint | None:
    try:
        read = parse_url(url)
    except ValueError:
        return None
    return None if read.host is None or read.port is None else (read.host, read.port)
