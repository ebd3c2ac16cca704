"""Observe a page as closely as its browser allows: the scripts in its documents, and whether they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandError, UnsupportedByBrowser
from stillframe.injected import observer
from stillframe.settling.observation import Means, observed, shortfall

if TYPE_CHECKING:
    from stillframe.model.options import Observe, SequenceOptions
    from stillframe.model.verdict import Observed
    from stillframe.settling.observed_page import ObservedPage
    from stillframe.tab.deadline import Deadline


class Observing:
    """Decides how closely one page is observed, and brings its documents there."""

    def __init__(self, page: ObservedPage) -> None:
        self._page = page
        self._refused = False
        """Whether the browser has refused to run the observer."""

    async def prepare(self, options: SequenceOptions, deadline: Deadline) -> Observed | None:
        """Observe the page as closely as wanted and possible; return how closely that is if it is less than wanted.

        A new document has until the deadline to install the observer; one that cannot answer stays without.
        """
        self._set(options)
        await self._wait_for_observer(deadline)
        return self._set(options)  # the browser may have refused meanwhile

    def _set(self, options: SequenceOptions) -> Observed | None:
        tab, hooks, wanted = self._page.tab, self._page.hooks, self._wanted(options)
        found = observed(
            wanted, Means(tab.context.capabilities, not tab.frames.scripts.exhausted, scripted=not self._refused)
        )
        tab.observation.observe = found.level
        if found.level == "calls":
            hooks.install()
        elif hooks.remove():
            self._page.post_to_frames(observer.unhook().expression)
        return shortfall(wanted, found)

    def _wanted(self, options: SequenceOptions) -> Observe:
        if options.observe is not None:
            return options.observe
        # A virtual clock jumps to the next due call, so the calls have to be known.
        return "calls" if options.settle == "virtual" else self._page.tab.context.options.observe

    async def _wait_for_observer(self, deadline: Deadline) -> None:
        try:
            async with time_limit(deadline.left_s):
                await self._page.tab.frames.main.world().context()
                await self._page.hooks.ready()
        except UnsupportedByBrowser:
            self._refused = True
        except (CommandError, TimeoutError):
            return
