"""An adb server for a single test, and an emulated device."""

from __future__ import annotations

from adb_fixtures import device, own_adb_server

__all__ = ["device", "own_adb_server"]
