"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import command_line
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
