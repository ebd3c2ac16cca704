"""The optional guard of a sequence: stop before an action if the page navigated or lost its focus meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.errors import CommandError, ContextLost, GuardStopped
from stillframe.injected import elements
from stillframe.model.actions import (
    Action,
    GoBack,
    GoForward,
    InsertText,
    KeyDown,
    Navigate,
    PressKey,
    Reload,
    TypeText,
)

if TYPE_CHECKING:
    from stillframe.settling.settler import Settler

NAVIGATING = (GoBack, GoForward, Navigate, Reload)
"""Actions that are expected to replace the document."""


class PageGuard:
    """Checks, between the actions of one sequence, whether the page is still the same document with the same focus."""

    def __init__(self, settler: Settler) -> None:
        self._settler = settler
        self._frames = settler.tab.frames
        self._loader_id = self._frames.main.loader_id
        self._watching = False

    async def check(self, action: Action, *, skipped: int) -> None:
        """Raise GuardStopped if the document was replaced, or if a key would go to an element that lost its focus."""
        if not self._watching:
            await self._watch()
        focus_lost = await self._focus_lost()
        main = self._frames.main
        new_url = main.url if main.loader_id != self._loader_id else self._settler.leaving_for
        if new_url is not None:
            raise GuardStopped(
                f"guard: the page navigated to {new_url} before {action.kind}; {skipped} actions were skipped",
                skipped=skipped,
            )
        if _targets_focus(action) and focus_lost:
            raise GuardStopped(
                f"guard: the focused element is gone, so the input of {action.kind} would go to another element; "
                f"{skipped} actions were skipped",
                skipped=skipped,
            )

    async def note(self, action: Action) -> None:
        """Record that an action was performed: after a navigation action, watch the new document."""
        if isinstance(action, NAVIGATING):
            self._loader_id = self._frames.main.loader_id
            await self._watch()

    async def _watch(self) -> None:
        self._watching = True
        try:
            await self._frames.main.call(elements.watch_focus())
        except CommandError:
            # The document is being replaced; the next check sees another loader id.
            return

    async def _focus_lost(self) -> bool:
        # Queried before every action, so that the reply comes after the effects of the action before it.
        try:
            return bool(await self._frames.main.call(elements.focus_lost()))
        except CommandError as error:
            # A lost document has lost its focus; any other problem surfaces in the action itself.
            return isinstance(error, ContextLost)


def _targets_focus(action: Action) -> bool:
    return isinstance(action, (PressKey, TypeText, InsertText, KeyDown)) and getattr(action, "selector", None) is None
