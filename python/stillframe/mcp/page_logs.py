"""The logs and records of the pages of one client, from the moment that each page can run a script."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stillframe.api.browser import pages_begun
from stillframe.mcp.page_log import PageLog
from stillframe.mcp.page_record import PageRecord

if TYPE_CHECKING:
    from stillframe import BrowserContext, Page


class PageLogs:
    """The logs of pages; with `records` also all that they log and request, for the tools that read it."""

    def __init__(self, *, records: bool = False) -> None:
        self._keeps_records = records
        self._logs: WeakKeyDictionary[Page, PageLog] = WeakKeyDictionary()
        self._records: WeakKeyDictionary[Page, PageRecord] = WeakKeyDictionary()

    def follow(self, context: BrowserContext, page: Page) -> None:
        """Begin with a page, and with all that open in its context later, before anything runs in them."""
        self.of(page)
        pages_begun(context, self.of)

    def of(self, page: Page) -> PageLog:
        """Return the log of a page, and begin it if there is none; sends commands and awaits nothing."""
        if self._keeps_records:
            self.record(page)
        if page not in self._logs:
            self._logs[page] = PageLog(page)
        return self._logs[page]

    def record(self, page: Page) -> PageRecord:
        """Return the record of a page, and begin it if there is none; sends commands and awaits nothing."""
        if page not in self._records:
            self._records[page] = PageRecord(page)
        return self._records[page]
