"""Notice that the browser itself no longer answers, so that the page is not blamed for it.

The browser's main process stops for good where it waits for a process of its own that does not go on (seen in Chromium
156: it read from its zygote, which waited for a renderer that did not end). Then only another browser helps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.errors import CommandError, SessionLost

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab

ANSWER_S = 1.0
"""Seconds for the browser to answer: an idle one takes less than a millisecond, whatever its pages do."""
LEAST_S = 0.1
"""Seconds that the question needs: of a call with short limits, no more is left after its action."""

SILENT = (
    "the browser itself does not answer: it is stopped, it hangs, or its machine has no time for it; repeat the call, "
    "and if that does not help, close the browser and launch another"
)


async def found_silent(tab: Tab, deadline: Deadline) -> str:
    """Ask the browser of a tab for its version; returns what was found if it does not answer in time, or ""."""
    answer_s = min(ANSWER_S, deadline.left_s)
    if answer_s < LEAST_S:
        return ""
    try:
        await tab.session.root.drain_events(timeout=answer_s)
    except SessionLost:
        return ""
    except CommandError:
        return SILENT
    return ""
