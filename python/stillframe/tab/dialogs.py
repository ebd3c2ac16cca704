"""Answer JavaScript dialogs at once by policy: an open dialog blocks every command of its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from stillframe.cdp import CDPSession
from stillframe.cdp_types import page as cdp_page
from stillframe.model.events import DialogReport
from stillframe.security.redaction import logger
from stillframe.tab.recorder import EventRecorder

DialogPolicy = Literal["accept", "dismiss"] | Callable[[DialogReport], bool | str]
"""How to answer `confirm` and `prompt`; a function gets the dialog and returns whether to accept it, or the text for a
prompt. `alert` and `beforeunload` are always accepted: the page cannot go on otherwise."""

log = logger("stillframe.tab")

ALWAYS_ACCEPTED = ("alert", "beforeunload")


class Dialogs:
    """Answers the dialogs of one page."""

    def __init__(self, recorder: EventRecorder, policy: DialogPolicy = "dismiss") -> None:
        self.policy = policy
        self._recorder = recorder

    def watch(self, session: CDPSession) -> None:
        """Answer the dialogs that a session reports."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._opening(session, event))

    def _opening(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        dialog = DialogReport(type=event.type, message=event.message, accepted=True, url=event.url)
        answer = self._answer(dialog)
        accepted = isinstance(answer, str) or answer
        text = answer if isinstance(answer, str) else (event.default_prompt if answer else None)
        session.post(cdp_page.HandleJavaScriptDialog(accept=accepted, prompt_text=text or None))
        self._recorder.add(msgspec.structs.replace(dialog, accepted=accepted))

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
