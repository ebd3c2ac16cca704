"""Snapshots of a page, their digests, and what changed between two of them: the native core under its Python name."""

from __future__ import annotations

from stillframe._core import Delta as Delta
from stillframe._core import Digests as Digests
from stillframe._core import Snapshot as Snapshot

__all__ = ["Delta", "Digests", "Snapshot"]
