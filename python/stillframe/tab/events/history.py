"""What a document has logged and thrown before anybody listened. Chrome keeps it, and repeats it to a new client.

So a second session of the page's target reads it, and ends; nothing is kept here, and nothing is on while nobody asks.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from stillframe.cdp_types import console, log, runtime
from stillframe.tab.events.console import message_of_call, message_of_entry
from stillframe.tab.events.page_errors import page_error

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.model.events import ConsoleMessage, PageError
    from stillframe.tab.deadline import Deadline

MESSAGES = 200
"""Messages, and errors, that are returned, the last ones, as in Playwright; Chrome keeps 1000 of a document."""

THROWN = frozenset({"Uncaught", "Uncaught (in promise)"})
"""How Chrome repeats an uncaught error among the messages; when it is thrown, it is not a message."""


async def console_messages(session: CDPSession, deadline: Deadline) -> list[ConsoleMessage]:
    """Return what the current document of a page has logged, and what the browser reported about it, in this order."""
    called: deque[ConsoleMessage] = deque(maxlen=MESSAGES)
    reported: deque[ConsoleMessage] = deque(maxlen=MESSAGES)

    def logged(event: console.MessageAdded) -> None:
        if event.message.level != "log" or event.message.text not in THROWN:
            called.append(message_of_call(event.message))

    def entered(event: log.EntryAdded) -> None:
        message = message_of_entry(event.entry)
        if message is not None:
            reported.append(message)

    second = await session.root.attach(session.target_id, timeout=deadline.left_s)
    try:
        second.on(console.MessageAdded, logged)
        second.on(log.EntryAdded, entered)
        await second.send(console.Enable(), timeout=deadline.left_s)
        await second.send(log.Enable(), timeout=deadline.left_s)
    finally:
        await second.detach(timeout=deadline.hard_left_s)
    return [*called, *reported][-MESSAGES:]


async def page_errors(session: CDPSession, deadline: Deadline) -> list[PageError]:
    """Return the errors that no code of the current document has caught."""
    thrown: deque[PageError] = deque(maxlen=MESSAGES)
    isolated: set[int] = set()

    def made(event: runtime.ExecutionContextCreated) -> None:
        if not (event.context.aux_data or {}).get("isDefault", True):
            isolated.add(event.context.id)

    def threw(event: runtime.ExceptionThrown) -> None:
        details = event.exception_details
        if details.execution_context_id in isolated:
            return  # a script of ours, or of an extension
        exception = details.exception
        described = (exception and (exception.description or exception.value)) or ""
        error = page_error(
            {
                "message": details.text if not described else str(described),
                "stack": described if isinstance(described, str) and "\n" in described else "",
                "url": details.url,
                "line": details.line_number + 1,
                "column": details.column_number + 1,
            }
        )
        thrown.append(error)

    second = await session.root.attach(session.target_id, timeout=deadline.left_s)
    try:
        second.on(runtime.ExecutionContextCreated, made)
        second.on(runtime.ExceptionThrown, threw)
        await second.send(runtime.Enable(), timeout=deadline.left_s)
    finally:
        await second.detach(timeout=deadline.hard_left_s)
    return list(thrown)
