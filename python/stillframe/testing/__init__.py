"""Helpers for tests of code that uses stillframe: a connection in memory, a web server, a log of the traffic.

`MemoryTransport` needs no browser and no network; its `peer_side` is a `Peer` that a test scripts:

    transport = MemoryTransport()
    transport.peer_side.answer("Browser.getVersion", {"product": "Chrome/156"})
    async with Connection(transport) as connection:
        assert (await connection.root.call("Browser.getVersion"))["product"] == "Chrome/156"

`PageServer` serves real pages to a real browser, and the test decides when each response arrives. It needs aiohttp:
`pip install 'stillframe[testing]'`.

    async with PageServer() as server, stillframe.launch() as browser:
        page = await browser.new_page(server.html("/", "<button onclick=\"fetch('/gate/data')\">Load</button>"))
        ...
        server.open("data")

`FrameLog` counts what a connection sends and receives. Nothing else in stillframe imports this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.testing.frame_log import FrameLog, LoggedFrame, tap
from stillframe.testing.memory import Answer, MemoryTransport, Peer, Refusal, Sent

if TYPE_CHECKING:
    from stillframe.testing.page_server import Handler, PageServer

__all__ = [
    "Answer",
    "FrameLog",
    "Handler",
    "LoggedFrame",
    "MemoryTransport",
    "PageServer",
    "Peer",
    "Refusal",
    "Sent",
    "tap",
]


def __getattr__(name: str) -> Any:
    """Import the page server on first use, because it needs an extra."""
    if name not in ("Handler", "PageServer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from stillframe.testing import page_server

    return getattr(page_server, name)
