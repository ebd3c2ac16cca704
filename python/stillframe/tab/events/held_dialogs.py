"""Calls on a page that stands still behind a dialog: they end as soon as one waits for the caller's answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stillframe.core import quoted
from stillframe.errors import DialogOpen

if TYPE_CHECKING:
    from stillframe.model.events import OpenDialog
    from stillframe.tab.events.dialogs import Dialogs


def dialog_error(dialog: OpenDialog, before: str = "") -> DialogOpen:
    """Return the error of a call that a dialog keeps from running; `before` names what has not been done."""
    undone = f", and {before} was not done" if before else ""
    return DialogOpen(
        f"a {dialog.type} of the page is open and waits for an answer: {quoted(dialog.message)}{undone}; "
        "answer it with answer_dialog, then go on",
        type=dialog.type,
        dialog_message=dialog.message,
        url=dialog.url,
    )


@asynccontextmanager
async def until_dialog(dialogs: Dialogs, before: str = "") -> AsyncIterator[None]:
    """End the block as soon as a dialog waits for an answer; raises DialogOpen then, and at once if one does now."""
    if not dialogs.may_hold:
        yield
        return
    if (dialog := dialogs.open) is not None:
        raise dialog_error(dialog, before)
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(None) as scope:  # noqa: TID251  no limit: a dialog ends it

            def changed(is_held: bool) -> None:
                if is_held:
                    scope.reschedule(loop.time())

            dialogs.listeners.append(changed)
            try:
                yield
            finally:
                dialogs.listeners.remove(changed)
    except TimeoutError:
        if not scope.expired() or (dialog := dialogs.open) is None:
            raise
        raise dialog_error(dialog, before) from None
