"""Pages in a simulated old browser: the protocol of an old milestone, and isolated worlds that lack what came later.

The facade of `stillframe_phone` limits the protocol; the engine behind it is the real, current one. So the scripts of
the isolated worlds begin with one that removes what an engine of that age lacks, in those worlds alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import stillframe
from stillframe import chrome
from stillframe.api.browser import Page
from stillframe_phone import WebViewFacade

REMOVED = {
    "Document.prototype": {"getAnimations": 84},
    "ShadowRoot.prototype": {"getAnimations": 84},
    "Element.prototype": {"getAnimations": 84, "checkVisibility": 105},
    "Array.prototype": {"at": 92, "findLast": 97, "toSorted": 110, "toReversed": 110},
    "String.prototype": {"at": 92, "replaceAll": 85},
    "Object": {"hasOwn": 93, "groupBy": 117},
    "Promise": {"allSettled": 76, "any": 85},
    "HTMLElement.prototype": {"popover": 114},
    "globalThis": {"WeakRef": 84, "scheduler": 94, "structuredClone": 98, "FinalizationRegistry": 84},
}
"""What the package's scripts use or might use, and the milestone that brought it (MDN)."""


def aged(milestone: int) -> str:
    """Return a script that removes from its world what the engine of a milestone lacks."""
    gone = [f"delete {holder}.{name}" for holder, names in REMOVED.items() for name in names if names[name] > milestone]
    return ";\n".join([*gone, ""])


@asynccontextmanager
async def chromium() -> AsyncIterator[str]:
    """Run a Chromium and yield its address.

    No `Browser` is attached to it: the isolated worlds of two clients are the same if their names are.
    """
    async with chrome.launched(port=0) as process:
        assert process.info.endpoint is not None  # it has a port
        yield process.info.endpoint


@asynccontextmanager
async def old_page(endpoint: str, milestone: int, url: str) -> AsyncIterator[Page]:
    """Show a URL in an old browser, then connect to it; yields its page, which is not attached yet."""
    async with WebViewFacade(endpoint, kind="chrome", milestone=milestone) as facade:
        await facade.open_page(url)
        async with await stillframe.connect(facade.url) as browser:
            [page] = browser.pages
            page._tab.frames.scripts.sources.insert(0, aged(milestone))
            yield page
