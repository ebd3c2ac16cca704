"""A dialog of a page as a handler gets it, open and ready to be answered."""

from __future__ import annotations

from typing import Any

from stillframe.security.redaction import Redaction
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.events.dialogs import AskedDialog


class Dialog:
    """An open `alert`, `confirm`, `prompt` or `beforeunload`; `page.on("dialog", …)` gives it.

    The page stands still until it is answered. One that no handler has answered when all have returned is answered as
    the option `dialogs` of the context says.
    """

    def __init__(self, dialog: AskedDialog, redaction: Redaction, page: Any) -> None:
        self._dialog = dialog
        self._redaction = redaction
        self._page = page

    def __repr__(self) -> str:
        return f"Dialog({self.type!r}, {self.message!r})"

    @property
    def page(self) -> Any:
        """The page that opened it."""
        return self._page

    @property
    def type(self) -> str:
        """The kind: `alert`, `confirm`, `prompt` or `beforeunload`."""
        return self._dialog.type

    @property
    def message(self) -> str:
        """What it asks."""
        return self._redaction.redact(self._dialog.message)

    @property
    def default_value(self) -> str:
        """The text that a prompt begins with; empty for other kinds."""
        return self._redaction.redact(self._dialog.default_prompt)

    @property
    def url(self) -> str:
        """The URL of the frame that opened it."""
        return self._redaction.redact(self._dialog.url)

    @property
    def accepted(self) -> bool | None:
        """Whether it was accepted; None as long as it is open."""
        return self._dialog.accepted

    async def accept(self, prompt_text: str | None = None, *, timeout_ms: float | None = CALL_MS) -> None:
        """Accept it, a prompt with `prompt_text` or else with its default text.

        Args:
            prompt_text: The text of a prompt.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            NoDialog: It is answered already.
            ActionInvalid: It does not take a text.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._dialog.answer(True, prompt_text, deadline=Deadline.of_ms(timeout_ms))

    async def dismiss(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Dismiss it.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            NoDialog: It is answered already.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._dialog.answer(False, None, deadline=Deadline.of_ms(timeout_ms))
