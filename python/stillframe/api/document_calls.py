"""Calls of pages and frames that put something into their documents."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod

from stillframe.api.parts import PagePart, page_call
from stillframe.settling import signals
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.frames import Frame as TabFrame
from stillframe.tab.navigation import content as putting
from stillframe.tab.navigation.loading import WaitUntil
from stillframe.tab.navigation.navigation import NAVIGATION_TIMEOUT

LOAD_MS = NAVIGATION_TIMEOUT * 1000


class DocumentCalls(PagePart, ABC):
    """What a page and a frame have in common: their document takes HTML, scripts and style sheets."""

    @property
    @abstractmethod
    def _frame(self) -> TabFrame:
        """The frame whose document it is."""

    @page_call
    async def set_content(self, html: str, *, until: WaitUntil = "load", timeout_ms: float | None = LOAD_MS) -> None:
        """Replace the document with HTML and wait for it to load.

        The URL stays, so relative URLs and the origin are those of the document before. Call `page.settle()` to wait
        until the page is still.

        Args:
            html: The new document.
            until: What to wait for: its `load`, its `domcontentloaded`, or nothing (`commit`).
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.

        Raises:
            OptionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        self._parts.settler.emit(signals.CallerScriptRan())
        await putting.set_content(self._frame, html, until=until, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def add_script_tag(
        self,
        *,
        url: str | None = None,
        path: str | os.PathLike[str] | None = None,
        content: str | None = None,
        type: str = "",
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Add a `<script>` of a URL, a local file or a text, and wait until it has run.

        The document gets it once, and no later document does: `page.add_init_script` is for those. Exactly one of
        `url`, `path` and `content` is given.

        Args:
            url: The URL of the script.
            path: The file with the script.
            content: The text of the script.
            type: Its `type`, such as `module`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: Not exactly one of the three is given, or the file cannot be read.
            EvaluationFailed: It cannot be loaded, or the page forbids it.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._add("script", url, path, content, type, timeout_ms)

    @page_call
    async def add_style_tag(
        self,
        *,
        url: str | None = None,
        path: str | os.PathLike[str] | None = None,
        content: str | None = None,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Add a style sheet of a URL, a local file or a text, and wait until it applies.

        Exactly one of `url`, `path` and `content` is given.

        Args:
            url: The URL of the style sheet.
            path: The file with the style sheet.
            content: The text of the style sheet.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: Not exactly one of the three is given, or the file cannot be read.
            EvaluationFailed: It cannot be loaded, or the page forbids it.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._add("style", url, path, content, "", timeout_ms)

    async def _add(
        self,
        kind: putting.Tag,
        url: str | None,
        path: str | os.PathLike[str] | None,
        content: str | None,
        type: str,
        timeout_ms: float | None,
    ) -> None:
        self._parts.settler.emit(signals.CallerScriptRan())
        deadline = Deadline.of_ms(timeout_ms)
        await putting.add_tag(self._frame, kind, url=url, path=path, content=content, type=type, deadline=deadline)
