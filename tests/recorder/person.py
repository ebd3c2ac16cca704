"""Somebody in front of the browser: real input events, sent by another connection than the recorder's."""

from __future__ import annotations

import msgspec

from stillframe import Browser, Navigate, Page
from stillframe.model.actions import Action


class Person:
    """Acts on a page of the browser that the connection is to."""

    def __init__(self, browser: Browser, page: Page, base: str) -> None:
        self._browser = browser
        self._page = page
        self._base = base

    async def act(self, *actions: Action) -> None:
        """Do something, one action after the other, and look at the page after each."""
        page = next(each for each in self._browser.pages if each.target_id == self._page.target_id)
        for action in actions:
            if isinstance(action, Navigate):
                action = msgspec.structs.replace(action, url=self._base + action.url)
            (await page.execute_sequence([action], action_timeout_ms=10_000)).raise_for_failure()
