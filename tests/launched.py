"""The browser that the tests launch: chrome-headless-shell, where there is one, or Chrome itself.

The shell draws and runs pages as Chrome does, with none of Chrome's windows and toolbars around them. It takes a third
of Chrome's CPU to start and 58 % of it to run the tests of tests/tab and tests/api (Chromium 156). Chrome remains for a
run with `--all`, for one with tests marked serial, which measure it, for the tests of how a browser is launched
(tests/chrome), and for a test that carries the marker `chrome` because the two differ there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from needs import headless_shell
from stillframe.chrome.executable import ENVIRONMENT_VARIABLE

WRAPPER = str(Path(__file__).with_name("headless_shell.sh"))
PROGRAM = "STILLFRAME_TEST_SHELL"
"""The variable with the path of the shell, which the wrapper runs."""


@contextmanager
def shell_by_default() -> Iterator[None]:
    """Have whatever the block launches, in other processes too, be the shell, unless a browser is named."""
    path = headless_shell()
    with pytest.MonkeyPatch.context() as patch:
        if path is not None and not os.environ.get(ENVIRONMENT_VARIABLE):
            patch.setenv(ENVIRONMENT_VARIABLE, WRAPPER)
            patch.setenv(PROGRAM, path)
        yield


@contextmanager
def chrome_itself() -> Iterator[None]:
    """Have what is launched in the block be Chrome again."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get(ENVIRONMENT_VARIABLE) == WRAPPER:
            patch.delenv(ENVIRONMENT_VARIABLE)
        yield
