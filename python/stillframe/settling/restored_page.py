"""Ask a document that came back from the back-forward cache what it has loaded.

Chrome detaches DevTools from a document in the cache, and never announces the responses that arrive in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.signals import ResourcesLoaded

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame

LOADED = (
    "performance.getEntriesByType('resource').map((entry) => [entry.name, performance.timeOrigin + entry.startTime])"
)
"""Resource Timing lists a resource when it has been loaded."""

ANSWER_S = 10.0
"""Seconds for a document to answer: a busy one answers late, and its requests are awaited until then."""


async def loaded_resources(frame: Frame) -> ResourcesLoaded:
    """Return what the document of a frame has loaded; raises CommandError if it is gone or does not answer."""
    entries = await frame.evaluate(LOADED, timeout=ANSWER_S)
    return ResourcesLoaded(msgspec.convert(entries, tuple[tuple[str, float], ...]))
