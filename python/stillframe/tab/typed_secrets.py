"""What is typed into fields that hide it: a secret from then on, wherever the page shows it."""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from stillframe.cdp_types import runtime
from stillframe.security.redaction import Redaction
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.frames import Frame

BINDING = "__sfTyped"

FIELDS = 256
"""Fields of which is remembered what they held last; the least recently typed in goes first."""


class Told(msgspec.Struct, frozen=True):
    """What a field holds now; fields are numbered within their document, 0 is several that make one code."""

    field: int
    text: str


class TypedSecrets:
    """Hears from the documents of a page what is typed into such fields, and masks it."""

    def __init__(self, frames: FrameTree, redaction: Redaction) -> None:
        self._frames = frames
        self._redaction = redaction
        self._last: OrderedDict[tuple[str, str, int], str] = OrderedDict()
        frames.scripts.bindings[BINDING] = self._told

    def ask(self) -> None:
        """Have all documents that are there tell what the field with the focus holds, when they get to it.

        They tell it by themselves, unless the page stops their events.
        """
        for frame in self._frames:
            if frame.context_id is not None:
                asks = runtime.Evaluate(expression="__sf.typed()", context_id=frame.context_id, silent=True)
                frame.session.post(asks)

    def _told(self, frame: Frame, payload: str) -> None:
        told = msgspec.json.decode(payload, type=Told)
        key = (frame.id, frame.loader_id, told.field)
        before = self._last.pop(key, "")
        self._redaction.add_typed(told.text, instead_of=before)
        self._last[key] = told.text
        if len(self._last) > FIELDS:
            self._last.popitem(last=False)
