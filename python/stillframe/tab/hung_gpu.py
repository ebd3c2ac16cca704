"""Notice that the GPU process of the browser hangs, and restart it.

All pages of a browser share it: one page whose layers take it minutes to draw stops the frames, the input and the
screenshots of all the others, and goes on doing so after it is closed. Scripts run on, so the pages seem to be well.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.errors import CommandError, CommandTimeout
from stillframe.injected import elements

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab

FRAME_S = 1.0
"""Seconds without a frame after which nothing is drawn, beside an action or a screenshot that has taken longer."""
LEAST_S = 0.25
"""Seconds that the check needs: of a call with short limits, no more is left after its action."""
ANSWER_SHARE = 0.4
"""Share of the check's time in which the page's scripts have to answer."""

DRAWS_NOTHING = "the page's scripts answer but the browser draws nothing"
RESTARTED = f"{DRAWS_NOTHING}: its GPU process hung and was restarted; look what the call has done, and repeat it"
HANGS_AGAIN = (
    f"{DRAWS_NOTHING}: its GPU process was restarted and hangs again; close the page that keeps it busy, or the browser"
)


async def restarted_if_hung(tab: Tab, deadline: Deadline) -> str:
    """Restart the GPU process if the scripts of a tab answer and it gets no frame; returns what was found, or ""."""
    deadline = deadline.within(FRAME_S)
    if deadline.left_s < LEAST_S or tab.context.info.is_android or tab.clock.virtual is not None:
        return ""
    began = asyncio.get_running_loop().time()
    if not await _draws_nothing(tab, deadline):
        return ""
    return RESTARTED if tab.context.gpu.restart(tab.session, began) else HANGS_AGAIN


async def _draws_nothing(tab: Tab, deadline: Deadline) -> bool:
    """Return whether the scripts of a tab answer, and it gets no frame until the deadline."""
    answer_s = ANSWER_SHARE * deadline.left_s
    with tab.drawing.kept():
        frame = asyncio.ensure_future(tab.frames.main.call(elements.frame_drawn(), timeout=deadline.left_s))
        try:
            await tab.session.drain_events(timeout=answer_s)
            await asyncio.wait([frame])
            if not isinstance(frame.exception(), CommandTimeout):
                return False  # there was a frame, or the document was replaced
            await tab.session.drain_events(timeout=answer_s)
        except CommandError:
            return False  # its scripts do not answer either
        finally:
            frame.cancel()
            await asyncio.gather(frame, return_exceptions=True)
    return True
