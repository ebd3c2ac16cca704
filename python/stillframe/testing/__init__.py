r"""Helpers for tests: assertions, cassettes, a connection in memory, a web server, an adb server, a log of the traffic.

`expect` asserts what a page shows, and waits for it:

    await expect(page.get_by_role("status")).to_have_text("Saved")

`record` writes what a browser and stillframe say to each other in a file, and `replay` plays it without a browser:

    async with record("login.cassette") as browser:
        page = await browser.new_page("https://example.org/")
        ...

The plugin for pytest (`stillframe.testing.pytest_plugin`) is active wherever both are installed.

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

`AdbServerProcess` is a real adb server on a port of its own. It needs the program adb (Debian: `apt install adb`). The
distribution `stillframe-phone` has a device to connect it to, which needs no hardware.

    async with AdbServerProcess() as server:
        devices = await server.devices()

`FrameLog` counts what a connection sends and receives. Nothing else in stillframe imports this package, whose names are
imported when they are used: pytest loads it in every project, and the page server needs an extra.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stillframe.assertions.expect import expect
    from stillframe.assertions.soft import soft_assertions
    from stillframe.testing.adb_server import AdbServerProcess, Finished, ListeningDevice
    from stillframe.testing.cassette import RecordMode, cassette_browser, record, replay
    from stillframe.testing.frame_log import FrameLog, LoggedFrame, tap
    from stillframe.testing.memory import Answer, MemoryTransport, Peer, Refusal, Sent
    from stillframe.testing.page_server import Handler, PageServer

__all__ = [
    "AdbServerProcess",
    "Answer",
    "Finished",
    "FrameLog",
    "Handler",
    "ListeningDevice",
    "LoggedFrame",
    "MemoryTransport",
    "PageServer",
    "Peer",
    "RecordMode",
    "Refusal",
    "Sent",
    "cassette_browser",
    "expect",
    "record",
    "replay",
    "soft_assertions",
    "tap",
]

ON_FIRST_USE = {
    "AdbServerProcess": "stillframe.testing.adb_server",
    "Answer": "stillframe.testing.memory",
    "Finished": "stillframe.testing.adb_server",
    "FrameLog": "stillframe.testing.frame_log",
    "Handler": "stillframe.testing.page_server",
    "ListeningDevice": "stillframe.testing.adb_server",
    "LoggedFrame": "stillframe.testing.frame_log",
    "MemoryTransport": "stillframe.testing.memory",
    "PageServer": "stillframe.testing.page_server",
    "Peer": "stillframe.testing.memory",
    "RecordMode": "stillframe.testing.cassette",
    "Refusal": "stillframe.testing.memory",
    "Sent": "stillframe.testing.memory",
    "cassette_browser": "stillframe.testing.cassette",
    "expect": "stillframe.assertions.expect",
    "record": "stillframe.testing.cassette",
    "replay": "stillframe.testing.cassette",
    "soft_assertions": "stillframe.assertions.soft",
    "tap": "stillframe.testing.frame_log",
}
"""Names, and their modules."""


def __getattr__(name: str) -> Any:
    """Import a module on first use of one of its names."""
    if name not in ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(ON_FIRST_USE[name]), name)
