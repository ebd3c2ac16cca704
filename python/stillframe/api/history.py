"""What a page has done before anybody listened."""

from __future__ import annotations

from stillframe.api.parts import PagePart, page_call
from stillframe.model.events import ConsoleMessage, PageError
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.events import history
from stillframe.tab.network.requests import Request


class PageHistory(PagePart):
    """The last requests, messages and errors of a page."""

    @page_call
    async def requests(self, *, timeout_ms: float | None = CALL_MS) -> list[Request]:
        """Return the last requests of the page, 100 at most, oldest first.

        Of those that were sent before anybody listened to requests, only what was sent is known, as the page gave it:
        neither cookies nor a response.
        """
        return self._tab.events.recent_requests()

    @page_call
    async def console_messages(self, *, timeout_ms: float | None = CALL_MS) -> list[ConsoleMessage]:
        """Return what the page's current document has logged, 200 messages at most, oldest first.

        What the browser reported about it follows. Objects are `[object Object]`; `page.on("console", …)` shows what is
        in them.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        found = await history.console_messages(self._tab.session, Deadline.of_ms(timeout_ms))
        return self._tab.events.owned(found)

    @page_call
    async def page_errors(self, *, timeout_ms: float | None = CALL_MS) -> list[PageError]:
        """Return the errors of the page's current document that none of its code caught, 200 at most, oldest first.

        Unlike `page.on("pageerror", …)`, this turns the Runtime domain of CDP on for a moment, which a page can notice.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        found = await history.page_errors(self._tab.session, Deadline.of_ms(timeout_ms))
        return self._tab.events.owned(found)
