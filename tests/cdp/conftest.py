"""A real Chromium that these tests start themselves, without `stillframe.chrome`."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager

import pytest
from cdp_support import CHROMIUM, FLAGS, Live, Piped, launched

from stillframe.cdp import Connection, WebSocketTransport
from stillframe.cdp_types import page, target


@pytest.fixture
def pipe_browser() -> Callable[[], AbstractAsyncContextManager[Piped]]:
    return launched


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The WebSocket URL of a Chromium that the tests of one module share."""
    profile = tmp_path_factory.mktemp("chromium")
    process = subprocess.Popen(
        [CHROMIUM, *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = next(line for line in process.stderr if "DevTools listening on" in line)
        yield line.split()[-1]
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
async def live(endpoint: str) -> AsyncIterator[Live]:
    async with Connection(await WebSocketTransport.connect(endpoint)) as connection:
        created = await connection.root.send(target.CreateTarget(url="about:blank"))
        session = await connection.root.attach(created.target_id)
        await session.send(page.Enable())
        yield Live(connection, session)
        if not connection.closed:
            connection.root.post(target.CloseTarget(target_id=created.target_id))
            await connection.root.drain_events()
