"""Ctrl-C while a crawl runs: it means what it meant before, also where crawlee would take it for itself."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import Any


class KeptInterrupt:
    """Keeps the handler of SIGINT through a run of crawlee, which swallows the signal and returns as if it were done.

    Make it before the run, and enter it in the run, after crawlee has installed its handler. Callers that use
    `loop.add_signal_handler` add theirs again.
    """

    def __init__(self) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        handler: Any = signal.getsignal(signal.SIGINT) if is_main else None
        of_the_loop = getattr(handler, "__module__", "") == "asyncio.unix_events"
        self._handler = None if of_the_loop else handler

    async def __aenter__(self) -> KeptInterrupt:
        if self._handler is not None:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, self._handler)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Leave the handler as it is."""
