"""How a context changes requests: extra headers, routes, offline mode, blocked URL patterns, credentials.

Blocking goes through the Fetch domain: Network.setBlockedURLs lets documents and the requests of workers through
(measured on Chromium 156). Only requests that match a pattern are paused. This module combines all patterns, because
Fetch.enable replaces those that a session has. Blocking and the policy decide first; routes see the requests that pass.
Chrome reports authentication challenges only for paused requests, so credentials cost a round trip for every request.

With a policy every document is paused too, and a refused one is aborted, so that the page keeps its current document.
This check is a convenience: interception does not see everything, and the policy proxy (`chrome.policy_proxy`) is the
boundary. Without one, in a new context of a browser that stillframe did not launch, all requests are paused.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from stillframe.cdp_types import emulation as cdp_emulation
from stillframe.cdp_types import fetch, network
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import SessionLost, UrlRefused
from stillframe.security.redaction import logger
from stillframe.security.urls import same_origin
from stillframe.tab.context import emulation
from stillframe.tab.deadline import Deadline
from stillframe.tab.network.routing import Chain, Headers, Paused, RouteEntry, Rules, decide, patterns_of, request_of
from stillframe.tab.session_tree import shows_documents

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.tab.context.emulation import Kind, Step
    from stillframe.tab.context.options import ContextOptions
    from stillframe.tab.context.refusals import Refusals
    from stillframe.tab.network.api_request import APIRequestContext
    from stillframe.tab.tab import Tab

# Give the first request of a tab the headers that its context asks for.
#
# Chrome begins to load a tab that a Ctrl-, Shift- or middle click opens before it takes commands for that tab (see
# `api.first_documents`), so this request has the headers of the browser itself.

HINT = "sec-ch-ua"
"""The beginning of the names of all client hints that tell the browser."""


def corrected(
    sent: Mapping[str, str], options: ContextOptions, extra: Mapping[str, str]
) -> list[fetch.HeaderEntry] | None:
    """Return all headers as the options and the extra headers require; None if those sent are right."""
    before = {name.lower(): value for name, value in sent.items()}
    after = _without_hints(before) if options.user_agent else dict(before)
    after |= _required(options, hints=HINT in before) | {name.lower(): value for name, value in extra.items()}
    if after == before:
        return None
    return [fetch.HeaderEntry(name=name, value=value) for name, value in after.items()]


def _without_hints(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not name.startswith(HINT)}


def _required(options: ContextOptions, *, hints: bool) -> dict[str, str]:
    required = {}
    if options.user_agent:
        required["user-agent"] = options.user_agent
        metadata = emulation.metadata(options.user_agent) if hints else None
        required |= _hints(metadata) if metadata is not None else {}
    if options.locale:
        required["accept-language"] = _weighted(emulation.accept_language(options.locale))
    return required


def _hints(metadata: cdp_emulation.UserAgentMetadata) -> dict[str, str]:
    """Return the client hints that Chrome sends with every request."""
    brands = ", ".join(f'"{each.brand}";v="{each.version}"' for each in metadata.brands or ())
    return {HINT: brands, f"{HINT}-mobile": f"?{metadata.mobile:d}", f"{HINT}-platform": f'"{metadata.platform}"'}


def _weighted(languages: str) -> str:
    """Return a list of languages with the weights that Chrome adds: 1, 0.9, 0.8 and so on."""
    first, *others = languages.split(",")
    return ",".join([first, *(f"{language};q=0.{9 - place}" for place, language in enumerate(others))])


ATTEMPTS_KEPT = 1000
"""Requests remembered as answered with credentials; a second challenge for one means that they are wrong."""

JUDGED_KEPT = 256
"""Requests remembered until the browser's session pauses them as well, which takes milliseconds."""

CHAINS_KEPT = 1000
"""Requests remembered until they are redirected; most are not, and nothing says so."""

SPENT_S = 5.0
"""Seconds for the browser to stop pausing what only a route that is over has matched."""

NO_WEBRTC = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name]"
"""WebRTC sends UDP past every proxy, unless the browser was launched with `chrome.flags.NO_DIRECT_WEBRTC`."""

log = logger("stillframe.tab")

ALL_URLS = "*"
DOCUMENTS = fetch.RequestPattern(url_pattern=ALL_URLS, resource_type="Document")


