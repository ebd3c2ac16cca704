"""A directory for the background process of one test, with a path that is short enough for a socket."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stillframe.session_server.address import VARIABLE
from stillframe.session_server.background import stop
from stillframe.session_server.client import NotRunning


@pytest.fixture
async def where(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sf") as folder:
        monkeypatch.setenv(VARIABLE, folder)
        yield Path(folder)
        try:
            await stop(Path(folder))
        except NotRunning:
            return
