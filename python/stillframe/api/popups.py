"""Tabs that pages open: whose they are, and what their opener tells of them.

Chrome names the opener of a tab that a script or a link with a target opened. It names none for a Ctrl-, Shift- or
middle click: then only the page says that it asked for a tab, and a tab without an opener comes in the same context.
Both are told at about the same time, in either order.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from stillframe.cdp import Session
from stillframe.cdp.looptime import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import WaitTimeout
from stillframe.model.events import NewTarget
from stillframe.settling.events import NEW_TAB
from stillframe.tab.recorder import PageEvent

if TYPE_CHECKING:
    from stillframe.api.context import BrowserContext
    from stillframe.api.page import Page
    from stillframe.tab.frames import Frame

BLANK = "about:blank"
"""What a new tab shows until it has come to where it was sent."""

NO_URLS = (BLANK, "chrome-error:")
"""What frames show that have not come, or could not come, to where they were sent."""

SOON_S = 1.0
"""Seconds between the wish for a tab and the tab: the settling waits as long for one that a script opens."""


class Wish(NamedTuple):
    """A page asked for a tab."""

    page: Page
    url: str
    at: float


class Orphan(NamedTuple):
    """A tab opened that no call awaits."""

    page: Page
    url: str
    at: float


class Openers:
    """Brings the tabs whose opener Chrome does not name together with the pages that asked for them."""

    def __init__(self) -> None:
        self._wishes: list[Wish] = []
        self._orphans: list[Orphan] = []

    def watch(self, session: Session, page: Page) -> None:
        """Listen to a session of a page for the tabs that it asks for."""
        session.on(cdp_page.FrameRequestedNavigation, lambda event: self._requested(page, event))

    def wished(self, url: str, context: BrowserContext) -> bool:
        """Whether a page of that context asked, a moment ago, for a tab that may be this one."""
        return self._wish(url, context) is not None

    def adopted(self, page: Page, url: str) -> None:
        """Give a tab without an opener to the page that asked for it, if one did; else it may still do so."""
        wish = self._wish(url, page.context)
        if wish is None:
            self._orphans.append(Orphan(page, url, _now()))
            return
        self._wishes.remove(wish)
        opened(wish.page, page, wish.url)
        wish.page.settling.tabs.came(wish.url)

    def _requested(self, page: Page, event: cdp_page.FrameRequestedNavigation) -> None:
        if event.disposition not in NEW_TAB:
            return
        orphan = self._orphan(event.url, page)
        if orphan is not None:
            self._orphans.remove(orphan)
            opened(page, orphan.page, event.url)
            return
        self._wishes.append(Wish(page, event.url, _now()))
        page.settling.tabs.asked(event.url)

    def _wish(self, url: str, context: BrowserContext) -> Wish | None:
        self._wishes = [wish for wish in self._wishes if _fresh(wish)]
        fitting = (wish for wish in self._wishes if wish.page.context is context and url in ("", wish.url))
        return next(fitting, None)

    def _orphan(self, url: str, page: Page) -> Orphan | None:
        self._orphans = [orphan for orphan in self._orphans if _fresh(orphan)]
        fitting = (o for o in self._orphans if o.page.context is page.context and o.url in ("", url))
        return next(fitting, None)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _fresh(one: Wish | Orphan) -> bool:
    return not one.page.closed and _now() - one.at <= SOON_S


def opened(opener: Page, page: Page, url: str) -> None:
    """Take note that one page has opened another one."""
    page.opener = opener
    opener.drawing.alone = False  # most popups are tabs beside their opener
    page.settling.time.share(opener.settling.time)
    _announce(opener, page, url)
    opener.settling.tabs.opened(page)


@asynccontextmanager
async def expect_popup(opener: Page, timeout: float) -> AsyncIterator[asyncio.Future[Page]]:
    """Give a future of the first tab that a page opens from now on; see `Page.expect_popup`."""
    popup: asyncio.Future[Page] = asyncio.get_running_loop().create_future()
    known = {page.target_id for page in opener.popups}

    def heard(event: PageEvent) -> None:
        if isinstance(event, NewTarget) and event.target_id not in known and not popup.done():
            popup.set_result(opener.browser.find(event.target_id))

    remove = opener.journal.listen(heard)
    try:
        yield popup
        async with time_limit(timeout):
            await (await popup).ready()
    except TimeoutError:
        raise WaitTimeout(f"the page opened no tab within {timeout:g} s; it is at {opener.url}") from None
    finally:
        remove()
        popup.cancel()


def _announce(opener: Page, page: Page, url: str) -> None:
    """Tell who opened a tab: once as it opens, and again when it is known where to and where it came out."""

    def tell(url: str, *, update: bool = True) -> None:
        report = NewTarget(target_id=page.target_id, type="page", url=url or BLANK)
        opener.journal.add(report, page.target_id, update=update)

    def started(event: cdp_page.FrameStartedNavigating) -> None:
        if event.frame_id == page.target_id and event.url != BLANK:
            tell(event.url)

    def arrived(event: cdp_page.FrameNavigated) -> None:
        url = event.frame.unreachable_url or event.frame.url
        if event.frame.id == page.target_id and url != BLANK:
            heard.close()
            tell(url)

    def shown(frame: Frame) -> None:
        # Of a tab that was there before we could listen, only the reply to our question tells.
        if frame.is_main and frame.url and not frame.url.startswith(NO_URLS):
            heard.close()
            tell(frame.url)

    tell(url, update=False)
    heard = ExitStack()
    heard.callback(page.session.on(cdp_page.FrameStartedNavigating, started))
    heard.callback(page.session.on(cdp_page.FrameNavigated, arrived))
    heard.callback(page.frames.on_document(shown))
