"""What a page consists of, for the public page, its frames and locators, and for `stillframe.extend`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from stillframe.engine.history import History
    from stillframe.settling.settler import Settler
    from stillframe.tab.network.network import Requests
    from stillframe.tab.tab import Tab


class PageParts(NamedTuple):
    """The tab of a page, what settles it, and what its sequences keep."""

    tab: Tab
    settler: Settler
    history: History
    requests: Requests
    """The routes and headers of the page's context, and of each of its pages."""
    attach: Callable[[], Awaitable[object]]
    """Attaches to the tab, if that has not been done. Calls await it first."""
    frame: Callable[[str], Any]
    """Makes the public frame of an id: handles lead to frames, which hand out handles."""
