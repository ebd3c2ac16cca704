"""Treat text typed into fields that hide it as a secret, wherever the page shows it."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import msgspec

from stillframe.cdp_types import runtime
from stillframe.injected import elements

if TYPE_CHECKING:
    from stillframe.security.redaction import Redaction
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.frames import Frame

BINDING = "__sfTyped"

FIELDS = 256
"""Fields whose last content is remembered; the least recently used one is dropped first."""


class FieldContent(msgspec.Struct, frozen=True):
    """The content of a field; fields are numbered within their document, 0 is a group of fields for one code."""

    field: int
    text: str


class TypedSecrets:
    """Receives what is typed into hiding fields of a page's documents, and redacts it."""

    def __init__(self, frames: FrameTree, redaction: Redaction) -> None:
        self._frames = frames
        self._redaction = redaction
        self._last: OrderedDict[tuple[str, str, int], str] = OrderedDict()
        frames.scripts.bindings[BINDING] = self._add

    def ask(self) -> None:
        """Request that every document report its focused field's content, when it gets to it.

        Documents report it on their own, unless the page stops their events.
        """
        for frame in self._frames:
            if frame.context_id is not None:
                expression = elements.report_focused_field().expression
                command = runtime.Evaluate(expression=expression, context_id=frame.context_id, silent=True)
                frame.session.post(command)

    def _add(self, frame: Frame, payload: str) -> None:
        content = msgspec.json.decode(payload, type=FieldContent)
        key = (frame.id, frame.loader_id, content.field)
        before = self._last.pop(key, "")
        self._redaction.add_typed(content.text, instead_of=before)
        self._last[key] = content.text
        if len(self._last) > FIELDS:
            self._last.popitem(last=False)
