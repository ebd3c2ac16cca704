"""Keep the file dialogs of a tab closed while something of this package answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stillframe.cdp_types import page as cdp_page

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession


class FileDialogs:
    """Counts who keeps the dialogs of a session closed: one command turns that off for everybody."""

    def __init__(self) -> None:
        self._holders: WeakKeyDictionary[CDPSession, int] = WeakKeyDictionary()

    def hold(self, session: CDPSession) -> asyncio.Future[None]:
        """Have Chrome report the dialogs of a session in place of opening them; the future is its answer."""
        self._holders[session] = self._holders.get(session, 0) + 1
        return session.post(cdp_page.SetInterceptFileChooserDialog(enabled=True))

    def release(self, session: CDPSession) -> None:
        """Let Chrome open dialogs again once nobody holds them; awaits nothing."""
        left = self._holders.get(session, 0) - 1
        if left > 0:
            self._holders[session] = left
            return
        self._holders.pop(session, None)
        if session.error is None:
            session.post(cdp_page.SetInterceptFileChooserDialog(enabled=False))
