"""Keep the pages of a headless browser from asking for another program.

Chrome asks in a window of its own whether to open an address such as `slack://…`. A headless browser shows that to
nobody, and while it is open the page takes no input at all. So the documents stop such a navigation
(elements/external.ts). They cannot stop the first navigation of a frame; a browser that was launched on Linux drops it
(chrome/launcher.py).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from stillframe.cdp_types import page as cdp_page
from stillframe.model.events import RefusedUrl

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.chrome.browser_info import BrowserInfo
    from stillframe.tab.events.recorder import EventRecorder
    from stillframe.tab.frames import Frame, WorldScripts

OPENED_BY_CHROME = (
    *("http", "https", "file", "ftp", "data", "blob", "about", "javascript", "filesystem", "view-source"),
    *("chrome", "chrome-error", "chrome-extension", "chrome-untrusted", "devtools"),
)
"""The schemes that Chrome opens by itself."""
BINDING = "__sfExternal"
"""The function of the isolated world that takes the address."""
SWITCH = f"void (globalThis.__sfOpenedByChrome = {json.dumps(OPENED_BY_CHROME)});"
"""Without it the documents stop nothing. It is a script, because bindings come after the first scripts of a page."""
HEADLESS_SHELL = "HeadlessChrome/"
"""How the product of chrome-headless-shell begins. It asks nobody, but loses input while such a navigation fails."""
RULE = "headless Chrome: only another program opens it"


class ExternalPrograms:
    """Reports the addresses for other programs that the documents of a tab did not open."""

    def __init__(self, scripts: WorldScripts, info: BrowserInfo, recorder: EventRecorder) -> None:
        self._recorder = recorder
        self._drops = info.launched and info.is_headless and sys.platform == "linux"
        if info.is_headless or info.product.startswith(HEADLESS_SHELL):
            scripts.sources.append(SWITCH)
            scripts.bindings[BINDING] = self._stopped

    def watch(self, session: CDPSession, main: str) -> None:
        """Report what the browser drops that begins in a session, of a page whose main frame is `main`."""

        def started(event: cdp_page.FrameStartedNavigating) -> None:
            if event.url.partition(":")[0].lower() not in OPENED_BY_CHROME:
                self._refused(event.url, is_main=event.frame_id == main)

        if self._drops:
            session.on(cdp_page.FrameStartedNavigating, started)

    def _stopped(self, frame: Frame, url: str) -> None:
        self._refused(url, is_main=frame.is_main)

    def _refused(self, url: str, *, is_main: bool) -> None:
        self._recorder.add(RefusedUrl(url=url, rule=RULE, kind="navigation" if is_main else "frame"))
