"""The logs and records of the pages of one client, from the moment that each page can run a script."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stillframe.extend import on_page
from stillframe.mcp.page_log import PageLog
from stillframe.mcp.page_record import PageRecord

if TYPE_CHECKING:
    from stillframe import BrowserContext, Download, Page

KEPT_DOWNLOADS = 200
"""Downloads of one context that are listed; their files stay for as long as the context."""


class PageLogs:
    """The logs of pages; for the tools that read it, also all that they log and request, and what they download."""

    def __init__(self, *, records: bool = False, downloads: bool = False) -> None:
        self._keeps_records = records
        self._keeps_downloads = downloads
        self._logs: WeakKeyDictionary[Page, PageLog] = WeakKeyDictionary()
        self._downloads: WeakKeyDictionary[BrowserContext, dict[int, Download]] = WeakKeyDictionary()
        self._records: WeakKeyDictionary[Page, PageRecord] = WeakKeyDictionary()

    def follow(self, context: BrowserContext, page: Page) -> None:
        """Begin with a page, and with all that open in its context later, before anything runs in them."""
        for begin in (self.of, partial(self._listen, context)):
            begin(page)
            on_page(context, begin)

    def downloads(self, context: BrowserContext) -> dict[int, Download]:
        """Return what the pages of a context began to download, by numbers from 1 on; only the last ones are kept."""
        return dict(self._downloads.get(context, {}))

    def _listen(self, context: BrowserContext, page: Page) -> None:
        """Keep the downloads of a page, if a tool reads them."""
        if not self._keeps_downloads:
            return
        kept = self._downloads.setdefault(context, {})

        def keep(download: Download) -> None:
            kept[max(kept, default=0) + 1] = download
            if len(kept) > KEPT_DOWNLOADS:
                del kept[min(kept)]

        page.on("download", keep)

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
