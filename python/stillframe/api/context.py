"""A browser context by itself: emulation, network, and how its pages are set up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from stillframe.api.context_events import ContextEvents
from stillframe.api.context_proxies import ContextProxies
from stillframe.api.context_storage import ContextStorage
from stillframe.api.har import HarRecorders, HarRecording
from stillframe.api.playwright_names import PlaywrightNames
from stillframe.api.routing import ContextRouting
from stillframe.cdp import CDPSession
from stillframe.errors import CommandError, FetchFailed, OptionInvalid, UrlRefused
from stillframe.har.model import Content
from stillframe.model.playwright_parameters import named
from stillframe.security.policy import UrlPolicy
from stillframe.security.redaction import Redaction
from stillframe.security.secret_store import Secrets
from stillframe.settling.quiet_windows import QuietWindows
from stillframe.tab.context import emulation
from stillframe.tab.context.context import ContextState
from stillframe.tab.context.downloads import DownloadDirectory, Downloads
from stillframe.tab.context.emulation import Kind
from stillframe.tab.context.keywords import EmulationKeywords, GeolocationFields
from stillframe.tab.context.options import ContextOptions, Geolocation
from stillframe.tab.context.permissions import Permissions
from stillframe.tab.context.refusals import Refusals
from stillframe.tab.context.setup import Setup
from stillframe.tab.context.timeouts import Timeouts
from stillframe.tab.deadline import CALL_MS, Deadline, in_seconds, time_limited
from stillframe.tab.events.held_dialogs import dialog_error
from stillframe.tab.network.api_request import APIRequestContext, Client
from stillframe.tab.network.network import Requests
from stillframe.tab.network.network import offline as when_offline
from stillframe.tab.session_tree import family
from stillframe.tab.tab import Tab
from stillframe.video.films import Films

KINDS: dict[str, Kind] = {"page": "page", "iframe": "iframe"}
"""The kinds of targets by their types; any other target is some kind of worker."""


def nothing() -> None:
    """Stop nothing: what applies options to a session that is set up listens to nothing."""


class ContextBase(ContextEvents, ContextRouting, ContextStorage, PlaywrightNames):
    """A group of pages that share cookies and storage; `BrowserContext` adds its pages and its browser."""

    def __init__(self, state: ContextState, root: CDPSession, proxies: ContextProxies) -> None:
        super().__init__()
        self._state = state
        self._root = root
        self._proxies = proxies
        if proxies.interceptor is not None:
            state.failed_certificates = proxies.interceptor.failures
        self._windows = QuietWindows()
        """How long to observe the pages of each origin after their last activity, learned from late activity."""
        self._tabs: list[Tab] = []
        self._refusals = Refusals(state.policy, proxies.policy, state.info.flags)
        client = Client(
            state=state,
            root=root,
            headers=lambda: self._requests.headers_of_context(),
            proxy=lambda: proxies.for_requests,
            check=self._check_fetched,
            is_offline=lambda: self._offline,
        )
        self._request = APIRequestContext(client)
        self._requests = Requests(state.options, self._refusals, self._request)
        self._offline = state.options.offline
        self._permissions = Permissions(state.id)
        self._directory: DownloadDirectory | None = None
        self._downloads: Downloads | None = None
        self._har_recorders = HarRecorders(state.redaction, state.info.product, lambda: self._tabs)
        self._films = Films()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({(self.id or 'default')[:8]}, {len(self._tabs)} pages)"

    # -- properties ------------------------------------------------------------------------------

    @property
    def id(self) -> str | None:
        """The id of the browser context in CDP; None for the browser's default context."""
        return self._state.id

    @property
    def options(self) -> ContextOptions:
        """The options that the context was opened with."""
        return self._state.options

    @property
    def offline(self) -> bool:
        """Whether its pages are without a network."""
        return self._offline

    @property
    def extra_http_headers(self) -> dict[str, str]:
        """The headers that all its requests have: those of `set_extra_http_headers`, and of the option."""
        return {**self._state.options.extra_headers, **self._rules.headers}

    @property
    def policy(self) -> UrlPolicy | None:
        """The rules for what its pages may load; with None only the allowed URL schemes count."""
        return self._state.policy

    @property
    def secrets(self) -> Secrets:
        """The declared secrets that actions may name."""
        return self._state.secrets

    @property
    def redaction(self) -> Redaction:
        """The texts that no result of its pages shows: declared secrets, and texts typed into fields that hide them."""
        return self._state.redaction

    @property
    def refusals(self) -> Refusals:
        """The requests of its pages that were refused."""
        return self._refusals

    @property
    def downloads(self) -> Path | None:
        """The directory of downloads; None if they are refused, or in the default context of a running browser."""
        return self._directory.path if self._directory else None

    @property
    def _timeouts(self) -> Timeouts:
        return self._state.timeouts

    @named
    def set_default_timeout(self, timeout_ms: float | None) -> None:
        """Set the limit of calls of all its pages that are not given one, as `Page.set_default_timeout` does for one.

        It is for open pages and later ones, and for `expect_page`. A page that has a default of its own keeps it.

        Args:
            timeout_ms: The limit in ms, above 0 and at most 600,000; None gives back the defaults.

        Raises:
            OptionInvalid: It is not such a number.
        """
        self._timeouts.set_call(timeout_ms)

    @named
    def set_default_navigation_timeout(self, timeout_ms: float | None) -> None:
        """Set the limit of navigations of all its pages; see `Page.set_default_navigation_timeout`."""
        self._timeouts.set_navigation(timeout_ms)

    @property
    def request(self) -> APIRequestContext:
        """Sends HTTP requests outside of the pages, with the cookies, the proxy and the policy of the context."""
        return self._request

    async def _check_fetched(self, url: str) -> None:
        """Raise UrlRefused for a URL that a request outside of the pages may not go to."""
        self._state.check_url(url)
        self._requests.check_blocked(url)
        if self._proxies.policy is None:
            return
        try:
            refusal = await self._proxies.policy.judge(url)
        except OSError as error:
            raise FetchFailed(f"{url}: {error}", url=url, reason=str(error)) from error
        if refusal is not None:
            raise UrlRefused(f"{url} is refused: {refusal.reason}", url=url, rule=refusal.rule)

    def check_url(self, url: str) -> None:
        """Raise UrlRefused unless the URL may be loaded in this context."""
        self._state.check_url(url)

    # -- emulation ---------------------------------------------------------------------------------

    @time_limited
    async def emulate(self, *, timeout_ms: float | None = CALL_MS, **options: Unpack[EmulationKeywords]) -> None:
        """Change what all pages of the context see, those that are open and later ones; other options stay as they are.

        A `device` sets viewport and user agent, unless they are given as well. A document that is open keeps what it
        has read already: reload it if it has to be requested in another way. After an error nothing has changed.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.
            **options: The fields of `ContextOptions` about the device, the user and the place: `device`, `viewport`,
                `user_agent`, `locale`, `timezone`, `color_scheme`, `reduced_motion`, `forced_colors`, `contrast` and
                `geolocation`. None gives back the browser's own.

        Raises:
            OptionInvalid: An option is invalid, or the browser refuses it.
            DialogOpen: A page is behind a dialog.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        self._refuse_blocked()
        before = self._state.options
        after = emulation.changed(before, options, self._state.info.milestone)
        self._state.options = after
        try:
            await self._emulate(before, after, deadline)
        except BaseException:
            self._state.options = before
            with contextlib.suppress(CommandError, OptionInvalid):
                await self._emulate(after, before, deadline)
            raise

    async def _emulate(self, before: ContextOptions, after: ContextOptions, deadline: Deadline) -> None:
        if after.geolocation is not None and before.geolocation is None:
            await self._root.send(self._permissions.grant(["geolocation"]), timeout=deadline.left_s)
        tabs = [tab for tab in self._tabs if not tab.closed]
        sessions = [(session, tab) for tab in tabs for session in tab.sessions()]
        for resets in (True, False):
            setups = [Setup(session, nothing) for session, _ in sessions]
            for setup, (session, tab) in zip(setups, sessions, strict=True):
                kind = KINDS.get(session.target_type, "worker")
                given = emulation.resets(before, after, kind) if resets else emulation.commands(after, kind, tab.media)
                for option, command in given:
                    setup.post(option, command)
            await asyncio.gather(*(setup.done() for setup in setups))
        if after.viewport != before.viewport:
            for tab in tabs:
                tab.viewport = after.viewport

    @time_limited
    async def grant_permissions(
        self, permissions: Iterable[str], *, origin: str | None = None, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Let pages do something without asking the user, beside what they may already: `["clipboard-read"]`.

        Args:
            permissions: The names of the permissions.
            origin: The origin whose pages may (`https://example.org`); by default all pages may.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: A permission is unknown; the message lists the known ones.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._root.send(self._permissions.grant(permissions, origin), timeout=in_seconds(timeout_ms))

    @time_limited
    async def clear_permissions(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Take back all permissions, those of options included.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._root.send(self._permissions.reset(), timeout=in_seconds(timeout_ms))

    @time_limited
    async def set_geolocation(
        self, geolocation: Geolocation | GeolocationFields | None, *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Move the pages to a place, which they may read without a question.

        Args:
            geolocation: `{"latitude": …, "longitude": …}`; None gives back the place of the machine.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The place is invalid.
            DialogOpen: A page is behind a dialog.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self.emulate(geolocation=geolocation, timeout_ms=timeout_ms)

    # -- network ---------------------------------------------------------------------------------

    @time_limited
    async def set_offline(self, offline: bool, *, timeout_ms: float | None = CALL_MS) -> None:
        """Disconnect all pages of the context from the network, or connect them again; this includes later pages.

        Args:
            offline: Whether they are disconnected.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            DialogOpen: A page is behind a dialog.
            CommandTimeout: A page does not answer within `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        self._refuse_blocked()
        self._offline = offline
        sessions = [session for tab in tuple(self._tabs) for session in family(tab.session)]
        replies = [session.post(when_offline(offline), timeout=deadline.left_s) for session in sessions]
        await asyncio.gather(*replies)

    def record_har(
        self,
        path: str | os.PathLike[str],
        *,
        content: Content | None = None,
        url: str | re.Pattern[str] | None = None,
    ) -> HarRecording:
        """Record the traffic of all pages in a HAR file (1.2): `async with context.record_har("shop.har"): …`.

        The file is written when the block ends, with `close`, or with the context, and only its owner can read it: it
        holds cookies. Redirects, WebSocket messages, timings and sizes are there; secrets of the context are replaced,
        in bodies as well.

        Args:
            path: The file to write; a zip if it ends with `.zip`.
            content: Where bodies go: `embed` into the file, `attach` into files beside it, or in it if it is a zip,
                `omit` nowhere. By default a zip attaches and all else embeds.
            url: The requests to record: a glob or a compiled regular expression; by default all.

        Returns:
            The recording, to enter or to close.

        Raises:
            OptionInvalid: An argument is invalid.
            HarFailed: The directory cannot be written to.
        """
        return self._har_recorders.begin(path, content, url)

    def _refuse_blocked(self) -> None:
        """Raise DialogOpen if a page waits behind a dialog: it would not answer."""
        for tab in self._tabs:
            if (dialog := tab.dialogs.open) is not None:
                raise dialog_error(dialog)

    # -- setting up -------------------------------------------------------------------------------

    async def _start(self) -> None:
        """Apply the options of the context as a whole.

        Raises OptionInvalid, FfmpegNotFound, and OSError for its directory.
        """
        options = self._state.options
        self._films.start(options)
        if self._concerns_documents():
            await self._hold_first_documents()
        if self.id is not None or self._state.info.launched:
            self._directory = DownloadDirectory(options.downloads, self._state.info.profile)
            self._downloads = Downloads(self._root, lambda: self._tabs, self._directory)
            await self._root.send(self._directory.behaviour(self.id))
        granted = (*options.permissions, *(["geolocation"] if options.geolocation is not None else []))
        if granted:
            await self._root.send(self._permissions.grant(granted))
        if options.storage_state is not None:
            await self._restore(options.storage_state)

    def _concerns_documents(self) -> bool:
        """Whether the options are about what a document sees, or about how it is requested."""
        return self._requests.concern_documents or any(emulation.commands(self._state.options, "page"))

    def _prepare(self, session: CDPSession, tab: Tab) -> Setup:
        """Apply the options to a target of a tab before its first script runs; awaits nothing."""
        self._har_recorders.watch(session, tab)
        kind = KINDS.get(session.target_type, "worker")
        setup = Setup(session, self._requests.watch(session, tab))
        given = emulation.commands(self._state.options, kind, tab.media)
        for option, command in (*given, *self._requests.commands(kind, tab)):
            setup.post(option, command)
        if self._offline:
            setup.post("offline", when_offline(True))
        return setup

    # -- the end ---------------------------------------------------------------------------------

    def _release(self) -> None:
        """Delete private downloads and stop listening; the context itself is closed or about to close."""
        self._state.background.cancel()
        self._cut_off()
        if self._downloads is not None:
            self._downloads.stop()
        if self._directory is not None:
            self._directory.remove()

    def _cut_off(self) -> None:
        """Stop the proxies, and with them all traffic, and tell that the context is gone."""
        self._har_recorders.abandon()
        self._films.end()
        self._refusals.stop()
        self._proxies.stop()
        self._listeners.tell_last("close", self)
