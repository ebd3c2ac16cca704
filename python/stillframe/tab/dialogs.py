"""JavaScript dialogs: answered at once by policy, because an open one stops every command of its page."""

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
"""What to do with `confirm` and `prompt`; a function gets the dialog and returns whether to accept it, or the text to
answer a prompt with. `alert` and `beforeunload` are always accepted: nothing else lets the page go on."""

log = logger("stillframe.tab")

ALWAYS_ACCEPTED = ("alert", "beforeunload")


class Dialogs:
    """Answers the dialogs of one page."""

    def __init__(self, recorder: EventRecorder, policy: DialogPolicy = "dismiss") -> None:
        self.policy = policy
        self._journal = recorder

    def watch(self, session: CDPSession) -> None:
        """Answer the dialogs that a session announces."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._opening(session, event))

    def _opening(self, session: CDPSession, event: cdp_page.JavascriptDialogOpening) -> None:
        asked = DialogReport(type=event.type, message=event.message, accepted=True, url=event.url)
        answer = self._answer(asked)
        accepted = isinstance(answer, str) or answer
        text = answer if isinstance(answer, str) else (event.default_prompt if answer else None)
        session.post(cdp_page.HandleJavaScriptDialog(accept=accepted, prompt_text=text or None))
        self._journal.add(msgspec.structs.replace(asked, accepted=accepted))

    def _answer(self, dialog: DialogReport) -> bool | str:
        if dialog.type in ALWAYS_ACCEPTED:
            return True
        if not callable(self.policy):
            return self.policy == "accept"
        try:
            answer = self.policy(dialog)
        except Exception:
            # An open dialog stops every command of the page, so it is answered whatever the function does.
            log.exception("the function for dialogs failed; %s dismissed", dialog)
            return False
        if not isinstance(answer, bool | str):
            log.error("the function for dialogs returned %r, not whether to accept nor a text; dismissed", answer)
            return False
        return answer
