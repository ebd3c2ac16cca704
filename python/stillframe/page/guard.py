"""The optional guard of a sequence: stop before an action when the page turned into another one meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.errors import CommandError, GuardStopped
from stillframe.model.actions import Action, GoBack, GoForward, Navigate, PressKey, Reload, TypeText

if TYPE_CHECKING:
    from stillframe.page.page import Page

NAVIGATING = (GoBack, GoForward, Navigate, Reload)
"""Actions whose very purpose is another document."""

REMEMBER_FOCUS = "function() { this.__sfFocus = document.activeElement }"
FOCUS_LOST = "function() { const kept = this.__sfFocus; return !!kept && !kept.isConnected }"


class Guard:
    """Watches, between the actions of one sequence, whether the page is still the one the caller knew."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._loader_id = page.frames.main.loader_id

    async def check(self, action: Action, *, skipped: int) -> None:
        """Raise GuardStopped if the document was replaced, or if a key would go where the focus used to be."""
        main = self._page.frames.main
        if main.loader_id != self._loader_id:
            raise GuardStopped(
                f"guard: the page turned into {main.url} before {action.kind}; {skipped} actions were skipped",
                skipped=skipped,
            )
        if _types_blindly(action) and await self._focus_lost():
            raise GuardStopped(
                f"guard: the element that had the focus is gone, so {action.kind} would go elsewhere; "
                f"{skipped} actions were skipped",
                skipped=skipped,
            )

    async def note(self, action: Action) -> None:
        """Take in that an action was performed: a navigation was meant, and the focus is where it is now."""
        if isinstance(action, NAVIGATING):
            self._loader_id = self._page.frames.main.loader_id
        try:
            await self._page.frames.main.call(REMEMBER_FOCUS)
        except CommandError:
            # The document is on its way out; the loader id will tell.
            return

    async def _focus_lost(self) -> bool:
        return bool(await self._page.frames.main.call(FOCUS_LOST))


def _types_blindly(action: Action) -> bool:
    return isinstance(action, (PressKey, TypeText)) and action.selector is None
