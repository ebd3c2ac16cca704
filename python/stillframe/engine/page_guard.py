"""The optional guard of a sequence: stop before an action when the page turned into another one meanwhile."""

from __future__ import annotations

from stillframe.errors import CommandError, ContextLost, GuardStopped
from stillframe.model.actions import Action, GoBack, GoForward, Navigate, PressKey, Reload, TypeText
from stillframe.settling.settler import Settler

NAVIGATING = (GoBack, GoForward, Navigate, Reload)
"""Actions whose very purpose is another document."""

WATCH_FOCUS = """function() {
  if (this.__sfGuard) return;
  const kept = this.__sfGuard = { focus: document.activeElement };
  document.addEventListener("mousedown", () => { kept.focus = null; }, true);
  document.addEventListener("focusin", (event) => { kept.focus = event.target; }, true);
}"""
"""The element that has the focus is noted when it gets it: after a click it may be gone already. Where the mouse goes
down, the focus is given up on purpose."""
FOCUS_LOST = """function() {
  const focus = this.__sfGuard?.focus;
  const now = document.activeElement;
  return Boolean(focus) && !focus.isConnected && (!now || now === document.body);
}"""


class PageGuard:
    """Watches, between the actions of one sequence, whether the page is still the one the caller knew."""

    def __init__(self, settler: Settler) -> None:
        self._settler = settler
        self._frames = settler.tab.frames
        self._loader_id = self._frames.main.loader_id
        self._watching = False

    async def check(self, action: Action, *, skipped: int) -> None:
        """Raise GuardStopped if the document was replaced, or if a key would go where the focus used to be."""
        if not self._watching:
            await self._watch()
        focus_lost = await self._focus_lost()
        main = self._frames.main
        other = main.url if main.loader_id != self._loader_id else self._settler.leaving_for
        if other is not None:
            raise GuardStopped(
                f"guard: the page turned into {other} before {action.kind}; {skipped} actions were skipped",
                skipped=skipped,
            )
        if _types_blindly(action) and focus_lost:
            raise GuardStopped(
                f"guard: the element that had the focus is gone, so {action.kind} would go elsewhere; "
                f"{skipped} actions were skipped",
                skipped=skipped,
            )

    async def note(self, action: Action) -> None:
        """Take in that an action was performed: a navigation was meant, and its document is watched from now on."""
        if isinstance(action, NAVIGATING):
            self._loader_id = self._frames.main.loader_id
            await self._watch()

    async def _watch(self) -> None:
        self._watching = True
        try:
            await self._frames.main.call(WATCH_FOCUS)
        except CommandError:
            # The document is on its way out; the loader id will tell.
            return

    async def _focus_lost(self) -> bool:
        # Asked before every action: the answer comes after what the action before it has set off.
        try:
            return bool(await self._frames.main.call(FOCUS_LOST))
        except CommandError as error:
            # A lost document has lost its focus; whatever else is wrong, the action will meet it.
            return isinstance(error, ContextLost)


def _types_blindly(action: Action) -> bool:
    return isinstance(action, (PressKey, TypeText)) and action.selector is None
