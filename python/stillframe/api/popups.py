"""Popups: which page opened which tab, and how the opener reports it.

Chrome names the opener of a tab if a script or a link with a target opened it. For a Ctrl-, Shift- or middle click it
names none: the page announces that it requests a tab, and a tab without an opener appears in the same context. The two
events come at about the same time, in either order.

Nothing announces the WebView that an app makes when a page opens a window: it is found some time later in the list of
pages. So there settling waits for it from the page's own announcement on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

from stillframe.cdp import CDPSession
from stillframe.cdp_types import page as cdp_page
from stillframe.engine.settle import settle
from stillframe.errors import CommandError
from stillframe.model.events import NewTarget, RefusedUrl
from stillframe.settling import signals
from stillframe.settling.opened_tabs import SettleMode
from stillframe.settling.settler import Settler
from stillframe.tab.context.context import ContextState
from stillframe.tab.frames import Frame
from stillframe.tab.navigation.loading import NEW_TAB
from stillframe.tab.tab import Tab

BLANK = "about:blank"
"""The URL of a new tab until its first navigation commits."""

NO_URLS = (BLANK, "chrome-error:")
"""The beginnings of URLs of frames whose navigation has not committed, or has failed."""

BLOCKER = "Chrome's popup blocker: no person's gesture"
BLOCKED_S = 1.0
"""Seconds for a page to answer after it announced a window; it takes a millisecond."""

SOON_S = 15.0
"""Seconds between the request for a tab and the tab, at most: 0.1 on an idle machine, up to 3 where 15 busy processes
share two cores (measured). What is remembered for longer than that belongs to a tab that the browser has refused."""


class Wish(NamedTuple):
    """A page requested a tab."""

    settler: Settler
    url: str
    at: float


class Waiting:
    """A window that a page has announced, and that the browser has not listed yet."""


class AnnouncedWindows:
    """Pairs the windows that pages announce with the tabs that the browser lists; the two come in either order."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[Waiting]] = {}
        self._early: dict[str, list[float]] = {}

    def announced(self, opener: str) -> Waiting | None:
        """Note that a page announces a window; returns None if its tab is there already."""
        early = [at for at in self._early.pop(opener, []) if _now() - at <= BLOCKED_S]
        if early:
            self._early[opener] = early[1:]
            return None
        waiting = Waiting()
        self._waiting.setdefault(opener, []).append(waiting)
        return waiting

    def opened(self, opener: str) -> None:
        """Note that the browser has listed a tab of a page."""
        if waiting := self._waiting.get(opener):
            del waiting[0]
        else:
            self._early.setdefault(opener, []).append(_now())

    def is_missing(self, opener: str, waiting: Waiting) -> bool:
        """Return whether no tab has come for a window, and forget the window."""
        missing = waiting in self._waiting.get(opener, [])
        if missing:
            self._waiting[opener].remove(waiting)
        return missing


class Orphan(NamedTuple):
    """A tab opened, and Chrome named no opener."""

    settler: Settler
    url: str
    at: float


