"""What recognises a page whatever changes on it by itself: its digests under masks that it has taught."""

from __future__ import annotations

from stillframe.core import MaskedDigests, MaskLearner, Masks, Snapshot
from stillframe.model.bounds import ROWS
from stillframe.model.result import MaskRow, PageHash
from stillframe.tab.frame_tree import FrameTree


class PageIdentity:
    """The masks of one page, learned between sequences: nobody acts then, so what changes does so by itself."""

    def __init__(self, frames: FrameTree) -> None:
        self._frames = frames
        self._learner = MaskLearner()
        self._loader = ""

    @property
    def masks(self) -> Masks:
        """What is masked now."""
        return self._learner.masks

    def before(self, snapshot: Snapshot) -> None:
        """Take in what a sequence finds: a quiet probe, if it is the document that the last one left."""
        if self._frames.main.loader_id == self._loader:
            self._learner.observe(snapshot)

    def after(self, snapshot: Snapshot) -> None:
        """Take in what a sequence leaves."""
        self._learner.rebase(snapshot)
        self._loader = self._frames.main.loader_id

    def hash(self, snapshot: Snapshot) -> PageHash:
        """Return the hash of a snapshot under the masks of now."""
        return page_hash(snapshot.masked_digests(self.masks))


def page_hash(found: MaskedDigests) -> PageHash:
    """Return digests under masks as a value, with the masks that were used."""
    told = found.masks
    masks = (MaskRow(selector=mask.selector, level=mask.level, why=mask.why) for mask in told[:ROWS])
    digests = {name: getattr(found, name).hex() for name in ("exact", "visible", "struct")}
    return PageHash(**digests, masks=tuple(masks), omitted=max(0, len(told) - ROWS))
