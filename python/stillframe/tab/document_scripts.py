"""Scripts that run in every document of a tab before the page's own scripts; added and removed at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from stillframe.cdp_types import page as cdp_page
from stillframe.tab.session_tree import shows_documents

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.tab.current_documents import CurrentDocuments


class DocumentScript:
    """One script, and the sessions that it was added to."""

    def __init__(self, command: cdp_page.AddScriptToEvaluateOnNewDocument) -> None:
        self.command = command
        self.replies: WeakKeyDictionary[CDPSession, asyncio.Future[Any]] = WeakKeyDictionary()

    def send(self, session: CDPSession) -> asyncio.Future[Any]:
        """Add the script to the documents of a session."""
        reply = self.replies[session] = session.post(self.command)
        return reply


class DocumentScripts:
    """The scripts added to one tab after it was opened; sends nothing if there are none."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], current: CurrentDocuments) -> None:
        self._sessions = sessions
        self._current = current
        self._scripts: list[DocumentScript] = []

    def __len__(self) -> int:
        return len(self._scripts)

    def joined(self, session: CDPSession) -> None:
        """Add the scripts to a session of the tab before its target runs."""
        if shows_documents(session):
            for script in self._scripts:
                self._send(script, session)

    def prepare(self, source: str, *, world: str | None = None) -> DocumentScript:
        """Add a script before the tab is attached; sends nothing."""
        script = DocumentScript(cdp_page.AddScriptToEvaluateOnNewDocument(source=source, world_name=world))
        self._scripts.append(script)
        return script

    def add(self, source: str, *, world: str | None = None, now: bool = False) -> DocumentScript:
        """Run a script in every new document, and with `now` also in current ones; awaits nothing."""
        command = cdp_page.AddScriptToEvaluateOnNewDocument(
            source=source, world_name=world, run_immediately=True if now else None
        )
        script = DocumentScript(command)
        self._scripts.append(script)
        if world is not None:
            self._current.run_isolated(source)
        for session in self._sessions():
            if shows_documents(session):
                self._send(script, session)
        return script

    def _send(self, script: DocumentScript, session: CDPSession) -> None:
        script.send(session)
        if script.command.run_immediately and script.command.world_name is None:
            self._current.run(session, script.command.source)

    def remove(self, script: DocumentScript) -> None:
        """Stop running a script in new documents; awaits nothing."""
        self._scripts.remove(script)
        self._current.forget(script.command.source)
        for session, reply in script.replies.items():
            reply.add_done_callback(partial(_remove, session))


def _remove(session: CDPSession, reply: asyncio.Future[Any]) -> None:
    if not reply.cancelled() and reply.exception() is None and session.error is None:
        session.post(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=reply.result().identifier))
