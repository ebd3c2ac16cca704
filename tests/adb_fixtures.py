"""Fixtures for tests with a real adb server; the folders whose tests use them import them in their conftest.py."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from needing import require
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedDevice


@pytest.fixture
async def own_adb_server() -> AsyncIterator[AdbServerProcess]:
    """A server for one test, which may end it."""
    require("adb")
    async with AdbServerProcess() as server:
        yield server


@pytest.fixture
async def device(adb_server: AdbServerProcess) -> AsyncIterator[EmulatedDevice]:
    """A device in the state `device`, which the server forgets after the test."""
    async with EmulatedDevice() as device:
        await adb_server.connect(device)
        yield device
        with contextlib.suppress(ConnectionError):
            await adb_server.disconnect(device)
