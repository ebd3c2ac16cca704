"""Whether a page still shows what was captured: a mark that is the same only if nothing has changed in between.

A mark is made of what each part of the page counts by itself and for good:

- the tree of frames: which documents, by their loaders and contexts; scripts of the caller; signals that settling heard
- the observer in each document: mutation records, states of controls, roots, scrolling, the URL (settle/mark.js)
- Chrome, for each process: layouts, style recalculations, the time scripts have run, listeners (Performance.getMetrics)

Chrome answers getMetrics out of turn, so it is asked when the documents have answered, which brings styles and layout
up to date. All counters are read *before* the capture they belong to: what happens between the two makes the next mark
another one. Two round trips; none of its own where it is known that a capture follows. Only a walk over the elements in
search of shadow roots depends on the page's size.

A page has no mark, and is captured, where something could change unnoticed: while an animation runs, while a document
has no observer yet, when a frame does not answer, where only the protocol is observed. Not noticed are raw commands of
the caller to a session that only add or remove listeners, and a script that does just that in the reaction to a
promise, unless it was one for the network: `removeEventListener` leaves no trace at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

import msgspec

from stillframe.cdp import CDPSession
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import performance, runtime
from stillframe.errors import CommandError
from stillframe.model.options import Observe
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.frames import Frame

SECONDS = 1.0
"""How long a page may take to answer; one that takes longer is busy, and what it shows is changing."""
COUNTERS = frozenset({"LayoutCount", "RecalcStyleCount", "ScriptDuration", "JSEventListeners"})
"""What Chrome counts that tells of a change. The listeners are those of the process and fall when they are collected:
then the page is captured once more than it had to be."""
MARK = "__sfSettle.pageVersion()"

Counters = tuple[float, ...]


class PageVersion(msgspec.Struct, frozen=True):
    """What was counted before a capture; equal versions mean equal captures."""

    place: tuple[Any, ...]
    """What is known without asking: documents, signals, scripts of the caller."""
    documents: tuple[int, ...]
    processes: tuple[Counters, ...]


class Observation:
    """How closely a tab is observed, and how much has been heard of it; the observer keeps it up to date."""

    def __init__(self, observe: Observe) -> None:
        self.observe: Observe = observe
        self.signals = 0
        """How many signals have come that say something about the page, and how many fences have run scripts in it."""


class PageVersions:
    """Reads the versions of one page."""

    def __init__(self, frames: FrameTree, observation: Observation) -> None:
        self._frames = frames
        self._observation = observation
        self._counting: WeakSet[CDPSession] = WeakSet()

    async def read(self, seconds: float = SECONDS) -> PageVersion | None:
        """Return the mark of the page as it is, or None if it has none, or does not tell within some seconds.

        It costs two round trips, one after the other.
        """
        if self._observation.observe == "protocol":
            return None
        try:
            async with time_limit(seconds):
                return await self._read()
        except (CommandError, TimeoutError):
            # A document on its way out, or a page that is busy: it will not show what it has shown.
            return None

    async def _read(self) -> PageVersion | None:
        self._count()
        sessions = self._frames.sessions
        # All is sent before anything is awaited: what the caller sends next comes after it.
        documents = [_ask(frame) for frame in self._frames]
        counted = await _told(documents)
        # Only now: Chrome answers this out of turn, and it counts our question and what is still to be rendered.
        processes = await _metrics(sessions)
        changes = tuple(each for each in counted if each is not None)
        return PageVersion(self._place(), changes, processes) if len(changes) == len(counted) else None

    def _place(self) -> tuple[Any, ...]:
        frames = self._frames
        documents = tuple((frame.id, frame.loader_id, frame.url, frame.session.session_id) for frame in frames)
        return (documents, frames.scripts.caller_scripts, self._observation.signals)

    def _count(self) -> None:
        """Let Chrome count in the processes where it does not yet; sends and awaits nothing."""
        for session in self._frames.sessions:
            if session not in self._counting:
                self._counting.add(session)
                session.post(performance.Enable())


Answer = asyncio.Future[runtime.EvaluateResult]


def _ask(frame: Frame) -> Answer | None:
    context = frame.world().context_id
    if context is None:
        return None
    command = runtime.Evaluate(expression=MARK, context_id=context, return_by_value=True, silent=True)
    return frame.session.post(command)


async def _told(documents: Iterable[Answer | None]) -> list[int | None]:
    """What each document counts; None where there is no observer, or something moves."""
    counted: list[int | None] = []
    for document in documents:
        value = None if document is None else (await document).result.value
        counted.append(value if isinstance(value, int) else None)
    return counted


async def _metrics(sessions: Iterable[CDPSession]) -> tuple[Counters, ...]:
    answers = await asyncio.gather(*(session.send(performance.GetMetrics()) for session in sessions))
    return tuple(tuple(metric.value for metric in each.metrics if metric.name in COUNTERS) for each in answers)
