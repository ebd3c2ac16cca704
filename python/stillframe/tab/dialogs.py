"""Answer JavaScript dialogs at once by policy: an open dialog blocks every command of its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from stillframe.cdp_types import page as cdp_page
from stillframe.model.events import DialogReport
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.recorder import EventRecorder

DialogPolicy = Literal["accept", "dismiss"] | Callable[[DialogReport], bool | str]
"""How to answer `confirm` and `prompt`; a function gets the dialog and returns whether to accept it, or the text for a
prompt. `alert` and `beforeunload` are always accepted: the page cannot go on otherwise."""

log = logger("stillframe.tab")

ALWAYS_ACCEPTED = ("alert", "beforeunload")


Answered = Callable[[bool | str], object]
"""Takes how a person answered a `confirm` or a `prompt`: whether they accepted it, or the text of the prompt."""


class Dialogs:
    """Answers the dialogs of one page, or leaves them to the person in front of the browser."""

    def __init__(self, recorder: EventRecorder, policy: DialogPolicy = "dismiss") -> None:
        self.policy = policy
        self.answered: Answered | None = None
        """Takes the answers of a person; None if the policy answers."""
        self._recorder = recorder
        self._open: str = ""

    @property
    def awaits_person(self) -> bool:
        """Return whether a dialog is open that a person will answer."""
        return bool(self._open)

    def watch(self, session: CDPSession) -> None:
        """Answer the dialogs that a session reports."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._opening(session, event))
        session.on(cdp_page.JavascriptDialogClosed, self._closed)

    def _opening(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        if self.answered is not None:
            self._open = event.type
            return
        dialog = DialogReport(type=event.type, message=event.message, accepted=True, url=event.url)
        answer = self._answer(dialog)
        accepted = isinstance(answer, str) or answer
        text = answer if isinstance(answer, str) else (event.default_prompt if answer else None)
        session.post(cdp_page.HandleJavaScriptDialog(accept=accepted, prompt_text=text or None))
        self._recorder.add(msgspec.structs.replace(dialog, accepted=accepted))

    def _closed(self, event: cdp_page.JavascriptDialogClosed) -> None:
        kind, self._open = self._open, ""
        if self.answered is not None and kind not in ("", *ALWAYS_ACCEPTED):
            self.answered(event.user_input if event.result_ and kind == "prompt" else event.result_)

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
