"""Keep Chrome's caches from answering in place of a tab's routes: those of resources, and the back-forward cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from stillframe import injected
from stillframe.cdp_types import network
from stillframe.tab.frames import WORLD

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.document_scripts import DocumentScript, DocumentScripts


class Caches:
    """Whether Chrome's caches answer the requests of one tab."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], scripts: DocumentScripts) -> None:
        self._sessions = sessions
        self._scripts = scripts
        self._script: DocumentScript | None = None

    def commands(self) -> Iterable[network.SetCacheDisabled]:
        """Return what a new target of a tab without caches needs before its first request."""
        if self._script is None:
            self._script = self._scripts.prepare(_never_restored(), world=WORLD)
        return [network.SetCacheDisabled(cache_disabled=True)]

    def bypass(self, on: bool, deadline: Deadline) -> list[asyncio.Future[Any]]:
        """Bypass the caches from now on, or use them again; returns the replies to wait for."""
        if on == (self._script is not None):
            return []
        replies: list[asyncio.Future[Any]] = [
            session.post(network.SetCacheDisabled(cache_disabled=on), timeout=deadline.left_s)
            for session in self._sessions()
        ]
        if self._script is None:
            self._script = self._scripts.add(_never_restored(), world=WORLD, now=True)
            return [*replies, *self._script.replies.values()]
        self._scripts.remove(self._script)
        self._script = None
        return replies


def _never_restored() -> str:
    return f"{injected.read('never_restored')}()"
