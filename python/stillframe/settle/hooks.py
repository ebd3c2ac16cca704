"""Calls: what documents and workers have scheduled, told by conditions on native functions.

A condition notes the call and is false, so nothing pauses and no native is replaced. One script per session installs
all of them in every document before the page's first script, without a round trip per document. Reading is one
evaluation per document, in the page's own world; its context id comes with the event that announces the script there.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp import Event, Session
from stillframe.cdp_types import debugger, runtime
from stillframe.cdp_types import page as cdp_page
from stillframe.model.verdict import Ignored
from stillframe.settle.signals import Call

if TYPE_CHECKING:
    from stillframe.page.page import Page

WORKER = ""
"""The place of a worker's only context in the table of contexts."""


class Scheduled(msgspec.Struct, frozen=True):
    """What the realms of one session have scheduled and not run."""

    calls: tuple[Call, ...] = ()
    ignored: tuple[Ignored, ...] = ()


class _Context(msgspec.Struct, rename="camel"):
    """The part of Debugger.scriptParsed that tells where a script runs."""

    execution_context_id: int
    execution_context_aux_data: dict[str, Any] = {}


WORKER_SOURCE = """((key, debug) => {
  const home = Object.getPrototypeOf(async function* () {});
  const start = () => {
    delete home[key];
    (%s)(key, debug);
  };
  if (typeof setTimeout === "function") start();
  else Object.defineProperty(home, key, { value: { start }, configurable: true });
})"""
"""A worker that has not begun yet has no timers to hang conditions on (Chromium 156). A breakpoint on the first line of
every script gets them in place, by its condition and without pausing, before the first statement runs."""
REST_CALLS = 300
"""How many calls a page may make while nobody acts before its hooks are switched off until somebody does: more than a
large page makes when it loads. Every one costs the page 0.1 ms and us a message of half a kilobyte."""
REST_RATE = 8.0
"""How many calls a second a page may make for ever: what it does by itself at this rate is still learned."""
ARMED_CALLS = 2000
"""How many calls a page may make in one wait: a fifth of a second of its time."""
TOLD_SECONDS = 2.0
"""How long an answer is kept in mind that nobody waits for: a page that hangs may never give it."""
EVERY_SCRIPT = ":"
"""What the URL of every script contains, but for the name of ours."""


class _Traffic:
    """How much the hooks of one session have cost, and whether they are switched off for that."""

    def __init__(self) -> None:
        self.dozing = False
        self._left = float(REST_CALLS)
        self._since = 0.0

    def renew(self) -> None:
        """Begin anew: there is another document, or somebody acts."""
        self.dozing = False
        self._left = float(REST_CALLS)

    def spend(self, now: float, *, armed: bool) -> bool:
        """Take in one call at a time in seconds; tell whether it was one too many."""
        if not armed:
            self._left = min(float(REST_CALLS), self._left + (now - self._since) * REST_RATE)
        self._since = now
        self._left -= 1
        spent = self._left < (REST_CALLS - ARMED_CALLS if armed else 0)
        self.dozing = self.dozing or spent
        return spent


@cache
def hooks_source() -> str:
    """Return the script that installs the conditions: a function of the name of its state and of `debug`."""
    return (files(__package__) / "hooks.js").read_text("utf-8").rstrip()


