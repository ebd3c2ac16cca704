"""Tell whether a page still looks as captured: its version is equal only if nothing has changed in between.

A page version consists of counters that the parts of the page keep anyway and that only grow:

- the frame tree: which documents, by their loaders and contexts; caller scripts; signals that settling has seen
- the observer in each document: mutation records, states of controls, roots, scrolling, the URL
  (observer/page_version.js)
- Chrome, for each process: layouts, style recalculations, script time, listeners (Performance.getMetrics)

Chrome answers getMetrics out of order, so it is sent after the documents have answered, which brings styles and layout
up to date. All counters are read *before* the capture they belong to: a change between the two makes the next version
differ. This takes two round trips; none where it is known that a capture follows. Only the walk over the elements that
finds shadow roots depends on the page's size.

A page has no version, and is always captured, where something could change unnoticed: while an animation runs, while a
document has no observer yet, when a frame does not answer, and when only the protocol is observed. Unnoticed are raw
commands of the caller to a session that only add or remove listeners, and a script that does just that in a promise
reaction, unless the promise was one for the network: `removeEventListener` leaves no trace at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import msgspec

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import performance, runtime
from stillframe.errors import CommandError

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.model.options import Observe
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.frames import Frame

SECONDS = 1.0
"""Seconds for a page to answer; one that takes longer is busy, and its content is changing."""
COUNTERS = frozenset({"LayoutCount", "RecalcStyleCount", "ScriptDuration", "JSEventListeners"})
"""Chrome's metrics that reveal a change. The listener count is per process and falls on garbage collection: that costs
one unnecessary capture."""
READ_VERSION = "__sfSettle.pageVersion()"

Counters = tuple[float, ...]


class PageVersion(msgspec.Struct, frozen=True):
    """Counters read before a capture; equal versions mean equal captures."""

    place: tuple[Any, ...]
    """The part known without asking the page: documents, signals, caller scripts."""
    documents: tuple[int, ...]
    processes: tuple[Counters, ...]


class Observation:
    """How closely a tab is observed, and how many signals it has sent; the observer keeps it up to date."""

    def __init__(self, observe: Observe) -> None:
        self.observe: Observe = observe
        self.signals = 0
        """How many signals about the page have arrived, and how many fences have run scripts in it."""


class PageVersions:
    """Reads the versions of one page."""

    def __init__(self, frames: FrameTree, observation: Observation) -> None:
        self._frames = frames
        self._observation = observation
        self._counting: WeakSet[CDPSession] = WeakSet()

    async def read(self, seconds: float = SECONDS) -> PageVersion | None:
        """Return the page's current version, or None if it has none or does not answer within `seconds`.

        It takes two sequential round trips.
        """
        if self._observation.observe == "protocol":
            return None
        try:
            async with time_limit(seconds):
                return await self._read()
        except (CommandError, TimeoutError):
            # A document that is being replaced, or a busy page: its content is about to change.
            return None

    async def _read(self) -> PageVersion | None:
        self._count()
        sessions = self._frames.sessions
        # Everything is sent before anything is awaited, so the caller's next commands come after it.
        documents = [_send(frame) for frame in self._frames]
        counted = await _counted(documents)
        # Only now: Chrome answers this out of order, and it counts our call and pending rendering.
        processes = await _metrics(sessions)
        changes = tuple(each for each in counted if each is not None)
        return PageVersion(self._place(), changes, processes) if len(changes) == len(counted) else None

    def _place(self) -> tuple[Any, ...]:
        frames = self._frames
        documents = tuple((frame.id, frame.loader_id, frame.url, frame.session.session_id) for frame in frames)
        return (documents, frames.scripts.caller_scripts, self._observation.signals)

    def _count(self) -> None:
        """Enable the metrics in processes where they are not enabled yet; awaits nothing."""
        for session in self._frames.sessions:
            if session not in self._counting:
                self._counting.add(session)
                session.post(performance.Enable())


Answer = asyncio.Future[runtime.EvaluateResult]


def _send(frame: Frame) -> Answer | None:
    context = frame.world().context_id
    if context is None:
        return None
    command = runtime.Evaluate(expression=READ_VERSION, context_id=context, return_by_value=True, silent=True)
    return frame.session.post(command)


async def _counted(documents: Iterable[Answer | None]) -> list[int | None]:
    """Return the counter of each document; None where there is no observer or an animation runs."""
    counted: list[int | None] = []
    for document in documents:
        value = None if document is None else (await document).result.value
        counted.append(value if isinstance(value, int) else None)
    return counted


async def _metrics(sessions: Iterable[CDPSession]) -> tuple[Counters, ...]:
    answers = await asyncio.gather(*(session.send(performance.GetMetrics()) for session in sessions))
    return tuple(tuple(metric.value for metric in each.metrics if metric.name in COUNTERS) for each in answers)
