"""Read and write the localStorage of origins in empty documents, so that nothing of a site is loaded or run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stillframe.cdp_types import fetch, network
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError
from stillframe.security.urls import same_origin
from stillframe.tab.storage_state import Item, OriginState

if TYPE_CHECKING:
    from stillframe.tab.setup import Setup
    from stillframe.tab.tab import Tab

READ = "function() { return JSON.stringify(Object.entries(localStorage)) }"
"""As JSON, which escapes halves of characters; the protocol would replace them."""
WRITE = """function(items) {
    localStorage.clear()
    for (const [name, value] of JSON.parse(items)) localStorage.setItem(name, value)
}"""


async def read(tab: Tab, origins: Iterable[str]) -> tuple[OriginState, ...]:
    """Return the localStorage of the origins where it is not empty; the tab must show empty documents."""
    stored = [(origin, await _items(tab, origin)) for origin in origins]
    return tuple(OriginState(origin=origin, local_storage=items) for origin, items in stored if items)


async def write(tab: Tab, origins: Iterable[OriginState]) -> None:
    """Replace the localStorage of origins; the tab must show empty documents."""
    for origin in origins:
        await _show(tab, origin.origin)
        await tab.frames.main.call(WRITE, json.dumps([[item.name, item.value] for item in origin.local_storage]))


@asynccontextmanager
async def empty_documents(tab: Tab, setup: Setup) -> AsyncIterator[Tab]:
    """Answer every request of a tab with an empty document inside the block, and close the tab afterwards."""
    try:
        setup.stop()
        session = tab.session
        session.on(fetch.RequestPaused, lambda event: session.post(_empty(event.request_id)))
        session.post(network.Enable())
        session.post(network.SetBypassServiceWorker(bypass=True))
        await session.send(fetch.Enable(patterns=[fetch.RequestPattern(url_pattern="*")]))
        yield tab
    except BaseException:
        tab.leave()
        raise
    await tab.close()


def _empty(request_id: str) -> fetch.FulfillRequest:
    headers = [fetch.HeaderEntry(name="content-type", value="text/html")]
    return fetch.FulfillRequest(request_id=request_id, response_code=200, response_headers=headers)


async def _show(tab: Tab, origin: str) -> None:
    reply = await tab.session.send(cdp_page.Navigate(url=f"{origin}/"))
    if reply.error_text:
        raise CommandError(f"cannot open an empty document at {origin}: {reply.error_text}")
    await tab.session.drain_events()
    # The browser moves a site on its HTTPS-only list to another origin.
    shown = await tab.frames.main.evaluate("location.origin")
    if not same_origin(shown, origin):
        raise CommandError(f"cannot open an empty document at {origin}: the browser went to {shown}")


async def _items(tab: Tab, origin: str) -> tuple[Item, ...]:
    await _show(tab, origin)
    return tuple(Item(name, value) for name, value in json.loads(await tab.frames.main.call(READ)))
