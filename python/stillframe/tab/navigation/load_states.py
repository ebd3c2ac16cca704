"""Wait until a frame shows a URL, or until its document has loaded.

The document itself says how far it has come; events of the browser only say when to ask again. So nothing has to listen
before somebody waits, and it does not matter what happened meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, get_args

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import (
    CommandTimeout,
    ContextLost,
    ElementNotFound,
    OptionInvalid,
    SessionLost,
    StillframeError,
    WaitTimeout,
)
from stillframe.model.suggest import did_you_mean

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frame_tree import FrameNews
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

LoadState = Literal["commit", "domcontentloaded", "load"]
LOAD_STATES: tuple[str, ...] = get_args(LoadState)

REACHED = {
    "domcontentloaded": "document.readyState === 'complete' || performance.timing.domContentLoadedEventEnd > 0",
    "load": "document.readyState === 'complete'",
}
"""Whether a document has come so far. The state `interactive` begins before deferred scripts run."""

KEPT = 5
"""URLs and values that the message of a time-out lists, the last ones."""

IDLE = "networkidle"


def known_state(state: str, option: str = "state") -> LoadState:
    """Return a state of loading; raises OptionInvalid for an unknown one, with what to do in place of `networkidle`."""
    for known in get_args(LoadState):
        if state == known:
            found: LoadState = known
            return found
    if state == IDLE:
        raise OptionInvalid(
            f"option {option}: there is no {IDLE!r}: await page.settle(), which returns when everything that the page "
            "has begun is done, or pass settle=True to goto",
            option=option,
        )
    hint = did_you_mean(state, LOAD_STATES) if isinstance(state, str) else ""
    raise OptionInvalid(f"option {option}: no state {state!r}{hint}; known: {', '.join(LOAD_STATES)}", option=option)


async def until_loaded(tab: Tab, frame_id: str, state: LoadState, deadline: Deadline) -> None:
    """Wait until the document of a frame has reached a state; if another one replaces it, until that one has.

    Raises WaitTimeout, ElementNotFound for a frame that leaves the page, SessionLost.
    """
    if state == "commit":
        return
    try:
        with _changes(tab, frame_id) as changed:
            while True:
                changed.clear()
                frame = _frame(tab, frame_id)
                # The session may be another one than a moment ago: a document can come in another process.
                remove = frame.session.on(cdp_page.LifecycleEvent, lambda event: _note(event, frame_id, changed))
                try:
                    if await _has_reached(frame, REACHED[state], deadline):
                        return
                    async with time_limit(deadline.left_s):
                        await changed.wait()
                finally:
                    remove()
    except StillframeError:
        raise
    except TimeoutError:
        url = tab.frames.by_id[frame_id].url if frame_id in tab.frames.by_id else tab.url
        raise WaitTimeout(f"{url} did not reach the state {state!r} within {deadline.shown}") from None


async def until_url(tab: Tab, frame_id: str, matches: Callable[[str], object], what: str, deadline: Deadline) -> None:
    """Wait until the URL of a frame matches; raises as `until_loaded` does."""
    shown: list[str] = []
    try:
        with _changes(tab, frame_id) as changed:
            while not matches(url := _frame(tab, frame_id).url):
                shown = [*shown[-KEPT:], url]
                changed.clear()
                async with time_limit(deadline.left_s):
                    await changed.wait()
    except StillframeError:
        raise
    except TimeoutError:
        passed = f", after {', '.join(shown[:-1])}" if len(shown) > 1 else ""
        raise WaitTimeout(
            f"no URL matched {what} within {deadline.shown}; "
            f"{'the page' if frame_id == tab.target_id else 'the frame'} is at {shown[-1]}{passed}"
        ) from None


def _frame(tab: Tab, frame_id: str) -> Frame:
    """Return a frame that is on the page; raises SessionLost, ElementNotFound."""
    if tab.session.error is not None:
        raise tab.session.error
    frame = tab.frames.by_id.get(frame_id)
    if frame is None:
        raise ElementNotFound("the frame has left the page; take another one from page.frames", selector="")
    return frame


async def _has_reached(frame: Frame, expression: str, deadline: Deadline) -> bool:
    try:
        return await frame.evaluate(expression, timeout=deadline.left_s) is True
    except ContextLost:
        return False  # the news of the next document is on its way, or here
    except CommandTimeout:
        raise TimeoutError from None


def _note(event: cdp_page.LifecycleEvent, frame_id: str, changed: asyncio.Event) -> None:
    if event.frame_id == frame_id:
        changed.set()


@contextmanager
def _changes(tab: Tab, frame_id: str) -> Iterator[asyncio.Event]:
    """Give an event that is set when the frame has another URL or another document, or is gone."""
    changed = asyncio.Event()

    def news(_: FrameNews, frame: Frame) -> None:
        if frame.id == frame_id:
            changed.set()

    def lost(_: SessionLost) -> None:
        changed.set()

    removers = [tab.frames.watch(news), tab.session.on_closed(lost)]
    try:
        yield changed
    finally:
        for remove in removers:
            remove()
