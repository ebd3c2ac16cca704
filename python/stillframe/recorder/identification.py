"""Find out what an element is that a person acted on, before what they did makes it go away."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from stillframe.cdp_types import dom, runtime
from stillframe.errors import CommandError
from stillframe.extend import page_state
from stillframe.injected import recorder
from stillframe.recorder.events import Element
from stillframe.scripts.durable import Known, known_place
from stillframe.scripts.targets import Place, is_lasting, means

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.core import Snapshot
    from stillframe.extend import Frame

ALTERNATIVES = 3
"""Selectors of an element besides the first one. Playwright's and Chrome's recorders keep four or five in all."""


SNAPSHOTS = 4
"""Snapshots to look elements up in: a person may act in a document, and see two others, before it is looked at."""


class Identification:
    """The elements of one recording; each is looked at once, as soon as the script in the page names it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._found: dict[Element, asyncio.Task[Known | None]] = {}
        self._places: dict[Element, Place] = {}
        self._snapshots: deque[Snapshot] = deque(maxlen=SNAPSHOTS)

    def saw(self, snapshot: Snapshot) -> None:
        """Take a snapshot of the page, the latest one."""
        if not self._snapshots or self._snapshots[-1] is not snapshot:
            self._snapshots.append(snapshot)

    async def look_at_likely(self, frame: Frame) -> None:
        """Note where the links, buttons and fields of a frame are in snapshots; raises CommandError.

        A press on one of them may replace the document before anything can be asked about it.
        """
        world, loader = frame.world(), frame.loader_id
        handles = await world.call_handles(f"() => globalThis.__sfRecorder ? {recorder.likely().expression} : []")
        if not handles:
            return
        first = await world.call(recorder.first_likely())
        async with frame.session.batch() as batch:
            nodes = [batch.send(dom.DescribeNode(object_id=handle)) for handle in handles]
            for handle in handles:
                batch.send(runtime.ReleaseObject(object_id=handle))
        for number, node in enumerate(nodes, first):
            if node.exception() is None:
                place = Place(frame.process_key, node.result().node.backend_node_id, frame.id, loader)
                self._places[Element(frame.id, loader, number)] = place

    def begin(self, element: Element) -> None:
        """Begin to look at an element; does nothing for one that is known."""
        if element not in self._found:
            self._found[element] = asyncio.create_task(self._identify(element), name="stillframe-identify")

    async def known(self, element: Element) -> Known | None:
        """Return the selectors of an element and what identifies it; None if it was gone before anything was known."""
        self.begin(element)
        return await self._found[element]

    async def stop(self) -> None:
        """End what is still being looked at."""
        for task in self._found.values():
            task.cancel()
        await asyncio.gather(*self._found.values(), return_exceptions=True)

    async def _identify(self, element: Element) -> Known | None:
        try:
            place = self._places.get(element) or await self._place(element)
            snapshot = place and (self._snapshot_of(place) or await page_state(self._page).capture())
        except CommandError:
            return None
        return await self._described(snapshot, place) if place and snapshot else None

    def _snapshot_of(self, place: Place) -> Snapshot | None:
        """Return the latest snapshot that has an element."""
        for snapshot in reversed(self._snapshots):
            is_same = snapshot.loaders.get(place.frame_id) == place.loader
            if is_same and snapshot.fingerprint(*place.key) is not None:
                return snapshot
        return None

    async def _place(self, element: Element) -> Place | None:
        frame = page_state(self._page).frames.by_id.get(element.frame)
        if frame is None or frame.loader_id != element.loader:
            return None
        handle = await frame.world().call_handle(recorder.element(element.number))
        if not handle.object_id:
            return None
        try:
            return Place(frame.process_key, await handle.backend_node_id(), frame.id, frame.loader_id)
        finally:
            handle.forget()

    async def _described(self, snapshot: Snapshot, place: Place) -> Known | None:
        known = await known_place(self._page, snapshot, place, "", alternatives=ALTERNATIVES)
        if known.selector:
            return known
        candidates = snapshot.selectors(*place.key, secrets=page_state(self._page).redactor)
        selectors = [each.selector for each in candidates if await means(self._page, each.selector, place)]
        if not selectors:
            # The element went away meanwhile: the snapshot of the page as it was has to do.
            lasting = [each.selector for each in candidates if is_lasting(each)]
            selectors = lasting or [each.selector for each in candidates]
        if not selectors:
            return None
        return Known(selectors[0], known.target)
