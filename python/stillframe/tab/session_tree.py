"""The sessions of a tab: its own, and those of its out-of-process frames and workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

FRAMES = frozenset({"page", "iframe"})
"""Types of targets that show documents; all others are workers."""


def family(session: CDPSession) -> Iterator[CDPSession]:
    """Yield a session and all sessions attached through it."""
    yield session
    for child in session.children:
        yield from family(child)


def shows_documents(session: CDPSession) -> bool:
    """Return whether a session belongs to a page or a frame."""
    return session.target_type in FRAMES
