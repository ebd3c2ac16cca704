"""Explore an element: see what it shows when it is touched, without lasting effects, and keep only text of it."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from stillframe import Page
from stillframe.agent.budget import Budget
from stillframe.agent.errors import ToolFailed
from stillframe.agent.exploration_guard import ExplorationGuard
from stillframe.agent.exploration_targets import Part, parts_of_target, refusal
from stillframe.agent.limits import Limits
from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import page as cdp_page
from stillframe.core import Snapshot
from stillframe.errors import StillframeError
from stillframe.extend import is_same, page_state
from stillframe.extend.text import change_lines, fact_lines, quote
from stillframe.injected import elements
from stillframe.model.actions import Action, Click, Focus, Hover, PressKey
from stillframe.model.change import StateChange
from stillframe.model.result import SequenceResult
from stillframe.model.structs import Value

ExploreAction = Literal["hover", "click_info", "click_menu", "focus"]
TOOL = "explore_element"
ROWS = 12
"""Rows per list of what an exploration changed, as in a sequence."""
DIALOG_TEXT_CHARS = 4_000
"""Characters of the text of the page that is searched for open dialogs; dialogs come first in it."""

ACTIONS: dict[str, type[Hover] | type[Click] | type[Focus]] = {
    "hover": Hover,
    "click_info": Click,
    "click_menu": Click,
    "focus": Focus,
}
AWAY = cdp_input.DispatchMouseEvent(type="mouseMoved", x=-1, y=-1)
"""The mouse leaves the viewport, so that it hovers over nothing."""

_DIALOG = re.compile(r'^\s*- (?:alert)?dialog(?: ("(?:[^"\\]|\\.)*"))?', re.MULTILINE)


class Exploration(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What an element showed when it was explored, as text, and whether the page is as it was before.

    `navigated` is where the page went, if it went anywhere, `dialogs` the open dialogs that were not open before, and
    `blocked` the requests that were stopped. `undone` says what was done to restore the page, `remaining` what differs
    after that.
    """

    action: str
    target: str
    purpose: str = ""
    error: str | None = None
    change: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    navigated: str | None = None
    dialogs: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()

    @property
    def restored(self) -> bool:
        """Whether the page is as it was before."""
        return not self.remaining

    @property
    def text(self) -> str:
        """The exploration in lines, what was done first."""
        state = "the page is as it was before" if self.restored else "the page is NOT as it was before"
        lines = [f"{self.action} of {self.target}; {state}"]
        lines += [f"purpose: {quote(self.purpose)}"] if self.purpose else []
        lines += [f"error: {' '.join(self.error.split())}"] if self.error else []
        lines += [*self.change, *self.facts]
        lines += [f"the page went to {quote(self.navigated)}"] if self.navigated else []
        lines += [f"opened: dialog {name}" for name in self.dialogs]
        lines += [f"blocked: {request}" for request in self.blocked]
        lines += [f"undone: {step}" for step in self.undone]
        return "\n".join(lines + [f"still different: {line}" for line in self.remaining])


class PageLook(NamedTuple):
    """What is compared before and after: the snapshot, the open dialogs, and where the page is in its history."""

    snapshot: Snapshot
    dialogs: tuple[str, ...]
    url: str
    entry: int
    """The id of the current entry of the history."""


