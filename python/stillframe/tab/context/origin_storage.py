"""Read and write the storage of origins in empty documents, so that nothing of a site is loaded or run.

Chromium keeps the storage of a frame apart by the site of the page around it, and by whether a frame of another site is
between the two. CDP reads the storage of a key only where a frame with that key is shown (measured), so that a frame's
storage is read in the same nest of documents, all of them empty.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp_types import fetch, network
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import storage as cdp_storage
from stillframe.errors import CommandError, OptionInvalid, StorageNotPortable
from stillframe.injected import elements, storage_function
from stillframe.model.bounds import short
from stillframe.security.urls import origin_of, same_origin
from stillframe.tab.context.storage_state import OriginState, Place
from stillframe.tab.deadline import Deadline
from stillframe.tab.tab import CLOSE_S

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.tab.context.setup import Setup
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

KEYS = "Storage.clearDataForStorageKey"
"""The command that browsers without storage keys lack; they keep nothing of frames apart."""


def place_of(frame: Frame) -> Place | None:
    """Return where a frame keeps its storage; None for a document that no http or https URL leads to."""
    place: list[str] = []
    each: Frame | None = frame
    while each is not None:
        origin = origin_of(each.url)
        if origin.startswith("http") and origin not in place[-1:]:
            place.append(origin)
        elif each is frame:
            return None
        each = each.parent
    return tuple(reversed(place))


class EmptyDocuments:
    """A tab that shows an empty document wherever it goes."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._shown: dict[Place, Frame] = {}

    async def read(self, places: Iterable[Place], *, indexed_db: bool, opfs: bool) -> list[OriginState]:
        """Return the storage of the places where it is not empty; raises StorageNotPortable."""
        states: dict[str, OriginState] = {}
        for place in sorted(places):
            frame = await self._at(place)
            key = await self._storage_key(frame, place)
            # Several nests have one key: the site of the page counts, not its origin.
            if key not in states and (len(place) == 1 or key != f"{place[-1]}/"):
                states[key] = await _read(frame, place, {"databases": indexed_db, "files": opfs})
        return [state for state in states.values() if state.local_storage or state.indexed_db or state.opfs]

    async def write(self, states: Iterable[OriginState]) -> None:
        """Replace the localStorage, the databases and the files of the places; raises OptionInvalid."""
        for state in sorted(states, key=lambda state: state.place):
            frame = await self._at(state.place)
            await self._delete(frame, state.place)
            written = json.dumps(msgspec.to_builtins(state))
            refused = await frame.call(storage_function("writeStorage"), written, timeout=None)
            if refused is not None:
                raise OptionInvalid(
                    f"option storage_state: {state.where()}: the browser does not take {refused}",
                    option="storage_state",
                )

    async def _delete(self, frame: Frame, place: Place) -> None:
        """Delete databases and files of a place, also those that a page has open: a script would wait for the page."""
        types = "indexeddb,file_systems"
        if self._has_keys:
            key = await self._storage_key(frame, place)
            await self._tab.session.send(cdp_storage.ClearDataForStorageKey(storage_key=key, storage_types=types))
        else:
            await self._tab.session.send(cdp_storage.ClearDataForOrigin(origin=place[-1], storage_types=types))

    @property
    def _has_keys(self) -> bool:
        return self._tab.context.capabilities.has(KEYS)

    async def _storage_key(self, frame: Frame, place: Place) -> str:
        if not self._has_keys:
            return f"{place[-1]}/"
        return (await frame.session.send(cdp_storage.GetStorageKeyForFrame(frame_id=frame.id))).storage_key

    async def _at(self, place: Place) -> Frame:
        """Return a frame that shows an empty document at a place."""
        if place in self._shown:
            return self._shown[place]
        frame = await (self._top(place[0]) if len(place) == 1 else self._framed(place))
        # The browser moves a site on its HTTPS-only list to another origin.
        shown = await frame.evaluate("location.origin")
        if not same_origin(shown, place[-1]):
            raise CommandError(f"cannot open an empty document at {place[-1]}: the browser went to {shown}")
        self._shown[place] = frame
        return frame

    async def _top(self, origin: str) -> Frame:
        self._shown.clear()
        reply = await self._tab.session.send(cdp_page.Navigate(url=f"{origin}/"))
        if reply.error_text:
            raise CommandError(f"cannot open an empty document at {origin}: {reply.error_text}")
        await self._tab.session.drain_events()
        return self._tab.frames.main

    async def _framed(self, place: Place) -> Frame:
        parent = await self._at(place[:-1])
        before = frozenset(parent.children)
        await parent.call(elements.add_frame(f"{place[-1]}/"))
        await parent.session.drain_events()
        added = [frame for id, frame in parent.children.items() if id not in before]
        if not added:
            raise CommandError(f"cannot open an empty document at {place[-1]} in a frame: the browser shows none")
        frame = added[-1]
        await frame.session.drain_events()
        return frame


@asynccontextmanager
async def empty_documents(tab: Tab, setup: Setup) -> AsyncIterator[EmptyDocuments]:
    """Answer every request of a tab with an empty document inside the block, and close the tab afterwards."""
    try:
        setup.stop()
        tab.on_session(_answer)
        await _answer(tab.session)
        yield EmptyDocuments(tab)
    except BaseException:
        tab.leave()
        raise
    await tab.close(Deadline(CLOSE_S))


def _answer(session: CDPSession) -> asyncio.Future[Any]:
    """Answer the requests of a page or of a frame with an empty document."""
    session.on(fetch.RequestPaused, lambda event: session.post(_empty(event.request_id)))
    session.post(network.Enable())
    session.post(network.SetBypassServiceWorker(bypass=True))
    return session.post(fetch.Enable(patterns=[fetch.RequestPattern(url_pattern="*")]))


def _empty(request_id: str) -> fetch.FulfillRequest:
    headers = [fetch.HeaderEntry(name="content-type", value="text/html")]
    return fetch.FulfillRequest(request_id=request_id, response_code=200, response_headers=headers)


async def _read(frame: Frame, place: Place, parts: dict[str, bool]) -> OriginState:
    reply = json.loads(await frame.call(storage_function("readStorage"), parts, timeout=None))
    if (refused := reply.get("refused")) is not None:
        raise _not_portable(place[-1], **refused)
    named = {"origin": place[-1], "ancestors": place[:-1]}
    return msgspec.convert(reply["state"] | named, OriginState)


def _not_portable(origin: str, *, kind: str, database: str, store: str, key: str) -> StorageNotPortable:
    return StorageNotPortable(
        f"{origin}: the database {database!r} holds {kind} in its store {store!r}, at the key {short(key)}, which a "
        "storage state cannot keep; save the state without indexed_db, or keep the profile of the browser",
        origin=origin,
        database=database,
        store=store,
        key=key,
        kind=kind,
    )
