"""Wait for a selector's state, a text or a URL; a wait that times out raises WaitTimeout."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import (
    CdpError,
    ContextLost,
    ElementDetached,
    ElementNotFound,
    RefStale,
    SessionLost,
    WaitTimeout,
)
from stillframe.injected import elements
from stillframe.tab.locating import selectors
from stillframe.tab.locating.closed_roots import adopt_closed_roots
from stillframe.tab.locating.locate import ANSWER_MARGIN, Search
from stillframe.tab.locating.query import Query, Report
from stillframe.tab.locating.quoting import collapse

if TYPE_CHECKING:
    from stillframe.model.actions import WaitFor
    from stillframe.model.options import Expect
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

SLICE_S = 1.0
"""Seconds between two searches for closed shadow roots while an element has not appeared."""


def check(condition: Expect | None) -> None:
    """Reject an invalid selector before the wait begins; raises SelectorInvalid."""
    if condition is not None and condition.selector is not None:
        selectors.parse(condition.selector)


async def wait_for(tab: Tab, condition: WaitFor | Expect, deadline: Deadline, *, state: str) -> None:
    """Wait for the selector, text or url that is set; raises the errors of the functions below."""
    if condition.selector is not None:
        await wait_selector(tab, condition.selector, state, deadline)
    elif condition.text is not None:
        await wait_text(tab, condition.text, deadline)
    elif condition.url is not None:
        await wait_url(tab, condition.url, deadline)


async def wait_selector(tab: Tab, selector: str, state: str, deadline: Deadline) -> None:
    """Wait until a selector is visible, hidden (or gone), attached or detached; one of several matches is enough.

    Raises WaitTimeout, SelectorInvalid, ElementNotFound (the frame has left the page).
    """
    search = Search(tab, selector, deadline)
    gone = state in ("hidden", "detached")
    search.heal = not gone
    while True:
        try:
            report = await _check_state(search, state)
        except ElementNotFound:  # of a frame or a ref before the target
            if search.frame_is_gone and not gone:
                raise
            report = Report() if gone else Report(fault="state")
        except (ElementDetached, RefStale):
            if not gone:
                raise
            report = Report()
        except (ContextLost, SessionLost):
            if tab.session.error is not None:
                raise
            report = Report(fault="state")
        if not report.fault:
            return
        if report.fault == "syntax":
            raise search.syntax(report)
        if not deadline.left_s:
            seen = f"; matches now: {', '.join(report.matches)}" if report.matches else "; nothing matches"
            raise WaitTimeout(f"{search.shown} did not become {state} within {deadline.shown}{seen}", selector=selector)
        await asyncio.sleep(0)


async def _check_state(search: Search, state: str) -> Report:
    frame = await search.enter()
    if isinstance(search.selector.target, selectors.Ref):
        _, report = await search.prepare({"any": ["rendered"] if state == "visible" else []})
        return report if state in ("visible", "attached") else Report(fault="state")
    frame, query = await search.query(frame, search.selector.chain)
    assert isinstance(query, Query)
    report = await _wait(frame, query, state, search.deadline.within(SLICE_S))
    if report.fault == "state" and state in ("visible", "attached") and await adopt_closed_roots(search.tab, frame):
        report = await _wait(frame, query, state, search.deadline.within(0))
    return report


async def _wait(frame: Frame, query: Query, state: str, deadline: Deadline) -> Report:
    left_s = deadline.left_s
    answer = await query.call(frame, elements.wait_for(state, left_s * 1000), timeout=left_s + ANSWER_MARGIN)
    return msgspec.convert(answer, Report)


async def wait_text(tab: Tab, text: str, deadline: Deadline) -> None:
    """Wait until a text is visible on the page, in any frame; ignores case. Raises WaitTimeout."""
    query = Query([msgspec.to_builtins(selectors.Text(collapse(text), exact=False))])
    while not await _any_shows(tab, query, deadline.within(SLICE_S)):
        if not deadline.left_s:
            raise WaitTimeout(f"the text {text!r} did not appear on the page within {deadline.shown}")


async def _any_shows(tab: Tab, query: Query, deadline: Deadline) -> bool:
    checks = [asyncio.ensure_future(_shows(tab, frame, query, deadline)) for frame in tab.frames]
    try:
        for check_task in asyncio.as_completed(checks):
            if await check_task:
                return True
        return False
    finally:
        for other in checks:
            other.cancel()
        await asyncio.gather(*checks, return_exceptions=True)


async def _shows(tab: Tab, frame: Frame, query: Query, deadline: Deadline) -> bool:
    try:
        return not (await _wait(frame, query, "visible", deadline)).fault
    except (CdpError, SessionLost):
        if tab.session.error is not None:
            raise
        return False


async def wait_url(tab: Tab, part: str, deadline: Deadline) -> None:
    """Wait until the page's URL contains a part; raises WaitTimeout."""
    with tab.session.subscribe(cdp_page.FrameNavigated, cdp_page.NavigatedWithinDocument) as events:
        try:
            async with time_limit(deadline.left_s):
                while part not in tab.url:
                    await events.get()
        except TimeoutError:
            raise WaitTimeout(f"the URL did not contain {part!r} within {deadline.shown}; it is {tab.url}") from None
