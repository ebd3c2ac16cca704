"""Capture a whole page across its processes, no more often than needed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import loop_clock, time_limit
from stillframe.cdp_types import dom, dom_snapshot
from stillframe.core import Snapshot, SnapshotPart
from stillframe.errors import CdpError, CommandError, CommandTimeout, SessionLost
from stillframe.model.result import CaptureCounts
from stillframe.tab.internals import Internals, NumberedInternals
from stillframe.tab.page_version import SECONDS as VERSION_S
from stillframe.tab.page_version import Observation, PageVersion, PageVersions

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.frames import Frame

STYLES = ["visibility", "display", "content", "cursor", "white-space-collapse"]
"""The computed styles of a capture, in the order of the core (rust/core/src/capture/style.rs): rendering is unknown
without the first, text and names without the others."""
OLDER_STYLES = [*STYLES[:-1], "white-space"]
COLLAPSE_SINCE = 114
"""The first milestone with `white-space-collapse`. Before, Chrome 87 refuses the capture, and 73 to 83 give the style
no value (measured)."""

CAPTURE = dom_snapshot.CaptureSnapshot(computed_styles=STYLES)
"""Layout is always included. Paint order and DOM rectangles are left out: they cost Chrome more than all the rest (up
to 5 times)."""
OLDER_CAPTURE = dom_snapshot.CaptureSnapshot(computed_styles=OLDER_STYLES)

CAPTURE_S = 30.0
"""Seconds for a capture that no call has a limit for."""

UNKNOWN = "?"
"""Stands in for a loader id; no document has this one."""

VERSION_SHARE = 0.25
"""Share of a capture's time limit for reading the page version: without one the page is captured anyway."""

FRAME_SHARE = 0.5
"""Share of a capture's time limit for a frame in another process: without it the rest is still known."""


class Captures:
    """Captures one page, and reuses the last snapshot while the page version shows no change.

    The last snapshot is kept as long as its document lives. `milestone` is the browser's; None stands for one as new as
    this package.
    """

    def __init__(self, frames: FrameTree, observation: Observation, milestone: int | None = None) -> None:
        self._frames = frames
        older = milestone is not None and milestone < COLLAPSE_SINCE
        self._command = OLDER_CAPTURE if older else CAPTURE
        self._versions = PageVersions(frames, observation)
        self._internals = Internals()
        self._last: tuple[PageVersion | None, Snapshot] | None = None
        self._taken = self._reused = self._bytes = 0
        frames.on_document(lambda frame: self._forget() if frame.is_main else None)

    @property
    def counts(self) -> CaptureCounts:
        """Return how many captures were taken so far."""
        return CaptureCounts(taken=self._taken, reused=self._reused, bytes=self._bytes)

    async def take(self, deadline: Deadline, *, fresh: bool = False) -> Snapshot:
        """Return a snapshot of the current page: the last one if nothing has changed since, unless `fresh`.

        Frames of other processes are captured in parallel and put in their place; a frame that goes away meanwhile
        is left out, as is one that has not answered after half of the time. Raises CommandError if the page is lost.
        """
        former = self._last and self._last[0]
        version, said = await self._versions.read(_of_version(deadline))
        if not fresh and version is not None and version == former and self._last is not None:
            self._reused += 1
            return self._last[1]
        loaders = self._loaders()
        internals = await self._by_process(said, _of_version(deadline))
        parts = await self.parts(deadline, internals=internals)
        self._taken += 1
        self._bytes += sum(len(part.raw) for part in parts)
        with loop_clock().working():
            snapshot = self._snapshot(parts, loaders)
        # A frame that was left out may answer next time.
        whole = len(parts) == sum(frame.is_process_root for frame in self._frames)
        self._last = (version if whole else None, snapshot)
        return snapshot

    async def _by_process(
        self, said: Mapping[Frame, NumberedInternals], deadline: Deadline
    ) -> Mapping[str, NumberedInternals]:
        """Return what the custom elements of each process expose; nothing if the page is busy."""
        if not said:
            return {}
        try:
            async with time_limit(deadline.left_s):
                return await self._internals.by_process(said)
        except (CommandError, TimeoutError):
            return {}

    async def parts(
        self, deadline: Deadline, *, internals: Mapping[str, NumberedInternals] = MappingProxyType({})
    ) -> list[SnapshotPart]:
        """Return the bytes that a snapshot is made of, parents before the frames inside them; a file can store them.

        `internals` is what custom elements say of themselves, by process.
        """
        main, *others = [frame for frame in self._frames if frame.is_process_root]
        share = deadline.within(deadline.left_s * FRAME_SHARE)
        own = self._part(main, deadline, internals)
        parts = await asyncio.gather(own, *(self._part_or_none(frame, share, internals) for frame in others))
        return _connected([part for part in parts if part is not None])

    async def _part(self, frame: Frame, deadline: Deadline, internals: Mapping[str, NumberedInternals]) -> SnapshotPart:
        raw = frame.session.send_raw(self._command, timeout=deadline.left_s, any_encoding=True)
        own = internals.get(frame.process_key, ())
        # Copied once, here: the message buffer is released, and everything after this borrows the copy.
        if frame.parent is None:
            return SnapshotPart(bytes(await raw), internals=own)
        owner = frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id), timeout=deadline.left_s)
        snapshot, place = await asyncio.gather(raw, owner)
        parent = frame.parent.process_key
        return SnapshotPart(bytes(snapshot), key=frame.id, parent=parent, owner=place.backend_node_id, internals=own)

    async def _part_or_none(
        self, frame: Frame, deadline: Deadline, internals: Mapping[str, NumberedInternals]
    ) -> SnapshotPart | None:
        try:
            return await self._part(frame, deadline, internals)
        except (CdpError, SessionLost, CommandTimeout):
            return None

    def _loaders(self) -> dict[str, str]:
        return {frame.id: frame.loader_id for frame in self._frames}

    def _snapshot(self, parts: list[SnapshotPart], former: dict[str, str]) -> Snapshot:
        # A new document in a new process can reuse the node ids of the one before, so the loader id identifies it. If a
        # document was replaced during the capture, either could be in it, so neither loader is named.
        present = self._loaders()
        kept = {key for key, loader in present.items() if former.get(key) in (None, "", loader)}
        loaders = {key: loader if key in kept else UNKNOWN for key, loader in present.items()}
        if self._last is not None and self._last[1].is_of(parts, loaders):
            return self._last[1]
        return Snapshot.from_parts(parts, loaders)

    def _forget(self) -> None:
        self._last = None


def _of_version(deadline: Deadline) -> Deadline:
    """Return the deadline of each question for a version."""
    return deadline.within(min(VERSION_S, deadline.left_s * VERSION_SHARE))


def _connected(parts: list[SnapshotPart]) -> list[SnapshotPart]:
    """Drop parts whose parent was dropped."""
    kept: dict[str, SnapshotPart] = {}
    for part in parts:
        if part.parent is None or part.parent in kept:
            kept[part.key] = part
    return list(kept.values())
