"""Install call hooks: wrappers around native functions that record what documents and workers have scheduled.

One script per session installs them in every document before the page's first script, without a round trip per
document. The isolated world of the same document reads the records, so they come with the answer to a fence. A worker
has only one world: there the engine reads the records directly.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp_types import debugger, runtime
from stillframe.cdp_types import page as cdp_page
from stillframe.injected import hooks_source, worker_hooks_source
from stillframe.model.verdict import Ignored
from stillframe.settling.signals import Call

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.current_documents import CurrentDocuments
    from stillframe.tab.events.worker_debuggers import WorkerDebuggers

KEY = f"_{secrets.token_hex(8)}"
"""The event type that the two worlds of a document use, and the name of the records in a worker. It is random per
process, so no page can find it and the source compiles once."""
HELD = f"(async function*() {{}}).{KEY}"
"""Where a worker keeps the records: a property of the prototype of a kind of functions that hardly any page uses."""
UNAWAITED_SECONDS = 2.0
"""How long to keep the reply to a command that nothing awaits: a page that hangs may never send it."""
EVERY_SCRIPT = ":"
"""A string that the URL of every script contains."""


class Scheduled(msgspec.Struct, frozen=True):
    """The calls that one realm has scheduled and not run."""

    calls: tuple[Call, ...] = ()
    ignored: tuple[Ignored, ...] = ()


class Hooks:
    """The call hooks of one page: its documents, out-of-process frames and workers."""

    def __init__(self, current: CurrentDocuments, debuggers: WorkerDebuggers) -> None:
        self.installed = False
        self._current = current
        self._debuggers = debuggers
        self._scripts: dict[CDPSession, asyncio.Future[Any]] = {}
        self._sessions: dict[CDPSession, bool] = {}
        """The sessions of the page, and whether each belongs to a worker."""

    def watch(self, session: CDPSession, *, worker: bool) -> None:
        """Track a session of the page; if hooks are enabled, install them before its first script runs."""
        self._sessions[session] = worker
        session.on_closed(lambda _: self._forget(session))
        if worker:
            session.on(debugger.Paused, lambda _: session.post(debugger.Resume()))
        if self.installed:
            self._install(session)

    def install(self) -> None:
        """Install the hooks in all sessions, unless they are installed; sends commands and awaits nothing."""
        if not self.installed:
            self.installed = True
            for session in self._sessions:
                self._install(session)

    def remove(self) -> bool:
        """Stop installing hooks and remove those of workers; return whether hooks were installed. Awaits nothing.

        The isolated worlds remove the hooks of documents.
        """
        was, self.installed = self.installed, False
        for session, script in self._scripts.items():
            if self._sessions[session]:
                session.post(self.command("remove"), timeout=UNAWAITED_SECONDS)
                self._debuggers.leave(session)
            else:
                script.add_done_callback(partial(_remove_script, session))
        self._current.forget(_source())
        self._scripts.clear()
        return was

    async def ready(self) -> None:
        """Wait until the hooks are installed; never raises, because a session that is lost needs none."""
        if self.installed:
            await asyncio.gather(*self._scripts.values(), return_exceptions=True)

    def disarm_workers(self) -> None:
        """Let all workers learn rhythms again: no actions run and nothing waits."""
        for session, worker in self._sessions.items():
            if worker and self.installed:
                session.post(self.command("disarm"), timeout=UNAWAITED_SECONDS)

    def command(self, method: str, *arguments: float) -> runtime.Evaluate:
        """Return the command that calls a method of the hooks in a worker, which may have none."""
        call = f"api && api.{method} && api.{method}({','.join(map(str, arguments))})"
        return runtime.Evaluate(
            expression=f"((api) => {call})({HELD})", return_by_value=True, silent=True, disable_breaks=True
        )

    def _install(self, session: CDPSession) -> None:
        if self._sessions[session]:
            self._scripts[session] = self._install_in_worker(session)
            return
        source = _source()
        command = cdp_page.AddScriptToEvaluateOnNewDocument(source=source, run_immediately=True)
        self._scripts[session] = session.post(command)
        self._current.run(session, source)

    def _install_in_worker(self, session: CDPSession) -> asyncio.Future[Any]:
        self._debuggers.use(session)
        condition = f"((api) => api && api.start && api.start())({HELD}),false"
        session.post(debugger.SetBreakpointByUrl(line_number=0, url_regex=EVERY_SCRIPT, condition=condition))
        return session.post(runtime.Evaluate(expression=worker_hooks_source(KEY), silent=True))

    def _forget(self, session: CDPSession) -> None:
        self._sessions.pop(session, None)
        self._scripts.pop(session, None)


def _source() -> str:
    return f'{hooks_source()}("{KEY}")'


def parse_scheduled(reply: Any) -> Scheduled | None:
    """Return the report of a worker, or None if the worker is gone or has no hooks."""
    text = None if isinstance(reply, BaseException) else reply.result.value
    return msgspec.json.decode(text, type=Scheduled) if isinstance(text, str) else None


def _remove_script(session: CDPSession, script: asyncio.Future[Any]) -> None:
    if not script.cancelled() and script.exception() is None:
        session.post(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=script.result().identifier))
