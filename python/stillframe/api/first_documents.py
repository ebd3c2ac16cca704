"""Hold the first document of each tab until the options of its context are in effect.

Chrome does not wait for the debugger where a Ctrl-, Shift- or middle click opens a tab: it announces the tab as
waiting, and loads it all the same (Chromium 156). From a fast server, the document runs before the browser has the
commands of the tab's set-up (2 of 19 beside busy processes), and its request never has the context's headers.

So the browser's own session pauses the requests of all documents, as long as there is a context whose options concern
documents. Chrome announces a tab before it pauses the tab's request, and commands stay in order: when the pause is
reported, the commands of the set-up are on their way, and the request that continues comes after them. That takes a
round trip for each document. A service worker may answer a document without a request; nothing holds that one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from stillframe.api.context import ContextBase
from stillframe.cdp import CDPSession
from stillframe.cdp_types import fetch
from stillframe.errors import CdpError
from stillframe.tab.network.network import DOCUMENTS, Requests
from stillframe.tab.tab import Tab

NewTab = tuple[Tab, Requests]
"""A tab that no call of ours opened and that shows no document yet, and what handles its requests."""


class FirstDocuments:
    """Pauses the documents of one browser while it has contexts that require it."""

    def __init__(self, root: CDPSession, new_tab: Callable[[str], NewTab | None]) -> None:
        self._root = root
        self._new_tab = new_tab
        self._contexts: set[ContextBase] = set()
        self._reply: asyncio.Future[Any]

    def start(self) -> None:
        """Begin to answer the paused requests."""
        self._root.on(fetch.RequestPaused, self._paused)

    async def hold_for(self, context: ContextBase) -> None:
        """Hold the documents of a context from now on, until `release`."""
        if not self._contexts:
            self._reply = self._root.post(fetch.Enable(patterns=[DOCUMENTS]))
        self._contexts.add(context)
        with suppress(CdpError):  # a browser that cannot
            await asyncio.shield(self._reply)

    def release(self, context: ContextBase) -> None:
        """Hold the documents of a context no longer; does nothing if they are not held."""
        if context in self._contexts:
            self._contexts.remove(context)
            if not self._contexts:
                self._root.post(fetch.Disable())

    def _paused(self, event: fetch.RequestPaused) -> None:
        new = self._new_tab(event.frame_id)
        if new is None:
            self._root.post(fetch.ContinueRequest(request_id=event.request_id))
        else:
            tab, requests = new
            requests.first(self._root, tab, event)
