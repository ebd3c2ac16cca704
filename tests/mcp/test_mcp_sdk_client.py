"""The whole server as users start it, called by the SDK's client over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from sampling import sampled
from stillframe.demo import Shop
from stillframe.demo.shop import PASSWORD, USER

pytestmark = pytest.mark.browser

ARGS = ["-m", "stillframe", "mcp", "--allow-private"]
FILL = [
    {"action": "set_value", "selector": "#user", "value": USER},
    {"action": "set_value", "selector": "#pass", "value": {"secretName": "shop"}},
    {"action": "click_element", "selector": "#submit"},
]


@asynccontextmanager
async def over_stdio(secrets: Path, errors: Path) -> AsyncIterator[Any]:
    parameters = StdioServerParameters(
        command=sys.executable, args=[*ARGS, "--secrets", str(secrets)], env=dict(os.environ)
    )
    with errors.open("w") as log:
        yield stdio_client(parameters, errlog=log)


@asynccontextmanager
async def over_http(secrets: Path, errors: Path) -> AsyncIterator[Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *ARGS, "--http", "--secrets", str(secrets), stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    told = ""
    try:
        async with asyncio.timeout(60):
            while (found := re.search(r"(http\S+)\nAuthorization: (\S+ \S+)\n", told)) is None:
                told += (await process.stderr.readline()).decode()
        async with httpx2.AsyncClient(headers={"Authorization": found[2]}, timeout=60) as http:
            yield streamable_http_client(found[1], http_client=http)
        browsers = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            told += (await process.stderr.read()).decode()
            await process.wait()
        assert psutil.wait_procs(browsers, timeout=5)[1] == []
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        save(errors, told)


def save(errors: Path, text: str) -> None:
    errors.write_text(text)


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("way", "mode"),
    # test_mcp_wire.py has HTTP, and what the end of such a server leaves.
    sampled(
        [(way, mode) for way in (over_stdio, over_http) for mode in ("legacy", "auto")], keep=[(over_stdio, "auto")]
    ),
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
async def test_a_form_is_filled_with_a_declared_secret(way: Any, mode: Any, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.json"
    secrets.touch(mode=0o600)
    secrets.write_text(json.dumps({"shop": PASSWORD}))
    errors = tmp_path / "stderr.txt"
    steps: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        steps.append(done)

    async with Shop() as shop, way(secrets, errors) as transport, Client(transport, mode=mode) as client:
        assert len((await client.list_tools()).tools) == 6
        await client.call_tool("navigate", {"url": shop.url("/login")})
        arguments = {"actions": FILL, "verbose": True}
        result = await client.call_tool("execute_sequence", arguments, progress_callback=progress)
        text = result.content[0].text
        assert text.startswith("3 of 3 actions done; page is still")
        assert "Welcome back!" in text
        assert PASSWORD not in result.model_dump_json()
        assert steps == [1, 2, 3]
    assert PASSWORD not in errors.read_text()
