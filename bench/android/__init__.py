"""A WebView over adb beside a tab that is attached directly, discovery beside adbutils, and four phones at once.

A real adb server connects to emulated phones, and their WebViews are pages of a real Chromium. Nothing of a phone's own
speed is in these figures: they show what this client, adb and the emulation cost. Each phone is a process of its own,
so the CPU time of the client is that of this process. Five ways to a page tell the costs apart:

    attached directly               client - Chromium, as a session of one WebSocket for all tabs
    by the page's own WebSocket     client - Chromium, as it is done for WebViews
    over adb, without the facade    client - adb server - emulated adbd - Chromium
    WebView, without adb            client - facade - Chromium
    WebView over adb                client - adb server - emulated adbd - facade - Chromium

The adb server has a port of its own and never uses 5037. All answers are checked.
"""

from __future__ import annotations

import os
from contextlib import AsyncExitStack

import stillframe
from bench.android.discovery import compare_discovery
from bench.android.lanes import open_lanes
from bench.android.link import compare_commands, compare_sequences, compare_sizes
from bench.android.pages import ROUTES
from bench.android.phone_process import Order, connected_phone
from bench.android.several import compare_numbers
from bench.commands import installed
from bench.measure import Table
from bench.site import serving
from stillframe.adb.adb_program import find_adb
from stillframe.errors import AdbBinaryMissing
from stillframe.testing import AdbServerProcess

ROUNDS = 9
PHONES = 4
HOW_TO_GET = {"adb": "install platform-tools (Debian: apt install adb)", "adbutils": "pip install adbutils"}


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure everything with one adb server and one Chromium; without the program adb, only say how to get it."""
    missing = missing_parts()
    if "adb" in missing:
        return [Table(question="a WebView over adb", unit="", baseline="", rows=[], missing=missing)]
    async with AsyncExitStack() as stack:
        site = f"http://127.0.0.1:{await stack.enter_async_context(serving(ROUTES))}"
        chromium = await stack.enter_async_context(stillframe.launch(port=0))
        server = await stack.enter_async_context(AdbServerProcess())
        endpoint = chromium.info.endpoint or ""
        orders = [Order(endpoint, f"{site}/small", beside=number == 0) for number in range(PHONES)]
        phones = [await stack.enter_async_context(connected_phone(server, order)) for order in orders]
        async with open_lanes(chromium, server, phones[0], site) as lanes:
            tables = await compare_commands(lanes, rounds)
            tables += await compare_sizes(lanes, rounds)
            tables += await compare_sequences(lanes, rounds)
        tables += await compare_numbers(chromium, server, phones, site, rounds)
        tables += await compare_discovery(server, phones[0], rounds, missing)
    return tables


def missing_parts() -> dict[str, str]:
    """Return what is not installed here, and how to get it."""
    found = {"adbutils": installed("adbutils")}
    try:
        find_adb(None, os.environ)
    except AdbBinaryMissing:
        found["adb"] = False
    return {name: HOW_TO_GET[name] for name, there in found.items() if not there}
