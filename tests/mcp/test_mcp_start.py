"""What a server imports before it answers `initialize`, and what it prepares once the tools are listed."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_client import CLIENT, VERSIONS, Era
from mcp_client import Client as PlainClient

from patience import HANG_S
from processes import children
from stillframe.api.browser import Browser
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.sessions import Sessions

LATE = ("stillframe.api", "stillframe.engine", "stillframe.sessions", "stillframe.tab", "stillframe.mcp.handlers")
LATE += ("stillframe.mcp.http", "PIL", "regex", "rich", "pydantic_ai", "aiohttp")
"""What drives browsers, serves HTTP, paints pictures or asks models: half as long again as the SDK takes."""

PROGRAM = f"""
import sys
from stillframe.cli import main
try:
    main(["mcp", *sys.argv[1:]])
finally:
    print([name for name in {LATE!r} if name in sys.modules], file=sys.stderr)
"""


def first_message(era: Era) -> dict[str, Any]:
    """Return what a client sends first."""
    if era == "stateless":
        return PlainClient(era).message("server/discover", id=1)
    hello = {"protocolVersion": VERSIONS[era], "capabilities": {}, "clientInfo": CLIENT}
    return PlainClient(era).message("initialize", hello, id=1)


@pytest.mark.parametrize(("era", "options"), [("handshake", []), ("stateless", ["--caps", "all", "--headed"])])
async def test_nothing_that_drives_a_browser_is_imported_before_the_first_answer(era: Era, options: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, *options, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=1_000_000
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(first_message(era)).encode() + b"\n")
    answer = await process.stdout.readline()
    _, imported = await process.communicate(b"")  # ends its input
    result = json.loads(answer)["result"]
    assert "execute_sequence" in result["instructions"]
    assert {"tools", "resources", "prompts", "completions"} <= result["capabilities"].keys()
    assert imported == b"[]\n"


@pytest.mark.browser
@pytest.mark.own_browser("the server launches it before the first call")
async def test_the_browser_starts_when_the_tools_are_listed() -> None:
    before = set(children())
    async with Client(make_server(Settings(launch_ahead=True)), mode="legacy") as client:
        await client.list_tools()
        async with asyncio.timeout(HANG_S):
            while not set(children()) - before:  # noqa: ASYNC110  nobody announces it
                await asyncio.sleep(0.01)


@pytest.mark.browser
@pytest.mark.own_browser("the server begins to launch it")
async def test_a_server_that_ends_during_the_launch_leaves_nothing_behind() -> None:
    async with Client(make_server(Settings(launch_ahead=True)), mode="legacy") as client:
        await client.list_tools()
    assert [task.get_name() for task in asyncio.all_tasks() if "ahead" in task.get_name()] == []


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[Sessions]:
    """Return the sessions whose browser was launched ahead; here none is."""
    found: list[Sessions] = []

    async def launch_browser(self: Sessions) -> None:
        found.append(self)

    monkeypatch.setattr(Sessions, "launch_browser", launch_browser)
    return found


async def listed(settings: Settings, browser: Browser | None = None) -> None:
    """List the tools twice."""
    async with Client(make_server(settings, browser)) as client:
        await client.list_tools()
        await client.list_tools()


async def test_one_browser_is_launched_however_often_the_tools_are_listed(launched: list[Sessions]) -> None:
    await listed(Settings(launch_ahead=True))
    assert len(launched) == 1


@pytest.mark.browser
async def test_no_browser_is_launched_ahead_where_sessions_have_one(
    launched: list[Sessions], browser: Browser, tmp_path: Path
) -> None:
    await listed(Settings(launch_ahead=True), browser)
    await listed(Settings(launch_ahead=True, profile=tmp_path))
    await listed(Settings())
    assert launched == []
