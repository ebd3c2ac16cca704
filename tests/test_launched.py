"""Which browser the tests launch: the shell by default, Chrome where a test says so, and whatever the caller names."""

from __future__ import annotations

import os

import pytest

from launched import PROGRAM, WRAPPER, chrome_itself, shell_by_default
from stillframe.chrome.executable import ENVIRONMENT_VARIABLE, find_executable


@pytest.fixture
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser is named yet."""
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.delenv(PROGRAM, raising=False)


@pytest.mark.needs("headless-shell")
@pytest.mark.usefixtures("unnamed")
def test_the_shell_is_launched_but_for_where_chrome_is_asked_for() -> None:
    with shell_by_default():
        assert find_executable().path == WRAPPER
        assert os.access(os.environ[PROGRAM], os.X_OK)
        with chrome_itself():
            assert ENVIRONMENT_VARIABLE not in os.environ
        assert find_executable().path == WRAPPER
    assert ENVIRONMENT_VARIABLE not in os.environ


def test_a_browser_that_the_caller_names_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "/usr/bin/mine")
    with shell_by_default(), chrome_itself():
        assert os.environ[ENVIRONMENT_VARIABLE] == "/usr/bin/mine"


@pytest.mark.chrome("to see that the marker works")
def test_a_test_with_the_marker_has_chrome() -> None:
    assert os.environ.get(ENVIRONMENT_VARIABLE) != WRAPPER
