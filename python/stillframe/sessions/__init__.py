"""Named sessions: pages that a caller comes back to by name, many at once in one process."""

from __future__ import annotations

from stillframe.sessions.session import NamedSession
from stillframe.sessions.sessions import Sessions

__all__ = ["NamedSession", "Sessions"]
