"""What the pages of a context tried to load and were refused: stopped early where that can be, and named in any case.

Documents are judged while Chrome has them paused. Every other request is stopped by the policy proxy, which knows hosts
and not who asked; what the pages say they ask for tells that. Either may be heard of first.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import msgspec

from stillframe.cdp import CDPSession
from stillframe.cdp_types import fetch, network
from stillframe.chrome import PolicyProxy
from stillframe.chrome.dns import POSITIVE_TTL_S
from stillframe.chrome.flags import NO_DIRECT_WEBRTC
from stillframe.model.events import RefusedUrl
from stillframe.security.policy import Refusal, UrlPolicy
from stillframe.security.redaction import Redaction
from stillframe.security.urls import Host, parse_url
from stillframe.tab.tab import Tab

KEPT = 1000
"""Refusals remembered; a page that asks in a loop must not eat memory."""
UNDECIDED = 256
"""Requests and places remembered until both sides have been heard, which is a matter of milliseconds."""

MAX_URL = 2000
"""Characters of a refused URL that are kept, the last of them "…" where there were more: Chrome takes two million."""
READ_URL = 4 * MAX_URL
"""Of a longer URL, characters in which secrets are looked for before it is cut."""

BLANK = ("", "about:blank")

Place = tuple[Host, int]


class Refusals:
    """The refusals of one context, the latest last, and what finds them."""

    def __init__(self, policy: UrlPolicy | None, policy_proxy: PolicyProxy | None, flags: Sequence[str] = ()) -> None:
        self.policy = policy
        self.takes_webrtc = policy is not None and NO_DIRECT_WEBRTC not in flags
        """Whether pages have to do without WebRTC, since the browser would send it anywhere."""
        self.all: deque[RefusedUrl] = deque(maxlen=KEPT)
        """The latest, each as it came; what a page is known to have asked for is in its sequences' results as well."""
        self.count = 0
        """How many there were in all."""
        self._policy_proxy = policy_proxy
        self._asked: deque[tuple[Place, weakref.ref[Tab], RefusedUrl]] = deque(maxlen=UNDECIDED)
        """Requests that the policy lets through by name, of which the policy proxy may say more."""
        self._stopped: dict[Place, tuple[float, str]] = {}
        """When and by which rule the policy proxy refused a place that a page may ask for by name."""
        self._tasks: set[asyncio.Task[None]] = set()
        if policy_proxy is not None:
            policy_proxy.listen(self._refused_by_proxy, self._requester)

    @property
    def omitted(self) -> int:
        """How many refusals are not kept in `all` any more."""
        return self.count - len(self.all)

    @property
    def stops_all(self) -> bool:
        """Whether every request has to be judged here, since there is no policy proxy."""
        return self.policy is not None and self._policy_proxy is None

    def stop(self) -> None:
        """Judge no more; what is paused stays so, and its page is about to go."""
        for task in self._tasks:
            task.cancel()

    def watch(self, session: CDPSession, tab: Tab, listening: ExitStack) -> None:
        """Hear what a session of the page asks for, until the stack is closed."""
        if self.policy is None:
            return
        requests = session.on(network.RequestWillBeSent, lambda event: self._request(tab, event))
        sockets = session.on(network.WebSocketCreated, lambda event: self._asks(tab, event.url, "websocket"))
        listening.callback(requests)
        listening.callback(sockets)

    def judge(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused, allow: Callable[[], object]) -> None:
        """Fail a paused request or call `allow`; for a document only after its host has been looked up."""
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
        # Any other reason would show an error page in place of the document that the page has.
        session.post(fetch.FailRequest(request_id=event.request_id, error_reason="Aborted"))
        if event.resource_type == "Document":
            self._report(tab, _refused(tab, _whole(event), refusal.rule, _kind(tab, event)))

    # -- requests that are not paused ------------------------------------------------------------

    def _request(self, tab: Tab, event: network.RequestWillBeSent) -> None:
        if event.type != "Document":  # that one is paused, and told of then
            self._asks(tab, event.request.url, (event.type or "Other").lower())

    def _asks(self, tab: Tab, url: str, kind: str) -> None:
        assert self.policy is not None  # or nothing is listened to
        refusal = self.policy.judge(url)
        if refusal is not None:
            self._report(tab, _refused(tab, url, refusal.rule, kind))
            return
        place = _place(url)
        if place is None:
            return
        at, rule = self._stopped.get(place, (0.0, ""))
        if rule and asyncio.get_running_loop().time() - at < POSITIVE_TTL_S:
            self._report(tab, _refused(tab, url, rule, kind))
        else:
            self._asked.append((place, weakref.ref(tab), _refused(tab, url, "", kind)))

    def _requester(self, host: Host, port: int) -> str | None:
        """Return the page that was the last to say that it asks for a place, or None."""
        asked = (tab for place, tab, _ in reversed(self._asked) if place == (host, port))
        tab = next(asked, lambda: None)()
        return None if tab is None else tab.target_id

    def _refused_by_proxy(self, host: Host, port: int, refusal: Refusal) -> None:
        self._keep(RefusedUrl(url=f"{host}:{port}", rule=refusal.rule, kind="connection"))
        if self.policy is None or self.policy.judge_host(host, port) is not None:
            return  # by its name: the page that asked for it knows
        self._stopped.pop((host, port), None)
        self._stopped[host, port] = asyncio.get_running_loop().time(), refusal.rule
        if len(self._stopped) > UNDECIDED:
            del self._stopped[next(iter(self._stopped))]
        for asked in [asked for asked in self._asked if asked[0] == (host, port)]:
            self._asked.remove(asked)
            tab = asked[1]()
            if tab is not None:
                self._report(tab, msgspec.structs.replace(asked[2], rule=refusal.rule))

    def _keep(self, report: RefusedUrl) -> None:
        self.all.append(report)
        self.count += 1

    def _report(self, tab: Tab, report: RefusedUrl) -> None:
        self._keep(report)
        teller: Tab | None = tab
        while teller is not None:
            # Who opened a popup is who acts; nobody may be looking at the popup itself.
            teller.recorder.add(report)
            teller = teller.opener


def _refused(tab: Tab, url: str, rule: str, kind: str) -> RefusedUrl:
    return RefusedUrl(url=_shortened(url, tab.context.redaction), rule=rule, kind=kind)


def _shortened(url: str, redaction: Redaction) -> str:
    if len(url) <= MAX_URL:
        return url
    # Half of a secret is one that nothing finds any more, so they go before the cut.
    return redaction.redact(url[:READ_URL])[: MAX_URL - 1] + "…"


def _whole(event: fetch.RequestPaused) -> str:
    return event.request.url + (event.request.url_fragment or "")


def _kind(tab: Tab, event: fetch.RequestPaused) -> str:
    if event.redirected_request_id is not None:
        return "redirect"
    if event.frame_id != tab.target_id:
        return "frame"
    return "popup" if tab.opener is not None and tab.url in BLANK else "navigation"


def _place(url: str) -> Place | None:
    try:
        read = parse_url(url)
    except ValueError:
        return None
    return None if read.host is None or read.port is None else (read.host, read.port)
