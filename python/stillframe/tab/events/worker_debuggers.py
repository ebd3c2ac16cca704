"""Keep the debugger of a worker on while something of this package needs it: call hooks, or the console's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.cdp_types import debugger

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession


class WorkerDebuggers:
    """Counts the users of the debuggers of a tab's workers: `Debugger.disable` removes everybody's breakpoints."""

    def __init__(self) -> None:
        self._users: dict[CDPSession, int] = {}

    def use(self, session: CDPSession) -> None:
        """Turn the debugger of a worker on, so that it never pauses; awaits nothing."""
        if session not in self._users:
            session.on_closed(lambda _: self._users.pop(session, None))
        users = self._users[session] = self._users.get(session, 0) + 1
        if users == 1:
            # Each evaluation of a condition is a script, and the debugger would keep it after it ends.
            session.post(debugger.Enable(max_scripts_cache_size=0))
            session.post(debugger.SetSkipAllPauses(skip=True))

    def leave(self, session: CDPSession) -> None:
        """Turn the debugger off after its last use; awaits nothing."""
        if session not in self._users:
            return
        self._users[session] -= 1
        if not self._users[session]:
            session.post(debugger.Disable())
