"""Tabs that pages open: whose they are, and what their opener reports of them.

Chrome names the opener of a tab that a script or a link with a target opened. It names none for a Ctrl-, Shift- or
middle click: then only the page says that it asked for a tab, and a tab without an opener comes in the same context.
Both come at about the same time, in either order.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import NamedTuple

from stillframe.cdp import CDPSession
from stillframe.cdp_types import page as cdp_page
from stillframe.engine.settle import settle
from stillframe.model.result import NewTarget
from stillframe.settling.opened_tabs import Way
from stillframe.settling.settler import Settler
from stillframe.tab.context import ContextState
from stillframe.tab.frames import Frame
from stillframe.tab.loading import NEW_TAB
from stillframe.tab.tab import Tab

BLANK = "about:blank"
"""What a new tab shows until it has come to where it was sent."""

NO_URLS = (BLANK, "chrome-error:")
"""What frames show that have not come, or could not come, to where they were sent."""

SOON_S = 1.0
"""Seconds between the wish for a tab and the tab: the settling waits as long for one that a script opens."""


class Wish(NamedTuple):
    """A page asked for a tab."""

    settler: Settler
    url: str
    at: float


class Orphan(NamedTuple):
    """A tab opened that no call awaits."""

    settler: Settler
    url: str
    at: float


class Openers:
    """Brings the tabs whose opener Chrome does not name together with the pages that asked for them."""

    def __init__(self) -> None:
        self._wishes: list[Wish] = []
        self._orphans: list[Orphan] = []

    def watch(self, session: CDPSession, settler: Settler) -> None:
        """Listen to a session of a page for the tabs that it asks for."""
        session.on(cdp_page.FrameRequestedNavigation, lambda event: self._requested(settler, event))

    def wished(self, url: str, context: ContextState) -> bool:
        """Whether a page of that context asked, a moment ago, for a tab that may be this one."""
        return self._wish(url, context) is not None

    def adopted(self, settler: Settler, url: str) -> None:
        """Give a tab without an opener to the page that asked for it, if one did; else it may still do so."""
        wish = self._wish(url, settler.tab.context)
        if wish is None:
            self._orphans.append(Orphan(settler, url, _now()))
            return
        self._wishes.remove(wish)
        opened(wish.settler, settler, wish.url)
        wish.settler.tabs.came(wish.url)

    def _requested(self, settler: Settler, event: cdp_page.FrameRequestedNavigation) -> None:
        if event.disposition not in NEW_TAB:
            return
        orphan = self._orphan(event.url, settler.tab.context)
        if orphan is not None:
            self._orphans.remove(orphan)
            opened(settler, orphan.settler, event.url)
            return
        self._wishes.append(Wish(settler, event.url, _now()))
        settler.tabs.asked(event.url)

    def _wish(self, url: str, context: ContextState) -> Wish | None:
        self._wishes = [wish for wish in self._wishes if _fresh(wish)]
        fitting = (wish for wish in self._wishes if wish.settler.tab.context is context and url in ("", wish.url))
        return next(fitting, None)

    def _orphan(self, url: str, context: ContextState) -> Orphan | None:
        self._orphans = [orphan for orphan in self._orphans if _fresh(orphan)]
        fitting = (o for o in self._orphans if o.settler.tab.context is context and o.url in ("", url))
        return next(fitting, None)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _fresh(one: Wish | Orphan) -> bool:
    return not one.settler.tab.closed and _now() - one.at <= SOON_S


def opened(opener: Settler, popup: Settler, url: str) -> None:
    """Take note that one page has opened another one."""
    popup.tab.opener = opener.tab
    opener.tab.drawing.alone = False  # most popups are tabs beside their opener
    popup.tab.clock.share(opener.tab.clock)
    _announce(opener.tab, popup.tab, url)

    async def still(way: Way, timeout_ms: int) -> None:
        await settle(popup, {"settle": way, "timeout_ms": timeout_ms})

    opener.tabs.opened(popup.tab, still)


def _announce(opener: Tab, popup: Tab, url: str) -> None:
    """Tell who opened a tab: once as it opens, and again when it is known where to and where it came out."""

    def tell(url: str, *, update: bool = True) -> None:
        report = NewTarget(target_id=popup.target_id, type="page", url=url or BLANK)
        opener.recorder.add(report, popup.target_id, update=update)

    def started(event: cdp_page.FrameStartedNavigating) -> None:
        if event.frame_id == popup.target_id and event.url != BLANK:
            tell(event.url)

    def arrived(event: cdp_page.FrameNavigated) -> None:
        url = event.frame.unreachable_url or event.frame.url
        if event.frame.id == popup.target_id and url != BLANK:
            heard.close()
            tell(url)

    def shown(frame: Frame) -> None:
        # Of a tab that was there before we could listen, only the reply to our question tells.
        if frame.is_main and frame.url and not frame.url.startswith(NO_URLS):
            heard.close()
            tell(frame.url)

    tell(url, update=False)
    heard = ExitStack()
    heard.callback(popup.session.on(cdp_page.FrameStartedNavigating, started))
    heard.callback(popup.session.on(cdp_page.FrameNavigated, arrived))
    heard.callback(popup.frames.on_document(shown))