class Requests:
    """Handles the requests of one context."""

    def __init__(self, options: ContextOptions, refusals: Refusals, client: APIRequestContext) -> None:
        self._options = options
        self._client = client
        self._tabs: WeakSet[Tab] = WeakSet()
        self._refusals = refusals
        self._blocked = block_matcher(options.block)
        proxy = options.resolved_proxy()
        self._proxy_login = (proxy.username, proxy.password or "") if proxy and proxy.username else None
        self._attempts: OrderedDict[str, None] = OrderedDict()
        self._judged: deque[str] = deque(maxlen=JUDGED_KEPT)
        """The requests for a tab's first document that its own session has paused before the browser's."""
        self._chains: OrderedDict[str, Chain] = OrderedDict()
        """What routes have done with requests that may be redirected, by the ids of their pauses."""
        self.rules = Rules()
        """The routes and headers of the whole context."""
        self._rules_of: WeakKeyDictionary[Tab, Rules] = WeakKeyDictionary()
        self._follows: WeakSet[Tab] = WeakSet()
        """The tabs in which a route has changed headers: a redirect of such a request may lead anywhere."""

    @property
    def answers_logins(self) -> bool:
        """Return whether there are credentials to answer with."""
        return self._proxy_login is not None or self._options.http_credentials is not None

    @property
    def concern_documents(self) -> bool:
        """Return whether documents of the context are requested in another way than the browser does by itself."""
        return bool(self._headers(None) or self._patterns(None))

    def commands(self, kind: Kind, tab: Tab) -> Iterator[Step]:
        """Yield the commands that a target of a tab needs before its first request."""
        if headers := self._headers(tab):
            # Headers set while the domain is disabled are not sent (measured).
            yield "extra_headers", network.Enable()
            yield "extra_headers", network.SetExtraHTTPHeaders(headers=headers)
        if kind != "worker" and self._refusals.takes_webrtc:
            yield "policy", cdp_page.AddScriptToEvaluateOnNewDocument(source=NO_WEBRTC, run_immediately=True)
        if self._bypasses_caches(tab):
            for command in tab.caches.commands():
                yield "route", command
        patterns = self._patterns(tab)
        if kind != "worker" and patterns:
            # A dedicated worker's requests pass through its page's target.
            yield "block", self._pausing(patterns)

    def watch(self, session: CDPSession, tab: Tab) -> Callable[[], None]:
        """Answer the requests that a session of the page pauses; returns a function that stops it."""
        listening = ExitStack()
        self._tabs.add(tab)
        self._refusals.watch(session, tab, listening)
        listening.callback(session.on(fetch.RequestPaused, lambda event: self._paused(session, tab, event)))
        listening.callback(session.on(fetch.AuthRequired, lambda event: self._login(session, event)))
        return listening.close

    def rules_of(self, tab: Tab) -> Rules:
        """Return the routes and headers of one tab; they take precedence over those of the context."""
        return self._rules_of.setdefault(tab, Rules())

    async def route(self, tabs: Sequence[Tab], change: Callable[[], object], deadline: Deadline) -> None:
        """Change routes by calling `change`, and wait until the tabs pause exactly the requests that have routes."""
        before = [self._patterns(tab) for tab in tabs]
        change()
        for tab in tabs:
            if not self._routes(tab):
                self._follows.discard(tab)
        replies: list[asyncio.Future[Any]] = [
            session.post(self._pausing(after) if after else fetch.Disable(), timeout=deadline.left_s)
            for tab, earlier in zip(tabs, before, strict=True)
            if (after := self._patterns(tab)) != earlier
            for session in tab.sessions()
            if shows_documents(session)
        ]
        for tab in tabs:
            replies += tab.caches.bypass(self._bypasses_caches(tab), deadline)
        await _answers(replies)

    async def send_headers(self, tabs: Sequence[Tab], deadline: Deadline) -> None:
        """Update the extra headers of tabs and wait until the browser has accepted them."""
        replies = [
            session.post(network.SetExtraHTTPHeaders(headers=self._headers(tab)), timeout=deadline.left_s)
            for tab in tabs
            for session in tab.sessions()
        ]
        await _answers(replies)

    def _headers(self, tab: Tab | None) -> dict[str, str]:
        rules = self._own_rules(tab)
        merged: dict[str, tuple[str, str]] = {}
        for headers in (self._options.extra_headers, self.rules.headers, rules.headers if rules else {}):
            merged |= {name.lower(): (name, value) for name, value in headers.items()}
        return dict(merged.values())

    def _own_rules(self, tab: Tab | None) -> Rules | None:
        return None if tab is None else self._rules_of.get(tab)

    def _routes(self, tab: Tab | None) -> list[RouteEntry]:
        """Return the routes of a tab in calling order: those of the page first, the latest first.

        Without a tab, those of the context.
        """
        rules = self._own_rules(tab)
        return [*reversed(rules.routes if rules else ()), *reversed(self.rules.routes)]

    def _bypasses_caches(self, tab: Tab) -> bool:
        return not all(route.use_cache for route in self._routes(tab))

    def _pausing(self, patterns: list[fetch.RequestPattern]) -> fetch.Enable:
        return fetch.Enable(patterns=patterns, handle_auth_requests=self.answers_logins)

    def _patterns(self, tab: Tab | None) -> list[fetch.RequestPattern]:
        if self.answers_logins or self._refusals.stops_all or tab in self._follows:
            return [fetch.RequestPattern(url_pattern=ALL_URLS)]
        wanted = [fetch.RequestPattern(url_pattern=url) for url in self._options.block]
        wanted += [DOCUMENTS] if self._refusals.policy else []
        return wanted + patterns_of(self._routes(tab))

    def first(self, root: CDPSession, tab: Tab, event: fetch.RequestPaused) -> None:
        """Decide about a request for a tab's first document, which the browser's session has paused."""
        headers = corrected(event.request.headers, self._options, self._headers(tab))
        if event.network_id in self._judged:
            root.post(fetch.ContinueRequest(request_id=event.request_id, headers=headers))
        else:
            self._judge(root, tab, event, headers)

    def _paused(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused) -> None:
        if tab.is_blank and event.network_id is not None:
            self._judged.append(event.network_id)
        self._judge(session, tab, event)

    def _judge(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused, headers: Headers = None) -> None:
        if self._blocked(event.request.url):
            session.post(fetch.FailRequest(request_id=event.request_id, error_reason="BlockedByClient"))
        else:
            self._refusals.judge(session, tab, event, lambda: self._allowed(session, tab, event, headers))

    def _allowed(self, session: CDPSession, tab: Tab, event: fetch.RequestPaused, headers: Headers) -> None:
        """Call the routes that match a request; without one it continues, with `headers` if they are given."""
        routes = self._routes(tab)
        frame = tab.frames.by_id.get(event.frame_id) if routes else None
        asking = "" if frame is None else frame.url
        request = tab.context.redaction.redact(request_of(event))
        chain = self._chains.pop(event.redirected_request_id or "", None) or Chain()
        headers = chain.changes.applied(event.request) if headers is None else headers
        keep, follow = partial(tab.events.answered, event.network_id), partial(self._follow, tab)
        request.__dict__.update(tab.events.extras)
        check = self._check_url(tab)
        paused = Paused(session, event, request, check, asking, chain, keep, follow, self._client, headers)
        matching = [row for row in routes if row not in chain.asked and not row.is_spent and _matches(row, paused)]
        if matching or chain.asked:
            self._keep(event.request_id, chain)
        if matching:
            tab.context.background.start(self._decide(tab, paused, matching), "route")
        else:
            session.post(paused.unchanged())

    async def _decide(self, tab: Tab, paused: Paused, rows: Sequence[RouteEntry]) -> None:
        await decide(paused, rows)
        if any(row.is_spent for row in rows):
            for rules in (self._own_rules(tab), self.rules):
                if rules is not None and any(row.is_spent for row in rules.routes):
                    tabs = [tab] if rules is not self.rules else [each for each in self._tabs if not each.closed]
                    await self.route(tabs, rules.prune, Deadline(SPENT_S))

    def headers_of_context(self) -> dict[str, str]:
        """Return the extra headers of the whole context."""
        return self._headers(None)

    def check_blocked(self, url: str) -> None:
        """Raise UrlRefused for a URL that the option `block` of the context blocks."""
        if self._blocked(url):
            raise UrlRefused(f"the option block of the context blocks {url}", url=url, rule="block")

    def _follow(self, tab: Tab) -> None:
        """Pause all requests of a tab from now on; the commands are on their way when this returns."""
        every = [fetch.RequestPattern(url_pattern=ALL_URLS)]
        if self._patterns(tab) == every:
            return
        self._follows.add(tab)
        for session in tab.sessions():
            if shows_documents(session):
                session.post(self._pausing(every))

    def _keep(self, request_id: str, chain: Chain) -> None:
        """Keep what routes have done with a request for its redirect, if there will be one."""
        self._chains[request_id] = chain
        if len(self._chains) > CHAINS_KEPT:
            self._chains.popitem(last=False)

    def _check_url(self, tab: Tab) -> Callable[[str], None]:
        def check(url: str) -> None:
            tab.context.check_url(url)
            self.check_blocked(url)

        return check

    def _login(self, session: CDPSession, event: fetch.AuthRequired) -> None:
        login = self._login_for(event)
        if login is None:
            # Not `Default`: in a headed browser that opens a dialog that nothing answers.
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


