"""Act on a page, and find its elements, below the public calls."""

from __future__ import annotations

from stillframe.engine import actions
from stillframe.model.actions import Action
from stillframe.model.result import NavigationResult
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.locating import locate as locating
from stillframe.tab.locating.locate import ACTION_TIMEOUT
from stillframe.tab.tab import Tab


async def perform(attempt: Attempt, action: Action, *, timeout: float = ACTION_TIMEOUT) -> NavigationResult | None:
    return await actions.perform(attempt, action, Deadline(timeout))


async def locate(tab: Tab, selector: str, *, timeout: float = ACTION_TIMEOUT) -> ElementHandle:
    return await locating.locate(tab, selector, Deadline(timeout))
