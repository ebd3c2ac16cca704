"""What a browser knows of the DevTools protocol, by its Chromium milestone."""

from __future__ import annotations

import copy
from typing import Any

import msgspec

from stillframe.chrome import protocol_history


class Capabilities(msgspec.Struct, frozen=True):
    """What a browser of one milestone knows; None, an unknown milestone, knows everything.

        capabilities = Capabilities(74)
        capabilities.has("Accessibility.queryAXTree")                       # False: it came with M87
        capabilities.has("DOMSnapshot.captureSnapshot(includePaintOrder)")  # False: M78
        capabilities.has("Page.getLayoutMetrics.cssContentSize")            # False: M91

    Names are spelled as in the protocol; a parameter stands in parentheses, a field of a result, an event or a type
    after a dot. A name that the table does not list counts as known, and so does a misspelled one. Milestones are those
    of the npm package devtools-protocol, right within one milestone, and too late rather than too early. Browsers
    ignore parameters that they do not know (measured with Chromium 156), so only the table can tell whether one works.
    """

    milestone: int | None

    def has(self, name: str) -> bool:
        """Return whether the browser knows a command, event, parameter or field."""
        return self.milestone is None or protocol_history.is_known(name, self.milestone)

    def since(self, name: str) -> int | None:
        """Return the milestone that brought a name; None if M69 had it already, or if nothing is known of it."""
        return protocol_history.since(name)

    def strip(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of a command without those that the browser does not know, in nested structs too.

        The given ones stay as they are.
        """
        owner = f"{method}()"
        if self.milestone is None or not protocol_history.has_gaps(owner):
            return params
        known = copy.deepcopy(params)
        protocol_history.prune(owner, known, self.milestone)
        return known
