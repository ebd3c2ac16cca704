"""Keep the pages of a headless browser from asking for another program.

Chrome asks in a window of its own whether to open an address such as `slack://…`. A headless browser shows that to
nobody, and while it is open the page takes no input at all. So the documents stop such a navigation
(elements/external.js).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.model.events import RefusedUrl

if TYPE_CHECKING:
    from stillframe.chrome import BrowserInfo
    from stillframe.tab.frames import Frame, WorldScripts
    from stillframe.tab.recorder import EventRecorder

BINDING = "__sfExternal"
"""The function of the isolated world that takes the address; without it the documents stop nothing."""
RULE = "headless Chrome: only another program opens it"


class ExternalPrograms:
    """Reports the addresses for other programs that the documents of a tab did not open."""

    def __init__(self, scripts: WorldScripts, info: BrowserInfo, recorder: EventRecorder) -> None:
        self._recorder = recorder
        if info.is_headless:
            scripts.bindings[BINDING] = self._stopped

    def _stopped(self, frame: Frame, url: str) -> None:
        kind = "navigation" if frame.is_main else "frame"
        self._recorder.add(RefusedUrl(url=url, rule=RULE, kind=kind))
