"""Calls: what documents and workers have scheduled, noted by wrappers before the natives.

One script per session puts them into every document before the page's first script, without a round trip per document.
The isolated world of the same document asks for what they have noted, so it comes with the answer to a fence. A worker
has one world only: there the engine asks the state itself.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from typing import Any

import msgspec

from stillframe.cdp import CDPSession
from stillframe.cdp_types import debugger, runtime
from stillframe.cdp_types import page as cdp_page
from stillframe.injected import hooks_source
from stillframe.model.verdict import Ignored
from stillframe.settling.signals import Call

KEY = f"_{secrets.token_hex(8)}"
"""The type of the events through which the two worlds of a document talk, and the name of the state in a worker. Chosen
once per process: no page can find it, and one source is compiled once."""
WORKER_SOURCE = """((key) => {
  const home = Object.getPrototypeOf(async function* () {});
  const start = () => {
    delete home[key];
    (%s)(key);
  };
  if (typeof setTimeout === "function") start();
  else Object.defineProperty(home, key, { value: { start }, configurable: true });
})"""
"""A worker that has not begun yet has no timers to wrap (Chromium 156). A breakpoint on the first line of every script
gets the wrappers in place, by its condition and without pausing, before the first statement runs."""
TOLD_SECONDS = 2.0
"""How long an answer is kept in mind that nobody waits for: a page that hangs may never give it."""
EVERY_SCRIPT = ":"
"""What the URL of every script contains."""


class Scheduled(msgspec.Struct, frozen=True):
    """What one realm has scheduled and not run."""

    calls: tuple[Call, ...] = ()
    ignored: tuple[Ignored, ...] = ()


class Hooks:
    """The call hooks of one page: its documents, out-of-process frames and workers."""

    def __init__(self) -> None:
        self.installed = False
        self._scripts: dict[CDPSession, asyncio.Future[Any]] = {}
        self._sessions: dict[CDPSession, bool] = {}
        """The sessions of the page, and whether each is a worker's."""

    def watch(self, session: CDPSession, *, worker: bool) -> None:
        """Take in a session of the page; installs its hooks before its first script runs, if hooks are wanted."""
        self._sessions[session] = worker
        session.on_closed(lambda _: self._forget(session))
        if worker:
            session.on(debugger.Paused, lambda _: session.post(debugger.Resume()))
        if self.installed:
            self._install(session)

    def install(self) -> None:
        """Install the hooks everywhere, if they are not; sends and awaits nothing."""
        if not self.installed:
            self.installed = True
            for session in self._sessions:
                self._install(session)

    def remove(self) -> bool:
        """Install no more hooks, and take those of workers away; return whether there were any. Awaits nothing.

        Those of documents are for the isolated worlds to take away.
        """
        was, self.installed = self.installed, False
        for session, script in self._scripts.items():
            if self._sessions[session]:
                session.post(self.command("remove"), timeout=TOLD_SECONDS)
                session.post(debugger.Disable())
            else:
                script.add_done_callback(partial(_remove_script, session))
        self._scripts.clear()
        return was

    async def ready(self) -> None:
        """Wait until the hooks are where they should be; raises nothing: a session that is lost needs none."""
        if self.installed:
            await asyncio.gather(*self._scripts.values(), return_exceptions=True)

    def rest(self) -> None:
        """Let all workers learn again: nobody acts or waits any more."""
        for session, worker in self._sessions.items():
            if worker and self.installed:
                session.post(self.command("rest"), timeout=TOLD_SECONDS)

    def command(self, method: str, *arguments: float) -> runtime.Evaluate:
        """Return the command that calls a method of the state in a worker, which may have none."""
        call = f"{method}?.({','.join(map(str, arguments))})"
        return runtime.Evaluate(
            expression=f"(async function*(){{}}).{KEY}?.{call}", return_by_value=True, silent=True, disable_breaks=True
        )

    def _install(self, session: CDPSession) -> None:
        if self._sessions[session]:
            self._scripts[session] = self._install_in_worker(session)
            return
        source = f'{hooks_source()}("{KEY}")'
        command = cdp_page.AddScriptToEvaluateOnNewDocument(source=source, run_immediately=True)
        self._scripts[session] = session.post(command)

    def _install_in_worker(self, session: CDPSession) -> asyncio.Future[Any]:
        # Every evaluation of a condition is a script, and the debugger would keep it after its end.
        session.post(debugger.Enable(max_scripts_cache_size=0))
        session.post(debugger.SetSkipAllPauses(skip=True))
        condition = f"(async function*(){{}}).{KEY}?.start?.(),false"
        session.post(debugger.SetBreakpointByUrl(line_number=0, url_regex=EVERY_SCRIPT, condition=condition))
        return session.post(runtime.Evaluate(expression=f'{WORKER_SOURCE % hooks_source()}("{KEY}")', silent=True))

    def _forget(self, session: CDPSession) -> None:
        self._sessions.pop(session, None)
        self._scripts.pop(session, None)


def scheduled(reply: Any) -> Scheduled | None:
    """Return what a worker answered, None if it is gone or has no hooks."""
    text = None if isinstance(reply, BaseException) else reply.result.value
    return msgspec.json.decode(text, type=Scheduled) if isinstance(text, str) else None


def _remove_script(session: CDPSession, script: asyncio.Future[Any]) -> None:
    if not script.cancelled() and script.exception() is None:
        session.post(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=script.result().identifier))
