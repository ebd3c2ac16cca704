"""Sessions: pages that a caller finds again by name, many at once in one process."""

from __future__ import annotations

from stillframe.sessions.session import Session
from stillframe.sessions.sessions import Sessions

__all__ = ["Session", "Sessions"]
