"""How long a test waits for what comes soon, where only a hang must be told apart from a busy machine."""

from __future__ import annotations

HANG_S = 20.0
"""Less than the 30 s that a call of the library may take, and more than anything awaited took beside 15 processes."""
