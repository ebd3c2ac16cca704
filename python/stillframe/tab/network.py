"""What a context does to requests: extra headers, being offline, blocking by pattern, answering for a login.

Blocking goes through the Fetch domain: Network.setBlockedURLs lets documents and the requests of workers through
(measured on Chromium 156). Only requests that match a pattern are paused, and none of those is continued. Chrome tells
of a login that is asked for on paused requests alone, so credentials cost a round trip for every request.

With a policy every document is paused too, and one that is refused is aborted, so that the page keeps the document it
has. That much is a courtesy, for what interception does not see; the boundary is the policy proxy
(`chrome.policy_proxy`). Where there is none, in the own context of somebody else's browser, all requests are paused.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from stillframe.cdp import CDPSession
from stillframe.cdp_types import fetch, network
from stillframe.cdp_types import page as cdp_page
from stillframe.security.urls import same_origin
from stillframe.tab.emulation import Kind, Step
from stillframe.tab.options import ContextOptions
from stillframe.tab.refusals import Refusals
from stillframe.tab.tab import Tab

ATTEMPTS_KEPT = 1000
"""Requests remembered as answered with credentials; a second challenge for one means that they are wrong."""

NO_WEBRTC = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name]"
"""It sends UDP past every proxy, unless the browser was launched with `chrome.flags.NO_DIRECT_WEBRTC`."""

ALL_URLS = "*"
DOCUMENTS = fetch.RequestPattern(url_pattern=ALL_URLS, resource_type="Document")


class Requests:
    """Watches over the requests of one context."""

    def __init__(self, options: ContextOptions, refusals: Refusals) -> None:
        self._options = options
        self._refusals = refusals
        self._blocked = block_matcher(options.block)
        proxy = options.resolved_proxy()
        self._proxy_login = (proxy.username, proxy.password or "") if proxy and proxy.username else None
        self._attempts: OrderedDict[str, None] = OrderedDict()

    @property
    def answers_logins(self) -> bool:
        """Whether there are credentials to give."""
        return self._proxy_login is not None or self._options.http_credentials is not None

    def commands(self, kind: Kind) -> Iterator[Step]:
        """Yield the commands a target of that kind needs before its first request."""
        if self._options.extra_headers:
            # Headers that are set while the domain is off are not sent (measured).
            yield "extra_headers", network.Enable()
            yield "extra_headers", network.SetExtraHTTPHeaders(headers=self._options.extra_headers)
        if kind != "worker" and self._refusals.takes_webrtc:
            yield "policy", cdp_page.AddScriptToEvaluateOnNewDocument(source=NO_WEBRTC, run_immediately=True)
        patterns = self._patterns()
        if kind != "worker" and patterns:
            # The requests of a dedicated worker pass through its page's target.
            yield "block", fetch.Enable(patterns=patterns, handle_auth_requests=self.answers_logins)

    def watch(self, session: CDPSession, tab: Tab) -> Callable[[], None]:
        """Answer the requests that a session of the page pauses; returns what stops that."""
        listening = ExitStack()
        self._refusals.watch(session, tab, listening)
        if self._patterns():
            listening.callback(session.on(fetch.RequestPaused, lambda event: self._paused(session, tab, event)))
            listening.callback(session.on(fetch.AuthRequired, lambda event: self._login(session, event)))
        return listening.close

    def _patterns(self) -> list[fetch.RequestPattern]:
        if self.answers_logins or self._refusals.stops_all:
            return [fetch.RequestPattern(url_pattern=ALL_URLS)]
        blocked = [fetch.RequestPattern(url_pattern=url) for url in self._options.block]
        return [*blocked, DOCUMENTS] if self._refusals.policy else blocked

    def _paused(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused) -> None:
        if self._blocked(event.request.url):
            session.post(fetch.FailRequest(request_id=event.request_id, error_reason="BlockedByClient"))
        else:
            self._refusals.judge(session, tab, event)

    def _login(self, session: CDPSession, event: fetch.AuthRequired) -> None:
        login = self._login_for(event)
        if login is None:
            # Not `Default`: with a window that opens a dialog which nobody answers.
            answer = fetch.AuthChallengeResponse(response="CancelAuth")
        else:
            answer = fetch.AuthChallengeResponse(response="ProvideCredentials", username=login[0], password=login[1])
        session.post(fetch.ContinueWithAuth(request_id=event.request_id, auth_challenge_response=answer))

    def _login_for(self, event: fetch.AuthRequired) -> tuple[str, str] | None:
        challenge = event.auth_challenge
        attempt = f"{event.request_id} {challenge.source}"
        if attempt in self._attempts:
            return None
        self._attempts[attempt] = None
        if len(self._attempts) > ATTEMPTS_KEPT:
            self._attempts.popitem(last=False)
        return self._proxy_login if challenge.source == "Proxy" else self._server_login(challenge.origin)

    def _server_login(self, origin: str) -> tuple[str, str] | None:
        credentials = self._options.http_credentials
        if credentials is None or (credentials.origin and not same_origin(credentials.origin, origin)):
            return None
        return credentials.username, credentials.password


def offline(off: bool) -> network.EmulateNetworkConditions:
    """Return the command that cuts a target off the network, or connects it again."""
    # Deprecated in favour of two newer commands, but the one that every Chrome in use understands.
    return network.EmulateNetworkConditions(offline=off, latency=0, download_throughput=-1, upload_throughput=-1)


def block_matcher(patterns: Sequence[str]) -> Callable[[str], Any]:
    """Return a test for URLs, with the rules of Fetch.RequestPattern."""
    if not patterns:
        return lambda _: None
    return re.compile("|".join(f"(?:{_regex(pattern)})" for pattern in patterns), re.DOTALL).fullmatch


def _regex(pattern: str) -> str:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join(_WILDCARDS.get(part) or re.escape(part[-1]) for part in parts)


_WILDCARDS = {"*": ".*", "?": "."}
