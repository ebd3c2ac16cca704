"""The error for what a browser is too old for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.cdp.wire import METHOD_NOT_FOUND
from stillframe.errors import UnsupportedByBrowser

if TYPE_CHECKING:
    from stillframe.chrome.capabilities import Capabilities


def unsupported(capabilities: Capabilities, name: str, hint: str) -> UnsupportedByBrowser:
    """Return the error for something that needs a command, parameter or field of a newer browser.

    `name` is spelled as in the protocol, and `hint` says what to do instead.
    """
    since, milestone = capabilities.since(name), capabilities.milestone
    text = f"needs Chrome {since} or newer, and this browser is of milestone {milestone}; {hint}"
    return UnsupportedByBrowser(METHOD_NOT_FOUND, text, method=name, milestone=milestone, since=since)
