"""Make a page that hangs leave its document: before a navigation, because nothing reaches its renderer afterwards.

Chrome holds back all commands to a renderer from the start of a navigation until the new document is there. A renderer
that hangs never lets the new document in, so what frees it must be sent before. A script is terminated; layout, a
synchronous request or a dialog in a loop cannot be, so there the renderer is ended, and the navigation starts another.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import sleep
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CdpError, CommandError, SessionLost
from stillframe.security.redaction import logger
from stillframe.tab.background import beside
from stillframe.tab.deadline import Deadline
from stillframe.tab.evaluation import terminate

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.navigation.loading import Loading
    from stillframe.tab.tab import Tab

ASK_S = 0.25
"""Seconds for a page to answer before what it loads is stopped; an idle page takes less than a millisecond."""
STOPPED_S = 0.75
"""Seconds that it has then: a script may save something that the person has entered, and the machine may be busy."""
TERMINATED_S = 1.0
"""Seconds for a page to answer after its script was terminated: it takes some ms, but the renderer may only be slow."""
NO_ACTIVE_PAGE = "Not attached to an active page"
"""Chrome's message while one document replaces another, for ever if the old one hangs; it then has done nothing."""

UNLOAD_S, HANDLER_S = 1.0, 0.5
"""Seconds for the handlers of `beforeunload`, and for the page to answer then, before they are terminated: Chrome waits
for them without an end."""
SHARE = 0.2
"""Share of a navigation's time limit that each step may take, if the limit is short."""
CRASHED_S, CRASH_SHARE = 12.0, 0.4
"""Seconds, and the share of the time limit, for Chrome to report the end of a renderer. That takes some 0.1 s (Chromium
156), but seconds if the page has left the browser thousands of requests, or if dozens of pages are left at once on a
busy machine."""

log = logger("stillframe.tab")


async def make_leavable(tab: Tab, deadline: Deadline) -> bool:
    """Ask the page for an answer, and free it if it has none; returns False if it still hangs.

    The deadline is that of the navigation that follows.
    """
    session = tab.session
    if session.error is not None or tab.dialogs.awaits_person:
        return True
    step_s, crash_s = SHARE * deadline.left_s, CRASH_SHARE * deadline.left_s
    if await _answers(session, deadline.within(min(ASK_S, step_s))):
        return True
    # An earlier navigation that waits for its server holds the question back as well.
    stopping = session.post(cdp_page.StopLoading(), timeout=ASK_S)
    if await _answers(session, deadline.within(min(STOPPED_S, step_s))):
        return True
    if stopping.done() and _is_stuck(stopping.exception()):
        return False
    if await _terminated(session, deadline.within(min(TERMINATED_S, step_s))):
        return True
    return await _ended(tab, deadline.within(min(CRASHED_S, crash_s)))


def _is_stuck(error: BaseException | None) -> bool:
    """Return whether the next document already waits for the renderer: then nothing reaches that any more."""
    return isinstance(error, CdpError) and error.text == NO_ACTIVE_PAGE


async def _terminated(session: CDPSession, deadline: Deadline) -> bool:
    """Terminate the script that runs."""
    log.warning("the page did not answer before a navigation: its script is terminated")
    terminate(session)
    return await _answers(session, deadline)


@asynccontextmanager
async def handlers_limited(session: CDPSession, loading: Loading) -> AsyncIterator[None]:
    """Terminate, inside the block, a handler of `beforeunload` that does not end."""
    async with beside(_limit_handlers(session, loading)):
        yield


async def _limit_handlers(session: CDPSession, loading: Loading) -> None:
    """Terminate a handler once its page does not answer; one that answers waits for a busy browser."""
    while not loading.begun and session.error is None:
        await sleep(UNLOAD_S)
        if loading.begun or await _answers(session, Deadline(HANDLER_S)):
            continue
        if not loading.begun and session.error is None:
            log.warning("the page did not let a navigation begin: its script is terminated")
            terminate(session)
            return


async def _ended(tab: Tab, deadline: Deadline) -> bool:
    """End the renderer; not on Android, where the app of a WebView may end with it."""
    if tab.context.info.is_android:
        return False
    log.warning("the page did not answer before a navigation, and its script cannot be terminated: its renderer ends")
    return await _ends(tab.session.send(cdp_page.Crash(), timeout=deadline.left_s))


async def _answers(session: CDPSession, deadline: Deadline) -> bool:
    """Return whether the page answers in time; a page without a renderer needs no answer."""
    return await _ends(session.drain_events(timeout=deadline.left_s))


async def _ends(command: Awaitable[object]) -> bool:
    """Return whether a command is answered, or its session ends or crashes, before its time limit."""
    try:
        await command
    except SessionLost:
        return True
    except CommandError:
        return False
    return True