class Explorer:
    """Explores elements of one page within the limits of a run."""

    def __init__(self, page: Page, limits: Limits, budget: Budget) -> None:
        self._page = page
        self._limits = limits
        self._budget = budget
        self._seconds = limits.exploration_timeout / 1000

    async def explore(self, action: ExploreAction, selector: str, *, purpose: str = "") -> Exploration:
        """Touch an element, look at what changes, and restore the page.

        Meanwhile, requests other than GET and HEAD and navigations of the page are stopped, dialogs are dismissed, and
        new tabs are closed. Raises ToolFailed, before anything is touched, if a limit of explorations is reached or the
        element is a forbidden target; otherwise what locating an element raises.
        """
        if key := self._budget.explore():
            most = getattr(self._limits, key)
            raise ToolFailed(f"{TOOL}: {key}: {most} explorations are used up; act with commands", tool=TOOL)
        target = await self._allowed_target(action, selector)
        async with ExplorationGuard(self._page) as guard:
            return await self._explore(guard, target, ACTIONS[action](selector), action, purpose)

    async def _allowed_target(self, action: str, selector: str) -> Part:
        """Return the target; raises ToolFailed if it must not be touched."""
        clicks = ACTIONS[action] is Click
        parts = await self._read_target(selector, clicks=clicks)
        if reason := refusal(parts, self._limits.forbidden_targets, clicks=clicks):
            raise ToolFailed(f"{TOOL}: {action} of {parts[0].title} is refused: {reason}", tool=TOOL)
        return parts[0]

    async def _read_target(self, selector: str, *, clicks: bool) -> tuple[Part, ...]:
        state = page_state(self._page)
        await state.attach()
        try:
            handle = await state.locate(selector, timeout_ms=self._seconds * 1000)
            try:
                return state.redact(await parts_of_target(handle, clicks=clicks, seconds=self._seconds))
            finally:
                handle.forget()
        except StillframeError as error:
            state.redaction.redact_error(error)
            raise

    async def _explore(
        self, guard: ExplorationGuard, target: Part, action: Action, name: ExploreAction, purpose: str
    ) -> Exploration:
        before = await self._state()
        result = await self._run(action)
        change = await self._rested(before, result) if name == "hover" else result.state_change
        await guard.close_tabs(result.new_targets)
        after = await self._state()
        opened = tuple(each for each in after.dialogs if each not in before.dialogs)
        has_opened = bool(opened or (change and change.appeared))
        undone = await _Undoing(self, guard, before, action, target, has_opened=has_opened).undo(after)
        return Exploration(
            action=name,
            target=target.title,
            purpose=purpose,
            error=result.failed.error if result.failed else None,
            change=tuple(change_lines(change)),
            facts=(*fact_lines(result), *(f"closed: the new tab {quote(tab.url)}" for tab in result.new_targets)),
            navigated=None if after.url == before.url else self._redacted(after.url),
            dialogs=opened,
            blocked=tuple(guard.blocked),
            undone=tuple(undone),
            remaining=tuple(await self.remaining(before)),
        )

    async def _run(self, action: Action) -> SequenceResult:
        return await self._page.execute_sequence([action], action_timeout_ms=self._limits.exploration_timeout)

    async def _rested(self, before: PageLook, result: SequenceResult) -> StateChange | None:
        """Let the mouse rest on the element, and return what changed since before it came."""
        if result.failed is not None or not self._limits.hover_wait:
            return result.state_change
        await asyncio.sleep(self._limits.hover_wait / 1000)
        await self._page.settle()
        return await self._change(before, await self._page.snapshot())

    async def _change(self, before: PageLook, now: Snapshot) -> StateChange | None:
        state = page_state(self._page)
        noise = await state.noise(timeout_ms=self._seconds * 1000)
        return state.compare(before.snapshot, now, rows=ROWS, noise=noise)

    # -- what an undoing needs ---------------------------------------------------------------------

    async def act(self, action: Action) -> bool:
        """Run an action that undoes something; return whether it succeeded."""
        return (await self._run(action)).failed is None

    async def restore_url(self, before: PageLook) -> str:
        """Return to the entry of the history where the page was, and return in words what was done."""
        state = page_state(self._page)
        history = await state.session.send(cdp_page.GetNavigationHistory())
        entries = [entry.id for entry in history.entries]
        if before.entry not in entries:
            await self._page.goto(before.url, timeout_ms=self._limits.command_timeout)
            return "the URL was loaded again"
        steps = entries.index(before.entry) - history.current_index
        if steps:
            await state.go(steps, timeout_ms=self._limits.command_timeout)
        if state.url != before.url:
            await state.frames.main.call(elements.restore_url(before.url), timeout=self._seconds)
        await self._page.settle()
        return "the page went back in its history" if steps else "the URL was restored"

    async def leave(self, target: str, *, blur: bool) -> None:
        """Move the mouse out of the viewport and, if asked for, take the focus from the target."""
        state = page_state(self._page)
        await state.session.send(AWAY)
        if blur:
            with suppress(StillframeError):
                handle = await state.locate(target, timeout_ms=self._seconds * 1000)
                await handle.call(elements.drop_focus(), timeout=self._seconds)
                handle.forget()
        await self._page.settle()

    async def is_toggled(self, selector: str, state: str) -> bool:
        """Return whether the target shows another state, such as expanded, than `state`."""
        with suppress(StillframeError):
            return (await self._read_target(selector, clicks=False))[0].state != state
        return False

    async def remaining(self, before: PageLook) -> list[str]:
        """Return what differs from the state before, in lines; none if nothing that a user would notice does."""
        state = page_state(self._page)
        now = await self._page.snapshot()
        masks = state.identity.masks
        same_url = state.url == before.url
        if same_url and before.snapshot.masked_digests(masks).visible == now.masked_digests(masks).visible:
            return []
        noise = await state.noise(timeout_ms=self._seconds * 1000)
        if same_url and before.snapshot.title == now.title and is_same(before.snapshot, now, noise):
            return []
        return change_lines(await self._change(before, now))

    async def _state(self) -> PageLook:
        state = page_state(self._page)
        snapshot = await self._page.snapshot()
        text = await self._page.aria_snapshot(budget=DIALOG_TEXT_CHARS)
        history = await state.session.send(cdp_page.GetNavigationHistory())
        dialogs = tuple(name or "without a name" for name in _DIALOG.findall(text.text))
        return PageLook(snapshot, dialogs, state.url, history.entries[history.current_index].id)

    def _redacted(self, text: str) -> str:
        return page_state(self._page).redact(text)


class _Undoing:
    """Restores the page after one exploration, with as little as possible."""

    def __init__(
        self,
        explorer: Explorer,
        guard: ExplorationGuard,
        before: PageLook,
        action: Any,
        target: Part,
        *,
        has_opened: bool,
    ) -> None:
        self._explorer = explorer
        self._guard = guard
        self._before = before
        self._action = action
        self._state = target.state
        self._has_opened = has_opened

    async def undo(self, after: PageLook) -> list[str]:
        """Undo what is not as before, and return in words what was done."""
        done: list[str] = []
        if (after.url, after.entry) != (self._before.url, self._before.entry):
            self._guard.lets_navigate = True
            done.append(await self._explorer.restore_url(self._before))
            self._guard.lets_navigate = False
        await self._explorer.leave(self._action.selector, blur=isinstance(self._action, Focus))
        for what, undo in (("clicked again", self._close_again), ("pressed Escape", self._escape)):
            if not await self._explorer.remaining(self._before):
                break
            if await undo():
                done.append(what)
        return done

    async def _close_again(self) -> bool:
        """Click the target again if the first click has toggled it."""
        if not isinstance(self._action, Click):
            return False
        selector = self._action.selector
        return await self._explorer.is_toggled(selector, self._state) and await self._explorer.act(Click(selector))

    async def _escape(self) -> bool:
        """Close what has opened; not otherwise, because Escape also closes what was open before."""
        return self._has_opened and await self._explorer.act(PressKey("Escape"))
