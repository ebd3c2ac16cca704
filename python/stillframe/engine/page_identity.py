"""Recognise a page despite the parts that change by themselves: its digests under learned masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.core import MaskedDigests, MaskLearner, Masks, Snapshot
from stillframe.model.bounds import ROWS
from stillframe.model.result import MaskRow, PageHash

if TYPE_CHECKING:
    from stillframe.tab.frame_tree import FrameTree


class PageIdentity:
    """Masks of one page, learned between sequences: nothing acts on the page then, so it changes by itself."""

    def __init__(self, frames: FrameTree) -> None:
        self._frames = frames
        self._learner = MaskLearner()
        self._loader = ""

    @property
    def masks(self) -> Masks:
        """Return the current masks."""
        return self._learner.masks

    def before(self, snapshot: Snapshot) -> None:
        """Learn from the snapshot at the start of a sequence, if it shows the document that the last sequence left."""
        if self._frames.main.loader_id == self._loader:
            self._learner.observe(snapshot)

    def after(self, snapshot: Snapshot) -> None:
        """Record the snapshot at the end of a sequence as the new baseline."""
        self._learner.rebase(snapshot)
        self._loader = self._frames.main.loader_id

    def hash(self, snapshot: Snapshot) -> PageHash:
        """Return the hash of a snapshot under the current masks."""
        return page_hash(snapshot.masked_digests(self.masks))


def page_hash(digests: MaskedDigests) -> PageHash:
    """Return masked digests as a plain value, together with the masks."""
    masks = (MaskRow(selector=mask.selector, level=mask.level, why=mask.why) for mask in digests.masks[:ROWS])
    hashes = {name: getattr(digests, name).hex() for name in ("exact", "visible", "struct")}
    return PageHash(**hashes, masks=tuple(masks), omitted=max(0, len(digests.masks) - ROWS))
