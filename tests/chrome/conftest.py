"""A temporary directory of its own for each test, and browsers made of shell."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from leftovers import MakeBrowser, children, descriptors, entries, grant_children


@pytest.fixture
def temp_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where profiles are made in this test; short, because Chrome puts a socket below it."""
    home = Path(tempfile.mkdtemp(prefix="sf-", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    monkeypatch.setenv("TMPDIR", str(home))
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def granted() -> None:
    """Tell the children of this test from those that were there before it."""
    grant_children()


@pytest.fixture
async def leaves_nothing(temp_home: Path) -> AsyncIterator[None]:
    """Fail the test unless descriptors, directories and child processes are what they were."""
    await asyncio.to_thread(lambda: None)  # the executor's own thread and descriptors come first
    before = descriptors()
    yield
    assert entries(temp_home) == []
    assert descriptors() == before
    assert not children()


@pytest.fixture
def fake_browser(tmp_path: Path) -> MakeBrowser:
    """Make an executable out of the body of a shell script; the DevTools pipe is at 3 and 4."""

    def make(body: str) -> str:
        path = tmp_path / "browser"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    return make
