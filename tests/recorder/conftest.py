"""A browser with a window on a display of its own, and a second connection to it, which acts as a person does."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator

import pytest

import stillframe
from launched import chrome_itself
from needing import require
from stillframe import Browser, Page
from stillframe.demo import Shop
from stillframe.model.events import DialogReport
from stillframe.recorder.recorder import Recorder

SCREEN = "1280x900x24"


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of an X display that nobody sees."""
    require("display")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as numbers:
        number = numbers.readline().strip()
    assert number, "Xvfb did not start"
    yield f":{number}"
    server.terminate()
    server.wait()


@pytest.fixture(scope="session")
async def headed_browser(display: str) -> AsyncIterator[Browser]:
    """One browser with a window, and an open port."""
    with chrome_itself():
        chrome = await stillframe.launch(headless=False, port=0, env={"DISPLAY": display})
    async with chrome:
        yield chrome


def answer(dialog: DialogReport) -> bool | str:
    """Answer a dialog as the person of the tests does."""
    return "Bob" if dialog.type == "prompt" else True


@pytest.fixture(scope="session")
async def other_connection(headed_browser: Browser) -> AsyncIterator[Browser]:
    """The connection of the person."""
    assert headed_browser.info.endpoint is not None
    async with stillframe.connect(headed_browser.info.endpoint, dialogs=answer) as browser:
        yield browser


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with Shop() as shop:
        yield shop


@pytest.fixture
async def headed_page(headed_browser: Browser) -> AsyncIterator[Page]:
    async with await headed_browser.new_context() as context, await context.new_page() as page:
        yield page


@pytest.fixture
async def recorder(headed_page: Page) -> AsyncIterator[Recorder]:
    """A recorder on the page, which the test starts."""
    recorder = Recorder(headed_page)
    yield recorder
    await recorder.stop()
