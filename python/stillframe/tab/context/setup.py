"""Track the commands that apply a context's options to one target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stillframe.errors import CdpError, OptionInvalid

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession

TAKEN = "already in effect"
"""Chrome's message when another page of the same process has set the locale. It is the same locale, because pages that
share a process share a context. The error number is shared with every other failure, hence the text."""


class Setup:
    """The commands in flight that apply a context's options to one target."""

    def __init__(self, session: CDPSession, stop: Callable[[], None]) -> None:
        self._session = session
        self._stop = stop
        self._sent: list[tuple[str, asyncio.Future[Any]]] = []

    def post(self, option: str, command: Any) -> None:
        """Send a command on behalf of an option."""
        self._sent.append((option, self._session.post(command)))

    def stop(self) -> None:
        """Stop handling the target's requests."""
        self._stop()

    async def done(self) -> None:
        """Wait until the browser has accepted all commands; raises OptionInvalid that names a rejected option."""
        for option, reply in self._sent:
            try:
                await reply
            except CdpError as error:
                if option == "locale" and TAKEN in error.text:
                    continue
                raise OptionInvalid(f"option {option}: the browser rejects it: {error.text!r}", option=option) from None
