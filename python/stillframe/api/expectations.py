"""Waiting for events of a page: what a block of code causes, or what comes next."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

from stillframe.api.downloads import Download
from stillframe.api.events import PAGE_EVENTS, PageEventName, PageEvents, RequestPattern, ResponsePattern, value_matcher
from stillframe.api.expecting import Expectation, Predicate, expecting
from stillframe.api.file_chooser import FileChooser
from stillframe.api.frame_waits import FrameWaits, named
from stillframe.api.handlers import known_event
from stillframe.api.parts import default_limit
from stillframe.api.websockets import WebSocket
from stillframe.api.workers import Worker
from stillframe.errors import OptionInvalid
from stillframe.model.events import ConsoleMessage
from stillframe.tab.deadline import CALL_MS
from stillframe.tab.network.requests import Request
from stillframe.tab.network.responses import Response


class PageExpectations(FrameWaits, PageEvents):
    """The waits of one page for its events."""

    @default_limit
    def expect_event(
        self, event: PageEventName, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Any]]:
        """Wait for any event: `async with page.expect_event("worker") as worker: …`, then `await worker.value`.

        Listening begins before the block; its end waits for the first event that matches.

        Args:
            event: The event, as for `on`.
            predicate: A function of the value that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is that of the event, as for `on`.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`; the message shows what came instead.
            SessionLost: The page closes meanwhile.
            OptionInvalid: There is no such event.
        """
        name = known_event(event, PAGE_EVENTS)
        return self._expect(name, f"had no {name} event", predicate, timeout_ms)

    @default_limit
    async def wait_for_event(
        self, event: PageEventName, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> Any:
        """Wait for the next event of a name and return its value.

        Args:
            event: The event, as for `on`.
            predicate: A function of the value that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`; the message shows what came instead.
            SessionLost: The page closes meanwhile.
            OptionInvalid: There is no such event.
        """
        async with self.expect_event(event, predicate, timeout_ms=timeout_ms) as came:
            pass
        return came.result()

    @default_limit
    def expect_request(
        self, pattern: RequestPattern, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Request]]:
        """Wait for a request: `async with page.expect_request("**/save") as request: …`, then `await request.value`.

        Listening begins before the block; its end waits for the first match.

        Args:
            pattern: A glob (see `page.route`), a compiled regular expression that is searched in the URL, or a function
                of the Request.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Request.

        Raises:
            WaitTimeout: None is sent within `timeout_ms`; the message shows the requests that came instead.
            SessionLost: The page closes meanwhile.
            OptionInvalid: The pattern is invalid.
        """
        return self._expect_traffic("request", pattern, timeout_ms)

    @default_limit
    def expect_response(
        self, pattern: ResponsePattern, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Response]]:
        """Wait for a response: `async with page.expect_response("**/save") as came: …`, then `await came.value`.

        Listening begins before the block; its end waits for the first match. The body may be on its way still: `body()`
        waits.

        Args:
            pattern: As for `expect_request`; a function gets the Response.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Response.

        Raises:
            WaitTimeout: None comes within `timeout_ms`.
            SessionLost: The page closes meanwhile.
            OptionInvalid: The pattern is invalid.
        """
        return self._expect_traffic("response", pattern, timeout_ms)

    @default_limit
    def expect_request_finished(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Request]]:
        """Wait until a request is complete, its body included; as `expect_event`.

        Args:
            predicate: A function of the Request that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Request.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
        """
        return self._expect("requestfinished", "completed no request", predicate, timeout_ms)

    @default_limit
    def expect_download(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Download]]:
        """Wait until a download begins: `async with page.expect_download() as began: …`, then `await began.value`.

        `await (await began.value).path()` waits until the file is complete.

        Args:
            predicate: A function of the Download that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Download.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
        """
        return self._expect("download", "began no download", predicate, timeout_ms)

    @default_limit
    def expect_console_message(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[ConsoleMessage]]:
        """Wait for a message in the console; as `expect_event`.

        Args:
            predicate: A function of the ConsoleMessage that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the ConsoleMessage.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
        """
        return self._expect("console", "logged nothing", predicate, timeout_ms)

    @default_limit
    def expect_file_chooser(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[FileChooser]]:
        """Wait for a file dialog: `async with page.expect_file_chooser() as asked: …`, then `await asked.value`.

        The browser does not open the dialog: `await (await asked.value).set_files("cv.pdf")` answers it. Without code
        around it, `page.set_input_files(selector, "cv.pdf")` does both.

        Args:
            predicate: A function of the FileChooser that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the FileChooser.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
        """
        return self._expect("filechooser", "asked for no files", predicate, timeout_ms)

    @default_limit
    def expect_websocket(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[WebSocket]]:
        """Wait until the page opens a WebSocket; as `expect_event`.

        Args:
            predicate: A function of the WebSocket that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the WebSocket.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
        """
        return self._expect("websocket", "opened no WebSocket", predicate, timeout_ms)

    @default_limit
    def expect_worker(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Worker]]:
        """Wait until the page starts a dedicated worker; as `expect_event`.

        Args:
            predicate: A function of the Worker that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Worker.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
        """
        return self._expect("worker", "started no worker", predicate, timeout_ms)

    def _expect_traffic(
        self, name: Literal["request", "response"], pattern: Any, timeout_ms: float | None
    ) -> AbstractAsyncContextManager[Expectation[Any]]:
        matches = value_matcher(pattern)
        return expecting(
            lambda came: self._listen(name, came),
            attach=self._attached_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"no {name} of the page at {self._shown_url()} matched {named(pattern)}",
            matches=matches,
        )

    def _expect(
        self, name: str, missing: str, predicate: Predicate | None, timeout_ms: float | None
    ) -> AbstractAsyncContextManager[Expectation[Any]]:
        if predicate is not None and not callable(predicate):
            raise OptionInvalid(
                f"option predicate: {predicate!r} is not a function of the value of the event", option="predicate"
            )
        which: Callable[[], str] = lambda: "" if predicate is None else " that the function takes"  # noqa: E731
        return expecting(
            lambda came: self._listen(name, came),
            attach=self._attached_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"the page at {self._shown_url()} {missing}{which()}",
            matches=predicate,
        )
