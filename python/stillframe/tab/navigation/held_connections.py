"""Free the connections that a navigation waits for, if the page that it leaves holds them.

Chrome opens six connections to a host over HTTP/1.1, and requests the next document before it leaves the old one. Where
requests of the old one hold all six (long polls, pictures that do not come), the navigation waits for as long as they
do. To stop loading ends them, and the navigation as well, which then is sent again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import sleep
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError
from stillframe.security.redaction import logger
from stillframe.tab.background import beside

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.navigation.loading import Loading
    from stillframe.tab.tab import Tab

SENDS = "Network.requestWillBeSentExtraInfo"
"""The event that Chrome reports once a request has a connection."""

LOOK_S, LOOK_SHARE = 1.0, 0.15
"""Seconds, and the share of a navigation's time limit, between two looks that find its request without a connection: to
a server that takes it, a request has one after some round trips."""
STOP_S = 1.0
"""Seconds for the browser to stop loading; it takes a millisecond."""

log = logger("stillframe.tab")


class Held:
    """A navigation whose request may be held back."""

    def __init__(self) -> None:
        self.stopped = False
        """Whether it was stopped, with all that the page loads, and must be sent again."""


@asynccontextmanager
async def connections_freed(tab: Tab, loading: Loading, held: Held, deadline: Deadline) -> AsyncIterator[None]:
    """Stop loading, once, if the request of a navigation is held back inside the block until `deadline`."""
    if held.stopped or tab.is_blank or not tab.context.capabilities.has(SENDS):
        yield
        return
    async with beside(_free(tab, loading, held, min(LOOK_S, LOOK_SHARE * deadline.left_s))):
        yield


async def _free(tab: Tab, loading: Loading, held: Held, interval_s: float) -> None:
    seen = None
    while True:
        # A handler of a route holds a request back for as long as it likes.
        waiting = None if tab.context.background.is_running else loading.unsent
        if waiting is not None and waiting == seen:
            # Its answer comes after all that Chrome has reported until now, which a busy program may not have read.
            with suppress(CommandError):
                await tab.session.send(cdp_page.GetNavigationHistory(), timeout=STOP_S)
            if loading.unsent == seen:
                break
        seen = waiting
        await sleep(interval_s)
    log.warning("a navigation gets no connection to its server: what the page loads is stopped")
    held.stopped = True
    with suppress(CommandError):
        await tab.session.send(cdp_page.StopLoading(), timeout=STOP_S)
