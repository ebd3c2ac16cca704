"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

import command_line
import stillframe
from forked_commands import ForkedCommands


@pytest.fixture(scope="session", autouse=True)
def forked_commands(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let `command_line.stillframe` fork its processes; in `make test-all` each one starts from nothing.

    So it does for a report of the coverage, which has no account of forks.
    """
    if pytestconfig.getoption("--all") or pytestconfig.pluginmanager.hasplugin("_cov"):
        yield
        return
    command_line.forked = ForkedCommands()
    yield
    command_line.forked.close()
    command_line.forked = None


@pytest.fixture(scope="session")
async def connecting() -> AsyncIterator[tuple[str, str]]:
    """The option that lets a command act in a running browser: to launch one takes most of a command's time.

    Each command that can launch a browser has a test in which it does.
    """
    async with stillframe.launch(port=0) as browser:
        assert browser.info.endpoint is not None
        yield ("--connect", browser.info.endpoint)