class Openers:
    """Matches tabs to the pages that requested a tab.

    `announced` says whether the browser announces each tab as soon as it exists.
    """

    def __init__(self, *, announced: bool = True) -> None:
        self._announced = announced
        self._wishes: list[Wish] = []
        self._orphans: list[Orphan] = []
        self._windows = AnnouncedWindows()

    def watch(self, session: CDPSession, settler: Settler) -> None:
        """Listen to a session of a page for its requests of tabs."""
        session.on(cdp_page.FrameRequestedNavigation, lambda event: self._requested(settler, event))
        if not self._announced:
            session.on(cdp_page.WindowOpen, lambda event: self._wish_for(settler, event.url))
            return

        def opens(event: cdp_page.WindowOpen) -> None:
            waiting = self._windows.announced(settler.tab.target_id)
            if waiting is not None and not event.user_gesture:
                work = self._find_blocked(session, settler, event.url, waiting)
                settler.tab.context.background.start(work, "search for a blocked popup")

        session.on(cdp_page.WindowOpen, opens)

    def listed(self, opener_id: str | None) -> None:
        """Note that the browser has listed a tab, and which one it names as its opener."""
        if opener_id is not None:
            self._windows.opened(opener_id)

    async def _find_blocked(self, session: CDPSession, settler: Settler, url: str, waiting: Waiting) -> None:
        """Report a popup that the browser refused: it makes a window before the script that opens it goes on."""
        settler.tabs.requested(url)
        try:
            await session.drain_events(timeout=BLOCKED_S)
            if self._windows.is_missing(settler.tab.target_id, waiting):
                settler.emit(signals.NewTargetRefused(url))
                settler.tab.recorder.add(RefusedUrl(url=url, rule=BLOCKER, kind="popup"))
        except CommandError:
            return  # the page has gone, or hangs
        finally:
            settler.tabs.arrived(url)

    def opened(self, opener: Settler, settler: Settler, url: str) -> None:
        """Note that one page has opened another, and Chrome named the opener."""
        _link(opener, settler, url)
        if not self._announced:
            self._grant(self._first(lambda wish: wish.settler is opener))

    def wished(self, url: str, context: ContextState) -> Settler | None:
        """Return the page of that context that requested, a moment ago, a tab that may be this one."""
        wish = self._wish(url, context)
        return None if wish is None else wish.settler

    def adopted(self, settler: Settler, url: str) -> None:
        """Match a tab without an opener to the page that requested it, or keep it for a later request."""
        wish = self._wish(url, settler.tab.context)
        if wish is None:
            self._orphans = [*filter(_fresh, self._orphans), Orphan(settler, url, _now())]
            return
        _link(wish.settler, settler, wish.url)
        self._grant(wish)

    def made_by_call(self, settler: Settler) -> None:
        """Note that a call of ours has opened a tab: no page has requested it."""
        self._orphans = [orphan for orphan in self._orphans if orphan.settler is not settler]

    def _requested(self, settler: Settler, event: cdp_page.FrameRequestedNavigation) -> None:
        if event.disposition not in NEW_TAB:
            return
        orphan = self._orphan(event.url, settler.tab.context)
        if orphan is not None:
            self._orphans.remove(orphan)
            _link(settler, orphan.settler, event.url)
            return
        self._wish_for(settler, event.url)

    def _wish_for(self, settler: Settler, url: str) -> None:
        self._wishes = [*filter(_fresh, self._wishes), Wish(settler, url, _now())]
        settler.tabs.requested(url)

    def _grant(self, wish: Wish | None) -> None:
        if wish is not None:
            self._wishes.remove(wish)
            wish.settler.tabs.arrived(wish.url)

    def _wish(self, url: str, context: ContextState) -> Wish | None:
        return self._first(lambda wish: wish.settler.tab.context is context and url in ("", wish.url))

    def _first(self, fits: Callable[[Wish], bool]) -> Wish | None:
        return next((wish for wish in self._wishes if _fresh(wish) and fits(wish)), None)

    def _orphan(self, url: str, context: ContextState) -> Orphan | None:
        fresh = filter(_fresh, self._orphans)
        return next((o for o in fresh if o.settler.tab.context is context and o.url in ("", url)), None)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _fresh(one: Wish | Orphan) -> bool:
    return not one.settler.tab.closed and _now() - one.at <= SOON_S


def _link(opener: Settler, popup: Settler, url: str) -> None:
    """Note that one page has opened another."""
    popup.tab.opener = opener.tab
    popup.tab.dialogs.opener = opener.tab.dialogs
    opener.tab.drawing.alone = False  # most popups are tabs beside their opener
    popup.tab.clock.share(opener.tab.clock)
    _announce(opener.tab, popup.tab, url)

    async def still(way: SettleMode, timeout_ms: int) -> None:
        await settle(popup, {"settle": way, "timeout_ms": timeout_ms})

    opener.tabs.opened(popup.tab, still)


def _announce(opener: Tab, popup: Tab, url: str) -> None:
    """Report a popup to its opener: when it opens, when its navigation starts, and when it commits."""
    shown_url = url

    def tell(url: str, *, update: bool = True, closed: bool = False) -> None:
        nonlocal shown_url
        shown_url = url or BLANK
        report = NewTarget(target_id=popup.target_id, type="page", url=shown_url, closed=closed)
        opener.recorder.add(report, popup.target_id, update=update)
        through = opener
        while (further := through.opener) is not None:
            further.recorder.add_further(report, popup.target_id, through.target_id)
            through = further

    def started(event: cdp_page.FrameStartedNavigating) -> None:
        if event.frame_id == popup.target_id and event.url != BLANK:
            tell(event.url)

    def arrived(event: cdp_page.FrameNavigated) -> None:
        url = event.frame.unreachable_url or event.frame.url
        if event.frame.id == popup.target_id and url != BLANK:
            heard.close()
            tell(url)

    def shown(frame: Frame) -> None:
        # A tab that had committed before we listened shows it in the reply about its frames only.
        if frame.is_main and frame.url and not frame.url.startswith(NO_URLS):
            heard.close()
            tell(frame.url)

    tell(url, update=False)
    heard = ExitStack()
    heard.callback(popup.session.on(cdp_page.FrameStartedNavigating, started))
    heard.callback(popup.session.on(cdp_page.FrameNavigated, arrived))
    heard.callback(popup.frames.on_document(shown))
    popup.session.on_closed(lambda _: tell(shown_url, closed=True))
