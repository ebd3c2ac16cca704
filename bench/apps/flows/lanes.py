"""How a flow reaches its page: a tab of a browser on this machine, or the WebView of an app on a phone, over adb."""

from __future__ import annotations

import argparse
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import stillframe
from bench.pages import NO_INTERNET
from bench.phone import Phone
from stillframe.api.browser import Page
from stillframe.chrome.protocol_history import history
from stillframe.tab.events.dialogs import DialogPolicy

DESKTOP = "desktop"
ADB = "adb"


class Visitor(Protocol):
    """Someone with cookies and caches: a context of a browser, or an app."""

    async def new_page(self) -> AbstractAsyncContextManager[Page]:
        """Return a page of its own, which closes with its block."""
        ...


class Lane(Protocol):
    """Where visitors come from: a browser, or a phone."""

    async def new_context(self, *, dialogs: DialogPolicy) -> AbstractAsyncContextManager[Visitor]:
        """Return a visitor who has been nowhere yet, and is gone after the block."""
        ...


def lane_names(text: str) -> list[str]:
    """Return the lanes of a list with commas: `desktop`, `adb`, `adb-74`; raises ArgumentTypeError for another name."""
    return [_lane_name(part) for part in text.split(",")]


def _lane_name(text: str) -> str:
    known = history()
    found = re.fullmatch(rf"{DESKTOP}|{ADB}(?:-(\d+))?", text)
    if found and known.floor <= int(found[1] or known.floor) <= known.newest:
        return text
    raise argparse.ArgumentTypeError(
        f"{text!r} is not {DESKTOP}, {ADB} or {ADB}-MILESTONE, from {ADB}-{known.floor} to {ADB}-{known.newest}"
    )


@asynccontextmanager
async def opened_lane(name: str) -> AsyncIterator[Lane]:
    """Start the browser of a lane, and the phone and its adb server if it has those. Raises AdbBinaryMissing."""
    if name == DESKTOP:
        async with stillframe.launch(args=NO_INTERNET) as browser:
            yield browser
        return
    _, _, milestone = name.partition("-")
    async with Phone.connected(milestone=int(milestone) if milestone else None, args=NO_INTERNET) as phone:
        yield phone