async def _answers(replies: Sequence[asyncio.Future[Any]]) -> None:
    """Wait for all replies; ignores targets that are gone."""
    for reply in replies:
        with suppress(SessionLost):
            await reply


def _matches(row: RouteEntry, paused: Paused) -> bool:
    try:
        return row.matches(paused.request, paused.url)
    except Exception:
        log.exception(
            "the pattern function of a route raised an exception for %s; the route is skipped", paused.request.url
        )
        return False


def offline(off: bool) -> network.EmulateNetworkConditions:
    """Return the command that takes a target offline, or back online."""
    # Deprecated in favour of two newer commands, but every Chrome in use understands it.
    return network.EmulateNetworkConditions(offline=off, latency=0, download_throughput=-1, upload_throughput=-1)


def block_matcher(patterns: Sequence[str]) -> Callable[[str], Any]:
    """Return a predicate for URLs that follows the rules of Fetch.RequestPattern."""
    if not patterns:
        return lambda _: None
    return re.compile("|".join(f"(?:{_regex(pattern)})" for pattern in patterns), re.DOTALL).fullmatch


def _regex(pattern: str) -> str:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join(_WILDCARDS.get(part) or re.escape(part[-1]) for part in parts)


_WILDCARDS = {"*": ".*", "?": "."}
