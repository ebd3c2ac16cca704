"""The browser of `--profile`: launched for the first session, and used by one session at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from stillframe import launch
from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    from stillframe import Browser
    from stillframe.sessions import Sessions


class ProfileBrowser:
    """A browser on a user data directory: its default context has the cookies there, and there is only one of it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self.turn = asyncio.Lock()
        """Held while a session opens."""
        self._browser: Browser | None = None
        self._user: tuple[Sessions, str] | None = None

    async def place(self, sessions: Sessions, name: str) -> dict[str, Any]:
        """Return the arguments of `Sessions.open` for the one session that may use the profile.

        Raises OptionInvalid if there is one already, and the errors of `launch`, ProfileLocked among them.
        """
        user = self._user
        if user is not None and any(info.session_id == user[1] for info in user[0].list()):
            whose = f"session {user[1]!r} has" if user[0] is sessions else "another client has"
            raise OptionInvalid(
                f"{whose} the profile of this server, which serves one session: use that session, or close it first",
                option="sessionId",
            )
        if self._browser is None or self._browser.closed:
            await self.close()
            self._browser = await launch(**self._options)
        self._user = sessions, name
        return {"browser": self._browser, "own_context": False}

    async def close(self) -> None:
        """End the browser, if there is one."""
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()
