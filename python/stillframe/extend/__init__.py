"""What programs build on that act on pages themselves: an agent, a recorder, a server, a watcher.

    from stillframe.extend import page_state

    state = page_state(page)
    before = await state.capture()
    ...
    print(state.compare(before, await state.capture()))

`page_state` leads to what a page has below its public calls: locate, capture, compare, listen to its signals, keep
secrets out, the lock, the deadlines. The rooms above the driver import `stillframe` and this package and nothing else
of the driver; `make lint` checks that.

- `stillframe.extend.signals`: what settling hears and does
- `stillframe.extend.text`: results and changes in words, as models read them
- `stillframe.extend.browsers`: browsers as programs on this machine
- `stillframe.extend.options`: the options of contexts and of launches, checked
- `stillframe.extend.syntax`: selectors and keys as texts
- `stillframe.extend.network`: bodies, headers and HAR files

Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession as CDPSession
    from stillframe.cdp.loop_clock import loop_clock as loop_clock
    from stillframe.cdp.loop_clock import time_limit as time_limit
    from stillframe.engine.delta import is_same as is_same
    from stillframe.engine.observers import PageObserver as PageObserver
    from stillframe.engine.observers import SequenceObserver as SequenceObserver
    from stillframe.extend.state import HasParts as HasParts
    from stillframe.extend.state import PageState as PageState
    from stillframe.extend.state import compare as compare
    from stillframe.extend.state import on_page as on_page
    from stillframe.extend.state import page_state as page_state
    from stillframe.tab.deadline import CALL_MS as CALL_MS
    from stillframe.tab.deadline import Deadline as Deadline
    from stillframe.tab.deadline import time_limited as time_limited
    from stillframe.tab.events.events import TabEventName as TabEventName
    from stillframe.tab.events.held_dialogs import dialog_error as dialog_error
    from stillframe.tab.frames import WORLD as WORLD
    from stillframe.tab.frames import ElementHandle as ElementHandle
    from stillframe.tab.frames import Frame as Frame
    from stillframe.tab.locating.locate import ACTION_TIMEOUT as ACTION_TIMEOUT
    from stillframe.tab.locating.locate import accessible_identity as accessible_identity
    from stillframe.tab.refs import NodeKey as NodeKey
    from stillframe.tab.refs import RefTable as RefTable

_HOMES: dict[str, str] = {
    "PageObserver": "stillframe.engine.observers",
    "SequenceObserver": "stillframe.engine.observers",
    "HasParts": "stillframe.extend.state",
    "PageState": "stillframe.extend.state",
    "on_page": "stillframe.extend.state",
    "compare": "stillframe.extend.state",
    "page_state": "stillframe.extend.state",
    "is_same": "stillframe.engine.delta",
    "WORLD": "stillframe.tab.frames",
    "ElementHandle": "stillframe.tab.frames",
    "Frame": "stillframe.tab.frames",
    "TabEventName": "stillframe.tab.events.events",
    "NodeKey": "stillframe.tab.refs",
    "RefTable": "stillframe.tab.refs",
    "ACTION_TIMEOUT": "stillframe.tab.locating.locate",
    "accessible_identity": "stillframe.tab.locating.locate",
    "dialog_error": "stillframe.tab.events.held_dialogs",
    "CDPSession": "stillframe.cdp",
    "CALL_MS": "stillframe.tab.deadline",
    "Deadline": "stillframe.tab.deadline",
    "time_limited": "stillframe.tab.deadline",
    "loop_clock": "stillframe.cdp.loop_clock",
    "time_limit": "stillframe.cdp.loop_clock",
}
"""Where each name lives."""

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'stillframe.extend' has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
