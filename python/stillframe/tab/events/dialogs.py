"""Answer JavaScript dialogs at once by policy, or hold them for the caller: an open one blocks its whole page.

A dialog stops the thread of its page until it is answered, and with it each page that shares the thread: the page that
opened it, and the tabs that it opened. All of them count as blocked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple
from weakref import WeakSet

import msgspec

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import ActionInvalid, CdpError, CommandError, NoDialog
from stillframe.model.bounds import shortened
from stillframe.model.events import DialogReport, OpenDialog
from stillframe.security.redaction import logger
from stillframe.tab.background import Background
from stillframe.tab.deadline import Deadline

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.security.redaction import Redaction
    from stillframe.tab.events.recorder import EventRecorder

DialogPolicy = Literal["accept", "dismiss", "ask"] | Callable[[DialogReport], bool | str]
"""How to answer `confirm` and `prompt`; a function gets the dialog and returns whether to accept it, or the text for a
prompt. `alert` and `beforeunload` are then always accepted: the page cannot go on otherwise. `ask` holds every dialog
until the caller answers it."""

log = logger("stillframe.tab")

ALWAYS_ACCEPTED = ("alert", "beforeunload")

DIALOG_TIMEOUT_MS = 300_000.0
"""How long a dialog is held for an answer by default: clients of models ask a person before a call, who may be away for
some minutes, but nobody waits longer for a page that stands still."""


Answered = Callable[[bool | str], object]
"""Takes how a person answered a `confirm` or a `prompt`: whether they accepted it, or the text of the prompt."""


Change = Callable[[bool], object]
"""Gets whether a dialog has just blocked the page, or has ended."""


class AskedDialog:
    """A dialog that handlers of the caller may answer; the first answer counts."""

    def __init__(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        self.type = event.type
        self.message = event.message
        self.url = event.url
        self.default_prompt = event.default_prompt or ""
        self.accepted: bool | None = None
        """Whether it was accepted; None as long as it is open."""
        self._session = session

    async def answer(self, accept: bool, prompt_text: str | None, *, deadline: Deadline) -> None:
        """Answer it; raises NoDialog if it is answered already, and ActionInvalid for a text that it does not take."""
        if self.accepted is not None:
            raise NoDialog(
                f"the {self.type} is answered already: it was {'accepted' if self.accepted else 'dismissed'}"
            )
        check_text(self.type, prompt_text, "text")
        self.accepted = accept
        text = self.default_prompt if accept and prompt_text is None else prompt_text
        try:
            command = cdp_page.HandleJavaScriptDialog(accept=accept, prompt_text=text or None)
            await self._session.send(command, timeout=deadline.left_s)
        except CdpError:
            raise NoDialog(f"the {self.type} went away before the answer came") from None

    def report(self) -> DialogReport:
        """Return what a result says of it."""
        return DialogReport(type=self.type, message=self.message, accepted=bool(self.accepted), url=self.url)


Asked = Callable[[AskedDialog], "asyncio.Task[None] | None"]
"""Gets a dialog that it may answer; the task is what is left of it to run."""


def check_text(kind: str, prompt_text: str | None, name: str) -> None:
    """Raise ActionInvalid for a text that a dialog does not take; `name` is what the caller knows it by."""
    if prompt_text is not None and kind != "prompt":
        raise ActionInvalid(
            f"{name} is the text for a prompt, and a {kind} is open, which takes none: answer it without {name}",
            field="prompt_text",
        )


class HeldDialog(NamedTuple):
    """A dialog that waits for an answer, and the session that takes it."""

    dialog: OpenDialog
    session: CDPSession


class Dialogs:
    """Answers the dialogs of one page, or leaves them to the caller or to the person in front of the browser."""

    def __init__(
        self,
        recorder: EventRecorder,
        policy: DialogPolicy = "dismiss",
        *,
        group: HeldDialogs | None = None,
        limit_ms: float = DIALOG_TIMEOUT_MS,
        redaction: Redaction | None = None,
        background: Background | None = None,
    ) -> None:
        self.policy = policy
        self.handlers: list[Asked] = []
        """What decides about each dialog before the policy does."""
        self._asked: AskedDialog | None = None
        """The dialog that they decide about."""
        self._background = Background() if background is None else background
        self.answered: Answered | None = None
        """Takes the answers of a person; None if the policy answers."""
        self.opener: Dialogs | None = None
        """The dialogs of the tab that opened this one."""
        self.held: HeldDialog | None = None
        """The dialog of this page that waits for the caller's answer."""
        self.missed: list[DialogReport] = []
        """The dialogs that ended without an answer, for the next result."""
        self.listeners: list[Change] = []
        """Called with True when a dialog has blocked the page, its own or that of a related tab, and with False when
        it is gone."""
        self._recorder = recorder
        self._group = HeldDialogs() if group is None else group
        self._group.add(self)
        self._limit_s = limit_ms / 1000
        self._redaction = redaction
        self._timer: asyncio.TimerHandle | None = None
        self._last_missed = ""
        self._open: str = ""

    # -- state -----------------------------------------------------------------------------------

    @property
    def awaits_person(self) -> bool:
        """Return whether a dialog is open that a person will answer."""
        return bool(self._open)

    @property
    def may_hold(self) -> bool:
        """Return whether a dialog may wait for the caller's answer."""
        return self.policy == "ask" or self._group.holder(self) is not None

    @property
    def open(self) -> OpenDialog | None:
        """Return the dialog that blocks the page until the caller answers it."""
        holder = self._group.holder(self)
        return holder.held.dialog if holder is not None and holder.held is not None else None

    @property
    def first_opener(self) -> Dialogs:
        """Return the dialogs of the first tab in the chain of openers."""
        first = self
        while first.opener is not None:
            first = first.opener
        return first

    def take_missed(self) -> tuple[DialogReport, ...]:
        """Return, once, the dialogs that ended without an answer, those of related tabs included."""
        return self._group.missed(self)

    # -- answering -------------------------------------------------------------------------------

    async def answer(self, accept: bool, prompt_text: str | None, *, waits: bool, deadline: Deadline) -> None:
        """Answer the dialog that blocks the page, or, if it `waits`, the one that does so before the deadline.

        Raises NoDialog, and ActionInvalid for a text that the dialog does not take.
        """
        holder = await self._holder(deadline if waits else None)
        held = None if holder is None else holder.held
        if holder is None or held is None:
            raise NoDialog(f"no dialog is open, so there is nothing to answer{self._last_missed}")
        check_text(held.dialog.type, prompt_text, "promptText")
        text = held.dialog.default_prompt if accept and prompt_text is None else prompt_text
        command = cdp_page.HandleJavaScriptDialog(accept=accept, prompt_text=text or None)
        try:
            await held.session.send(command, timeout=deadline.left_s)
        except CdpError:
            holder.release(held, accepted=False)
            raise NoDialog(f"the {held.dialog.type} went away before the answer came") from None
        holder.release(held, accepted=accept)

    async def _holder(self, deadline: Deadline | None) -> Dialogs | None:
        holder = self._group.holder(self)
        if holder is not None or deadline is None:
            return holder
        blocked = asyncio.Event()

        def changed(is_held: bool) -> None:
            if is_held:
                blocked.set()

        self.listeners.append(changed)
        try:
            async with time_limit(deadline.left_s):
                await blocked.wait()
        except TimeoutError:
            pass
        finally:
            self.listeners.remove(changed)
        return self._group.holder(self)

    @contextmanager
    def never_held(self) -> Iterator[None]:
        """Dismiss, during the block, the dialogs that would wait for the caller."""
        former = self.policy
        self.policy = "dismiss" if former == "ask" else former
        try:
            yield
        finally:
            self.policy = former

    def give_up(self) -> None:
        """Dismiss the dialog that waits, and let none hold up the page any more: the page is about to close."""
        self.policy = "dismiss"
        self.handlers.clear()
        if self._asked is not None:
            self._background.start(self._decided(self._asked, accept=False), "answer to a dialog")
        if self.held is not None:
            self._dismiss(self.held)

    def _expire(self, held: HeldDialog) -> None:
        if self.held is not held:
            return
        seconds = f"{self._limit_s:g} s"
        log.warning("nobody answered a %s within %s: dismissed", held.dialog.type, seconds)
        self._last_missed = f"; the last one, a {held.dialog.type}, was dismissed after {seconds} without an answer"
        self._dismiss(held, expired=True)

    def _dismiss(self, held: HeldDialog, *, expired: bool = False) -> None:
        held.session.post(cdp_page.HandleJavaScriptDialog(accept=False))
        self.release(held, accepted=False, expired=expired)

    # -- events ----------------------------------------------------------------------------------

    def watch(self, session: CDPSession) -> None:
        """Answer the dialogs that a session reports."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._opening(session, event))
        session.on(cdp_page.JavascriptDialogClosed, self._closed)
        session.on_closed(lambda _: self._lost(session))

    def _opening(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        if self.answered is not None:
            self._open = event.type
            return
        if self.handlers:
            self._asked = AskedDialog(session, event)
            self._background.start(self._ask(self._asked, session, event), "answer to a dialog")
            return
        self._by_policy(session, event)

    async def _ask(self, dialog: AskedDialog, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        """Let the handlers of the caller decide about a dialog; if none answers, the policy does."""
        tasks = [task for handler in tuple(self.handlers) if (task := handler(dialog)) is not None]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=self._limit_s)
        finally:
            self._asked = None
        if dialog.accepted is None:
            self._by_policy(session, event)
        else:
            self._recorder.add(dialog.report())

    async def _decided(self, dialog: AskedDialog, *, accept: bool) -> None:
        with suppress(NoDialog, CommandError):
            await dialog.answer(accept, None, deadline=Deadline(None))

    def _by_policy(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        if self.policy == "ask":
            self._hold(session, event)
            return
        dialog = DialogReport(type=event.type, message=event.message, accepted=True, url=event.url)
        answer = self._answer(dialog)
        accepted = isinstance(answer, str) or answer
        text = answer if isinstance(answer, str) else (event.default_prompt if answer else None)
        session.post(cdp_page.HandleJavaScriptDialog(accept=accepted, prompt_text=text or None))
        self._recorder.add(msgspec.structs.replace(dialog, accepted=accepted))

    def _hold(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        dialog = OpenDialog(
            type=event.type, message=event.message, url=event.url, default_prompt=event.default_prompt or ""
        )
        if self._redaction is not None:
            dialog = self._redaction.redact(dialog)
        self.held = held = HeldDialog(shortened(dialog), session)
        self._timer = asyncio.get_running_loop().call_later(self._limit_s, self._expire, held)
        self._group.changed(self, True)

    def _closed(self, event: cdp_page.JavascriptDialogClosed) -> None:
        if self._asked is not None and self._asked.accepted is None:  # another client answered, or the page was left
            self._asked.accepted = event.result_
        if self.held is not None:  # another client answered, or the page was left
            self.release(self.held, accepted=event.result_)
            return
        kind, self._open = self._open, ""
        if self.answered is not None and kind not in ("", *ALWAYS_ACCEPTED):
            self.answered(event.user_input if event.result_ and kind == "prompt" else event.result_)

    def _lost(self, session: CDPSession) -> None:
        if self._asked is not None and self._asked.accepted is None:
            self._asked.accepted = False
        if self.held is not None and self.held.session is session:
            self.release(self.held, accepted=False)

    def release(self, held: HeldDialog, *, accepted: bool, expired: bool = False) -> None:
        """Note that a dialog is gone, whatever ended it; the first to note it says how."""
        if self.held is not held:
            return
        self.held = None
        if self._timer is not None:
            self._timer.cancel()
        it = held.dialog
        report = DialogReport(type=it.type, message=it.message, accepted=accepted, url=it.url, expired=expired)
        self._recorder.add(report)
        if expired:
            self.missed.append(report)
            self._group.expired()
        self._group.changed(self, False)

    def _answer(self, dialog: DialogReport) -> bool | str:
        if dialog.type in ALWAYS_ACCEPTED:
            return True
        if not callable(self.policy):
            return self.policy == "accept"
        try:
            answer = self.policy(dialog)
        except Exception:
            # An open dialog blocks every command of the page, so it is answered even if the function fails.
            log.exception("the dialogs function raised an exception; dismissed %s", dialog)
            return False
        if not isinstance(answer, bool | str):
            log.error("the dialogs function returned %r, which is neither a bool nor a str; dismissed", answer)
            return False
        return answer


class HeldDialogs:
    """The dialogs of one context that wait for an answer."""

    def __init__(self) -> None:
        self._all: WeakSet[Dialogs] = WeakSet()
        self._held = 0
        """How many wait now: every call asks, and most contexts have many tabs and no such dialog."""
        self._any_missed = False

    def add(self, dialogs: Dialogs) -> None:
        """Add the dialogs of a tab."""
        self._all.add(dialogs)

    def holder(self, dialogs: Dialogs) -> Dialogs | None:
        """Return whose dialog blocks a tab: its own, or that of a tab which shares its thread; None if none does."""
        if not self._held:
            return None
        if dialogs.held is not None:
            return dialogs
        return next((each for each in self._sharing(dialogs) if each.held is not None), None)

    def changed(self, dialogs: Dialogs, is_held: bool) -> None:
        """Tell all tabs that a dialog blocks that it has opened or is gone."""
        self._held += 1 if is_held else -1
        for each in list(self._sharing(dialogs)):
            for listener in tuple(each.listeners):
                listener(is_held)

    def expired(self) -> None:
        """Note that a dialog has ended without an answer."""
        self._any_missed = True

    def missed(self, dialogs: Dialogs) -> tuple[DialogReport, ...]:
        """Return, once, the dialogs that ended without an answer since the last time."""
        if not self._any_missed:
            return ()
        found = [report for each in self._sharing(dialogs) for report in each.missed]
        for each in self._sharing(dialogs):
            each.missed.clear()
        self._any_missed = any(each.missed for each in self._all)
        return tuple(found)

    def _sharing(self, dialogs: Dialogs) -> Iterator[Dialogs]:
        first = dialogs.first_opener
        return (each for each in tuple(self._all) if each.first_opener is first)