class Hooks:
    """The call hooks of one page: its documents, out-of-process frames and workers."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.installed = False
        # Chosen anew for every page: two pages may share a process, and no page may know the name.
        self._key = f"_{secrets.token_hex(8)}"
        self._source = _script(hooks_source(), self._key)
        self._mark = f'"url":"{self._key}"'.encode()
        self._scripts: dict[Session, asyncio.Future[Any]] = {}
        self._contexts: dict[Session, dict[str, int | None]] = {}
        self._traffic: dict[Session, _Traffic] = {}
        self._armed = False

    # -- installing ------------------------------------------------------------------------------

    def watch(self, session: Session, *, worker: bool) -> None:
        """Take in a session of the page; installs its hooks before its first script runs, if hooks are wanted."""
        self._contexts[session] = {WORKER: None} if worker else {}
        session.on("Debugger.scriptParsed", partial(self._script_parsed, session))
        session.on(debugger.Paused, lambda _: session.post(debugger.Resume()))
        session.on_closed(lambda _: self._forget(session))
        if self.installed:
            self._install(session)

    def install(self) -> None:
        """Install the hooks everywhere, if they are not; sends and awaits nothing."""
        if not self.installed:
            self.installed = True
            for session in self._contexts:
                self._install(session)

    def remove(self) -> None:
        """Take the hooks away everywhere and leave nothing behind; sends and awaits nothing."""
        if not self.installed:
            return
        self._armed = False
        self._tell("remove")
        self.installed = False
        for session, contexts in self._contexts.items():
            if (script := self._scripts.pop(session, None)) is not None:
                script.add_done_callback(partial(_remove_script, session))
            if WORKER not in contexts:
                contexts.clear()
            session.post(debugger.Disable())

    async def ready(self) -> None:
        """Wait until the hooks are where they should be; raises nothing: a session that is lost needs none."""
        if self.installed:
            await asyncio.gather(*self._scripts.values(), return_exceptions=True)

    def _install(self, session: Session) -> None:
        self._traffic[session] = _Traffic()
        # Every evaluation of a condition is a script, and the debugger would keep it after its end.
        session.post(debugger.Enable(max_scripts_cache_size=0))
        session.post(debugger.SetSkipAllPauses(skip=True))
        command: Any
        if WORKER in self._contexts[session]:
            source = _script(WORKER_SOURCE % hooks_source(), self._key)
            command = runtime.Evaluate(expression=source, include_command_line_api=True, silent=True)
            condition = f"{self.expression('start?.')},false"
            session.post(debugger.SetBreakpointByUrl(line_number=0, url_regex=EVERY_SCRIPT, condition=condition))
        else:
            command = cdp_page.AddScriptToEvaluateOnNewDocument(
                source=self._source, include_command_line_api=True, run_immediately=True
            )
        self._scripts[session] = session.post(command)

    def _forget(self, session: Session) -> None:
        self._contexts.pop(session, None)
        self._scripts.pop(session, None)
        self._traffic.pop(session, None)

    def _script_parsed(self, session: Session, event: Event) -> None:
        # Whatever runs is announced: the page's scripts, our own, and every evaluation of a condition.
        params = bytes(event.params)
        if self._mark not in params:
            self._spend(session)
            return
        self._wake(session)
        if WORKER in self._contexts.get(session, {}):
            return
        context = msgspec.json.decode(params, type=_Context)
        if (frame := context.execution_context_aux_data.get("frameId")) is not None:
            self._contexts[session][frame] = context.execution_context_id

    # -- sparing the page ------------------------------------------------------------------------

    def _spend(self, session: Session) -> None:
        traffic = self._traffic.get(session)
        if traffic is None or traffic.dozing or not self.installed:
            return
        if traffic.spend(asyncio.get_running_loop().time(), armed=self._armed):
            session.post(debugger.SetBreakpointsActive(active=False))
            self._post(session, "doze", timeout=TOLD_SECONDS)

    def _wake(self, session: Session) -> None:
        traffic = self._traffic.get(session)
        if traffic is None:
            return
        if traffic.dozing:
            session.post(debugger.SetBreakpointsActive(active=True))
        traffic.renew()

    # -- asking ----------------------------------------------------------------------------------

    def expression(self, method: str, *arguments: float) -> str:
        """Return what calls a method of the state, in a realm that may have none."""
        return f"(async function*(){{}}).{self._key}?.{method}({','.join(map(str, arguments))})"

    def arm(self, *, adopt: bool) -> list[asyncio.Future[Any]]:
        """Let all documents take note of what is scheduled already, and return what they will answer.

        Workers hear of it in their greeting.
        """
        self._armed = True
        for session in self._contexts:
            self._wake(session)
        return self._tell("arm", int(adopt), workers=False)

    def rest(self) -> None:
        """Let all documents and workers learn again: nobody acts or waits any more."""
        self._armed = False
        self._tell("rest")

    def _tell(self, method: str, *arguments: float, workers: bool = True) -> list[asyncio.Future[Any]]:
        """Call a method of the state in every document and worker; awaits nothing."""
        posted: list[asyncio.Future[Any]] = []
        for session, contexts in self._contexts.items():
            if workers or WORKER not in contexts:
                posted += self._post(session, method, *arguments, timeout=TOLD_SECONDS)
        return posted

    def asked(self, session: Session, began: float | None = None, frames: bool = True) -> asyncio.Future[list[Any]]:
        """Ask all documents of a session what they have scheduled; `merged` reads the answers.

        `began` is when the fence began that was answered before this, in milliseconds since 1970: what was due then
        has run, and what waited for a frame too if there were `frames`. Cancelled, it leaves nothing that waits.
        """
        proof = () if began is None else (began, int(frames))
        return asyncio.gather(*self._post(session, "read", *proof), return_exceptions=True)

    def _post(
        self, session: Session, method: str, *arguments: float, timeout: float | None = None
    ) -> list[asyncio.Future[Any]]:
        if not self.installed:
            return []
        return [
            session.post(self.command(method, *arguments, context=context), timeout=timeout)
            for frame, context in self._contexts.get(session, {}).items()
            if frame == WORKER or frame in self.page.frames.by_id
        ]

    def command(self, method: str, *arguments: float, context: int | None = None) -> runtime.Evaluate:
        """Return the command that calls a method of the state in a context; in a worker it is the only one."""
        return runtime.Evaluate(
            expression=self.expression(method, *arguments),
            context_id=context,
            return_by_value=True,
            silent=True,
            disable_breaks=True,
        )


def _script(source: str, key: str) -> str:
    return f'{source}("{key}", debug)\n//# sourceURL={key}'


def merged(replies: list[Any]) -> Scheduled:
    """Put together what several realms answered; an exception in the place of an answer is skipped."""
    told = [part for reply in replies if (part := scheduled(reply)) is not None]
    return Scheduled(
        tuple(call for part in told for call in part.calls),
        tuple(row for part in told for row in part.ignored),
    )


def scheduled(reply: Any) -> Scheduled | None:
    """Return what a realm answered, None if it is gone or has no hooks."""
    text = None if isinstance(reply, BaseException) else reply.result.value
    return msgspec.json.decode(text, type=Scheduled) if isinstance(text, str) else None


def _remove_script(session: Session, script: asyncio.Future[Any]) -> None:
    if not script.cancelled() and script.exception() is None and hasattr(script.result(), "identifier"):
        session.post(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=script.result().identifier))
