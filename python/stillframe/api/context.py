"""Browser contexts: separate cookies, storage and proxy, and what every page in them is made to look like."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.api import storage
from stillframe.cdp import CDPSession
from stillframe.cdp_types import browser as cdp_browser
from stillframe.cdp_types import target
from stillframe.chrome import PolicyProxy
from stillframe.errors import CdpError, CommandError, OptionInvalid, UrlRefused
from stillframe.model.options import Settle
from stillframe.security.redaction import Redaction
from stillframe.security.secret_store import Secrets
from stillframe.security.urls import origin_of
from stillframe.settling.quiet_windows import Windows
from stillframe.tab import emulation
from stillframe.tab.deadline import CALL_S, Deadline, checked, time_limited
from stillframe.tab.downloads import DownloadDirectory, Downloads
from stillframe.tab.emulation import Kind
from stillframe.tab.navigation import ALLOWED_SCHEMES, NAVIGATION_TIMEOUT, check_url
from stillframe.tab.network import Requests, offline
from stillframe.tab.options import ContextOptions
from stillframe.tab.refs import RefNumbers
from stillframe.tab.refusals import Refusals
from stillframe.tab.storage_state import read_cookies, read_state

if TYPE_CHECKING:
    from stillframe.api.browser import Browser
    from stillframe.api.page import Page
    from stillframe.tab.frames import Frame

CONTEXT_CLOSE_S = 10.0
"""Seconds that the pages of a context may take to close, and the context after them; it takes 0.1 s (measured)."""

NEW_PAGE_S = CALL_S + NAVIGATION_TIMEOUT
"""Seconds that a new tab may take: to be opened, and to load its URL."""

KINDS: dict[str, Kind] = {"page": "page", "iframe": "iframe"}
"""By the type of a target; all others are workers of some sort."""

TAKEN = "already in effect"
"""What Chrome says when another page of the same process has set the locale. It is the same locale, because pages that
share a process share a context. The number is that of every other failure, hence the text."""


class Setup:
    """The commands that make a target look as its context says, on their way."""

    def __init__(self, session: CDPSession, stop: Callable[[], None]) -> None:
        self._session = session
        self._stop = stop
        self._sent: list[tuple[str, asyncio.Future[Any]]] = []

    def post(self, option: str, command: Any) -> None:
        """Send a command that an option wants."""
        self._sent.append((option, self._session.post(command)))

    def stop(self) -> None:
        """Leave the requests of the target alone from now on."""
        self._stop()

    async def done(self) -> None:
        """Wait until the browser has taken all; raises OptionInvalid naming the option that it did not take."""
        for option, reply in self._sent:
            try:
                await reply
            except CdpError as error:
                if option == "locale" and TAKEN in error.text:
                    continue
                raise OptionInvalid(f"option {option}: the browser says {error.text!r}", option=option) from None


class BrowserContext:
    """A group of pages that share cookies and storage with each other only; `id` is None for the browser's own.

    Closed with `close`, with its block, or with the browser.
    """

    def __init__(
        self, browser: Browser, context_id: str | None, options: ContextOptions, policy_proxy: PolicyProxy | None = None
    ) -> None:
        self.browser = browser
        self.id = context_id
        self.options = options
        self.pages: list[Page] = []
        self.origins: set[str] = set()
        """Origins that its pages have shown, whose localStorage `storage_state` returns."""
        self.ref_numbers = RefNumbers()
        """Shared by all pages, so that a ref of one means nothing on another."""
        self.windows = Windows()
        """How long each origin's pages are looked on at after their last activity, as learned from what came late."""
        self.policy = options.policy and options.policy.with_schemes(browser.allowed_schemes - ALLOWED_SCHEMES)
        """What its pages may load; None leaves it at the schemes of `check_url`."""
        self.policy_proxy = policy_proxy
        """The proxy that keeps to the policy. None without one, and in the own context of somebody else's browser."""
        self.refusals = Refusals(self.policy, policy_proxy, browser.info.flags)
        """What its pages tried to load and were refused."""
        self.secrets = options.secrets or Secrets()
        """The declared secrets that actions may name."""
        self.redaction = Redaction(self.secrets.redaction)
        """What no result of its pages shows: declared secrets, and those that were typed."""
        self._requests = Requests(options, self.refusals)
        self._offline = options.offline
        self._directory: DownloadDirectory | None = None
        self._downloads: Downloads | None = None

    def __repr__(self) -> str:
        return f"BrowserContext({(self.id or 'default')[:8]}, {len(self.pages)} pages)"

    @property
    def downloads(self) -> Path | None:
        """The directory that downloads are kept in; None if they are refused, or left to a browser of others."""
        return self._directory.path if self._directory else None

    # -- life ----------------------------------------------------------------------------------

    @time_limited
    async def start(self, *, timeout: float | None = CALL_S) -> None:
        """Tell the browser what concerns the context as a whole; called once, by whoever made it.

        Raises OptionInvalid, and OSError if the directory for downloads cannot be made.
        """
        root = self.browser.connection.root
        if self.id is not None or self.browser.info.launched:
            self._directory = DownloadDirectory(self.options.downloads, self.browser.info.profile)
            self._downloads = Downloads(self, self._directory)
            await root.send(self._directory.behaviour(self.id))
        if self.options.geolocation is not None:
            grant = cdp_browser.GrantPermissions(permissions=["geolocation"], browser_context_id=self.id)
            await root.send(grant)
        if self.options.storage_state is not None:
            await storage.restore(self, self.options.storage_state)

    def check_url(self, url: str) -> None:
        """Raise UrlRefused unless the URL may be loaded in this context."""
        try:
            check_url(url, self.browser.allowed_schemes) if self.policy is None else self.policy.check(url)
        except UrlRefused as error:
            self.redaction.redact_error(error)
            raise

    async def new_page(
        self,
        url: str | None = None,
        *,
        timeout: float | None = NEW_PAGE_S,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Page:
        """Open a tab in this context; see `Browser.new_page`."""
        return await self.browser.new_page(url, context=self, timeout=timeout, settle=settle, **options)

    async def close(self, *, timeout: float | None = CONTEXT_CLOSE_S) -> None:
        """Close all pages of the context, forget its cookies and storage, delete its private downloads.

        Pages of the browser's own context are closed, the rest of it stays. Idempotent. What is not gone after
        `timeout` seconds goes with the browser; nothing is raised.
        """
        deadline = Deadline(checked(timeout))
        try:
            await asyncio.gather(*(page.close(timeout=deadline.left / 2) for page in tuple(self.pages)))
            if self.id is not None:
                self.browser.forget_context(self)
                command = target.DisposeBrowserContext(browser_context_id=self.id)
                await self.browser.connection.root.send(command, timeout=deadline.left)
        except CommandError:
            return  # gone with its browser, or the browser is stopped
        finally:
            if self.id is not None:
                self.release()
                if self.policy_proxy is not None:
                    await self.policy_proxy.aclose()

    def release(self) -> None:
        """Delete private downloads and listen no more; the context itself is gone, or about to go."""
        self.cut_off()
        if self._downloads is not None:
            self._downloads.stop()
        if self._directory is not None:
            self._directory.remove()

    def cut_off(self) -> None:
        """Close the policy proxy: nothing goes through it any more."""
        self.refusals.stop()
        if self.policy_proxy is not None:
            self.policy_proxy.stop()

    async def __aenter__(self) -> BrowserContext:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.shield(self.close())

    # -- what its pages look like --------------------------------------------------------------

    def adopt(self, page: Page) -> None:
        """Take in a page that was opened."""
        self.pages.append(page)
        page.frames.on_document(self._shown)

    def prepare(self, session: CDPSession, page: Page) -> Setup:
        """Make a target of a page look as the options say, before its first script runs: sends and awaits nothing."""
        kind = KINDS.get(session.target_type, "worker")
        setup = Setup(session, self._requests.watch(session, page))
        for option, command in (*emulation.commands(self.options, kind), *self._requests.commands(kind)):
            setup.post(option, command)
        if self._offline:
            setup.post("offline", offline(True))
        return setup

    @time_limited
    async def set_offline(self, off: bool, *, timeout: float | None = CALL_S) -> None:
        """Cut all pages of the context off the network, or connect them again; later pages as well.

        All are told at once. `timeout` is in seconds. Raises CommandTimeout if one has not answered by then.
        """
        self._offline = off
        sessions = [session for page in tuple(self.pages) for session in _family(page.session)]
        replies = [session.post(offline(off), timeout=timeout) for session in sessions]
        await asyncio.gather(*replies)

    def _shown(self, frame: Frame) -> None:
        origin = origin_of(frame.url)
        if origin.startswith("http"):
            self.origins.add(origin)

    # -- cookies and storage -------------------------------------------------------------------

    @time_limited
    async def cookies(self, *, timeout: float | None = CALL_S) -> list[dict[str, Any]]:
        """Return all cookies, each as `{name, value, domain, path, expires, httpOnly, secure, sameSite}`.

        `expires` is in seconds since 1970, -1 for a cookie that ends with the session.
        """
        plain: list[dict[str, Any]] = storage.to_builtins(await storage.get_cookies(self))
        return plain

    @time_limited
    async def add_cookies(self, cookies: Iterable[Mapping[str, Any]], *, timeout: float | None = CALL_S) -> None:
        """Add cookies of the shape that `cookies` returns; `url` may stand for `domain` and `path`.

        Raises OptionInvalid for what is no cookie, and for one that the browser's rules forbid.
        """
        await storage.set_cookies(self, read_cookies([dict(cookie) for cookie in cookies]))

    @time_limited
    async def clear_cookies(self, *, timeout: float | None = CALL_S) -> None:
        """Delete all cookies."""
        await storage.clear_cookies(self)

    @time_limited
    async def storage_state(
        self, path: str | os.PathLike[str] | None = None, *, timeout: float | None = CALL_S
    ) -> dict[str, Any]:
        """Return `{"cookies": […], "origins": [{"origin", "localStorage": [{"name", "value"}]}]}`, as Playwright does.

        Origins are those that pages of this context have shown, or that were restored. Opens a page of its own for a
        moment, if there are any. With `path` it is written there too, readable by its owner alone.
        """
        state: dict[str, Any] = storage.to_builtins(await storage.save(self))
        if path is not None:
            await asyncio.to_thread(_write_private, path, msgspec.json.encode(state))
        return state

    @time_limited
    async def set_storage_state(
        self, state: Mapping[str, Any] | str | os.PathLike[str], *, timeout: float | None = CALL_S
    ) -> None:
        """Replace all cookies, and the localStorage of each origin that the state names.

        `state` is what `storage_state` returns, or the path of its JSON. Nothing of the sites is loaded or run.
        Raises OptionInvalid, and CommandError for an origin that the browser does not let be shown.
        """
        parsed = read_state(state)
        await self.clear_cookies()
        await storage.restore(self, parsed)


def _family(session: CDPSession) -> Iterator[CDPSession]:
    yield session
    for child in session.children:
        yield from _family(child)


def _write_private(path: str | os.PathLike[str], content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
