"""The commands that make a target look as the options of its context say, on their way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from stillframe.cdp import CDPSession
from stillframe.errors import CdpError, OptionInvalid

TAKEN = "already in effect"
"""What Chrome says when another page of the same process has set the locale. It is the same locale, because pages that
share a process share a context. The number is that of every other failure, hence the text."""


class Setup:
    """The commands that make a target look as its context says, on their way."""

    def __init__(self, session: CDPSession, stop: Callable[[], None]) -> None:
        self._session = session
        self._stop = stop
        self._sent: list[tuple[str, asyncio.Future[Any]]] = []

    def post(self, option: str, command: Any) -> None:
        """Send a command that an option wants."""
        self._sent.append((option, self._session.post(command)))

    def stop(self) -> None:
        """Leave the requests of the target alone from now on."""
        self._stop()

    async def done(self) -> None:
        """Wait until the browser has taken all; raises OptionInvalid naming the option that it did not take."""
        for option, reply in self._sent:
            try:
                await reply
            except CdpError as error:
                if option == "locale" and TAKEN in error.text:
                    continue
                raise OptionInvalid(f"option {option}: the browser says {error.text!r}", option=option) from None
