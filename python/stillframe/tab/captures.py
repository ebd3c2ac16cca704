"""Captures of a whole page, across the processes it is spread over, and not one more than is needed."""

from __future__ import annotations

import asyncio

from stillframe.cdp_types import dom, dom_snapshot
from stillframe.core import Snapshot, SnapshotPart
from stillframe.errors import CdpError, CommandTimeout, SessionLost
from stillframe.model.result import CaptureCounts
from stillframe.tab.deadline import Deadline
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.frames import Frame
from stillframe.tab.page_version import SECONDS as VERSION_S
from stillframe.tab.page_version import Observation, PageVersion, PageVersions

STYLES = ["visibility", "display", "content", "cursor", "white-space-collapse"]
"""The computed styles of a capture, in the order in which the core reads them (rust/src/capture/style.rs): rendering
cannot be known without the first, text and names without the others."""

CAPTURE = dom_snapshot.CaptureSnapshot(computed_styles=STYLES)
"""Layout comes with it in any case. Paint order and DOM rectangles are left out: they cost Chrome more than all the
rest (reference: up to 5 times)."""

UNKNOWN = "?"
"""In the place of a loader id: no document has this one."""

VERSION_SHARE = 0.25
"""How much of the time of a capture its version may take: without one the page is captured in any case."""

FRAME_SHARE = 0.5
"""How much of the time of a capture a frame in another process may take: without it the rest is still known."""


class Captures:
    """The captures of one page: the same state of it is never captured twice, as far as that can be told.

    The last snapshot is kept for that, as long as its document is there.
    """

    def __init__(self, frames: FrameTree, observation: Observation) -> None:
        self._frames = frames
        self._versions = PageVersions(frames, observation)
        self._last: tuple[PageVersion | None, Snapshot] | None = None
        self._taken = self._reused = self._bytes = 0
        frames.on_document(lambda frame: self._forget() if frame.is_main else None)

    @property
    def counts(self) -> CaptureCounts:
        """What has been captured so far."""
        return CaptureCounts(taken=self._taken, reused=self._reused, bytes=self._bytes)

    async def take(self, *, timeout: float | None = 30.0, fresh: bool = False) -> Snapshot:
        """Return a snapshot of the page as it is: the last one if nothing has changed since, and not `fresh`.

        Frames of other processes are asked side by side and put in their place; one that goes away meanwhile is left
        out, as is one that has not answered after half of the time. Raises CommandError if the page itself is lost.
        """
        deadline = Deadline(timeout)
        former = self._last and self._last[0]
        limit = min(VERSION_S, deadline.left * VERSION_SHARE)
        version = None if fresh else await self._versions.read(limit)
        if version is not None and version == former and self._last is not None:
            self._reused += 1
            return self._last[1]
        loaders = self._loaders()
        parts = await capture_parts(self._frames, timeout=deadline.left)
        self._taken += 1
        self._bytes += sum(len(part.raw) for part in parts)
        snapshot = self._snapshot(parts, loaders)
        # A frame that was left out may be there by now.
        whole = len(parts) == sum(frame.is_process_root for frame in self._frames)
        self._last = (version if whole else None, snapshot)
        return snapshot

    def _loaders(self) -> dict[str, str]:
        return {frame.id: frame.loader_id for frame in self._frames}

    def _snapshot(self, parts: list[SnapshotPart], former: dict[str, str]) -> Snapshot:
        # A new document can bear the node ids of the one before, if it came up in a new process: its loader is its own.
        # Where one came while the page was captured, which of the two is in the capture is not known: neither is named.
        present = self._loaders()
        kept = {key for key, loader in present.items() if former.get(key) in (None, "", loader)}
        loaders = {key: loader if key in kept else UNKNOWN for key, loader in present.items()}
        if self._last is not None and self._last[1].is_of(parts, loaders):
            return self._last[1]
        return Snapshot.from_parts(parts, loaders)

    def _forget(self) -> None:
        self._last = None


async def capture_parts(frames: FrameTree, *, timeout: float | None = 30.0) -> list[SnapshotPart]:
    """Take the bytes a snapshot is made of, parents before the frames they hold: what can be kept in a file."""
    main, *others = [frame for frame in frames if frame.is_process_root]
    share = None if timeout is None else timeout * FRAME_SHARE
    parts = await asyncio.gather(_part(main, timeout), *(_part_or_none(frame, share) for frame in others))
    return _connected([part for part in parts if part is not None])


async def _part(frame: Frame, timeout: float | None) -> SnapshotPart:
    raw = frame.session.send_raw(CAPTURE, timeout=timeout, any_encoding=True)
    # Copied once, here: the message that it came in goes, and all that follows borrows.
    if frame.parent is None:
        return SnapshotPart(bytes(await raw))
    owner = frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id), timeout=timeout)
    snapshot, place = await asyncio.gather(raw, owner)
    parent = frame.parent.process_key
    return SnapshotPart(bytes(snapshot), key=frame.id, parent=parent, owner=place.backend_node_id)


async def _part_or_none(frame: Frame, timeout: float | None) -> SnapshotPart | None:
    try:
        return await _part(frame, timeout)
    except (CdpError, SessionLost, CommandTimeout):
        return None


def _connected(parts: list[SnapshotPart]) -> list[SnapshotPart]:
    """Leave out parts whose parent was left out."""
    kept: dict[str, SnapshotPart] = {}
    for part in parts:
        if part.parent is None or part.parent in kept:
            kept[part.key] = part
    return list(kept.values())
