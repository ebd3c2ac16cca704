"""Restart the GPU process of a browser, but not so often that the browser ends itself."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from stillframe.cdp_types import browser
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

PAUSES_S = (0.0, 3.0, 10.0, 60.0)
"""Seconds from one restart to the next. The first of them is for the frames to come back, which takes about one; no
fifth follows, because Chrome ends itself at the sixth (measured)."""
PERIOD_S = 3600.0
"""Seconds after which Chrome forgives a restart."""

log = logger("stillframe.tab")


class GpuProcess:
    """The GPU process of one browser."""

    def __init__(self) -> None:
        self._restarts: deque[float] = deque(maxlen=len(PAUSES_S))
        """When it was restarted, by the event loop's clock."""

    def restart(self, session: CDPSession, hung_since: float) -> bool:
        """Restart it unless that was done since it hung; returns False if it hangs again too soon."""
        now = asyncio.get_running_loop().time()
        if self._restarts and hung_since <= self._restarts[-1]:
            return True
        if not self._may_restart(now):
            return False
        self._restarts.append(now)
        log.warning("the GPU process of the browser hangs: it is restarted")
        session.root.post(browser.CrashGpuProcess())
        return True

    def _may_restart(self, now: float) -> bool:
        while self._restarts and now - self._restarts[0] > PERIOD_S:
            self._restarts.popleft()
        count = len(self._restarts)
        if not count:
            return True
        return count < len(PAUSES_S) and now - self._restarts[-1] >= PAUSES_S[count]
