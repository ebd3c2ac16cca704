"""Tell whether a page still looks as captured: its version is equal only if nothing has changed in between.

A page version consists of counters that the parts of the page keep anyway and that only grow:

- the frame tree: which documents, by their loaders and contexts; caller scripts; signals that settling has seen
- the observer in each document: mutation records, states of controls, roots, scrolling, the URL
  (js/src/observer/page_version.ts)
- Chrome, for each process: layouts, style recalculations, script time, listeners (Performance.getMetrics)

Chrome answers getMetrics out of order, so it is sent after the documents have answered, which brings styles and layout
up to date. All counters are read *before* the capture they belong to: a change between the two makes the next version
differ. This takes two round trips. Only the walk over the elements that finds shadow roots depends on the page's size.

A page has no version, and is always captured, where something could change unnoticed: while an animation runs, while a
document has no observer yet, when a frame does not answer, and when only the protocol is observed. A page whose custom
elements have ElementInternals has another version each time, because reading them counts as script time. Unnoticed are
raw commands of the caller to a session that only add or remove listeners, and a script that does just that in a promise
reaction, unless the promise was one for the network: `removeEventListener` leaves no trace at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

import msgspec

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import performance, runtime
from stillframe.errors import CommandError
from stillframe.injected import observer
from stillframe.tab.internals import NumberedInternals

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.model.options import Observe
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.frames import Frame

SECONDS = 1.0
"""Seconds for a page to answer; one that takes longer is busy, and its content is changing."""
COUNTERS = frozenset({"LayoutCount", "RecalcStyleCount", "ScriptDuration", "JSEventListeners"})
"""Chrome's metrics that reveal a change. The listener count is per process and falls on garbage collection: that costs
one unnecessary capture."""
READ_VERSION = f"[{observer.page_version().expression}, {observer.numbered_internals().expression}]"

Counters = tuple[float, ...]


class PageVersion(msgspec.Struct, frozen=True):
    """Counters read before a capture; equal versions mean equal captures."""

    place: tuple[Any, ...]
    """The part known without asking the page: documents, signals, caller scripts."""
    documents: tuple[int, ...]
    processes: tuple[Counters, ...]


class Reading(NamedTuple):
    """What the documents of a page answered before a capture."""

    version: PageVersion | None = None
    """None if the page has no version or did not answer in time."""
    internals: Mapping[Frame, NumberedInternals] = MappingProxyType({})
    """What the custom elements of each document expose through `ElementInternals`."""


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

    async def read(self, deadline: Deadline) -> Reading:
        """Return the page's current version, and what its custom elements expose; nothing after the deadline.

        It takes two sequential round trips.
        """
        if self._observation.observe == "protocol":
            return Reading()
        try:
            async with time_limit(deadline.left_s):
                return await self._read()
        except (CommandError, TimeoutError):
            # A document that is being replaced, or a busy page: its content is about to change.
            return Reading()

    async def _read(self) -> Reading:
        self._count()
        sessions = self._frames.sessions
        # Everything is sent before anything is awaited, so the caller's next commands come after it.
        frames = list(self._frames)
        answers = await _answers([_send(frame) for frame in frames])
        answered = zip(frames, answers, strict=True)
        internals = {frame: answer.internals for frame, answer in answered if answer.internals}
        # Only now: Chrome answers this out of order, and it counts our call and pending rendering.
        processes = await _metrics(sessions)
        changes = tuple(answer.changes for answer in answers if answer.changes is not None)
        version = PageVersion(self._place(), changes, processes) if len(changes) == len(answers) else None
        return Reading(version, internals)

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


class Document(msgspec.Struct, array_like=True):
    """What the observer of a document answers."""

    changes: int | None = None
    """The counter; None where an animation runs."""
    internals: NumberedInternals | None = None


async def _answers(documents: Iterable[Answer | None]) -> list[Document]:
    """Return the answer of each document; an empty one where there is no observer."""
    answers: list[Document] = []
    for document in documents:
        value = None if document is None else (await document).result.value
        answers.append(msgspec.convert(value, Document) if isinstance(value, list) else Document())
    return answers


async def _metrics(sessions: Iterable[CDPSession]) -> tuple[Counters, ...]:
    answers = await asyncio.gather(*(session.send(performance.GetMetrics()) for session in sessions))
    return tuple(tuple(metric.value for metric in each.metrics if metric.name in COUNTERS) for each in answers)
