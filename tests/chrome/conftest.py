"""A temporary directory per test, and fake browsers that are shell scripts."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from leftovers import MakeBrowser, children, descriptors, entries, grant_children

from launched import chrome_itself


@pytest.fixture
def temp_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a test its own directory for profiles; its path is short, because Chrome puts a socket below it."""
    tmp_path_factory.getbasetemp()  # before the change of directory, or pytest would put its own files there
    home = Path(tempfile.mkdtemp(prefix="sf-", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    monkeypatch.setenv("TMPDIR", str(home))
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def chrome_where_marked() -> Iterator[None]:
    """Have every test here launch Chrome itself: they are about what users launch."""
    with chrome_itself():
        yield


@pytest.fixture(autouse=True)
def granted() -> None:
    """Ignore the child processes that existed before the test."""
    grant_children()


@pytest.fixture
async def leaves_nothing(temp_home: Path) -> AsyncIterator[None]:
    """Fail the test if it leaves descriptors, directories or child processes behind."""
    await asyncio.to_thread(lambda: None)  # start the executor first: its thread holds descriptors
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
