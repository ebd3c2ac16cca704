"""The small model of bench/small_model on a loopback port, for as long as a test needs it."""

from __future__ import annotations

import asyncio
import contextlib
import re
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic_ai import ModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

FOLDER = Path(__file__).parents[2] / "bench" / "small_model"
PYTHON = FOLDER / ".venv" / "bin" / "python"
NAME = "smollm2-135m-instruct"
RUNNING = re.compile(rb"running on (http://[\d.]+:\d+)")
"""The line that uvicorn writes once the server takes requests."""
START_S = 60
"""Seconds to load 100 MB of weights; it takes two on an idle machine."""


@contextlib.asynccontextmanager
async def small_model_server() -> AsyncIterator[str]:
    """Serve the model; yields the base URL of its API. Raises RuntimeError with its log if it does not start."""
    process = await asyncio.create_subprocess_exec(FOLDER / "serve.sh", "0", stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
    reading = None
    try:
        async with asyncio.timeout(START_S):
            url = await _url(process)
        reading = asyncio.create_task(_drain(process))
        yield f"{url}/v1"
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if reading is not None:
            await reading


def small_model(base_url: str) -> OpenAIChatModel:
    """Return the model behind a base URL. The one tool that it must call binds its output to the schema of a reply."""
    tool = {"type": "function", "function": {"name": "final_result"}}
    settings = ModelSettings(temperature=0, max_tokens=200, extra_body={"tool_choice": tool})
    return OpenAIChatModel(NAME, provider=OpenAIProvider(base_url=base_url, api_key="none"), settings=settings)


async def _url(process: Process) -> str:
    assert process.stderr is not None
    log = b""
    async for line in process.stderr:
        log += line
        if found := RUNNING.search(line):
            return found[1].decode()
    raise RuntimeError(f"the server of the small model ended: {log.decode(errors='replace')[-2000:]}")


async def _drain(process: Process) -> None:
    """Read the log until its end, because a full pipe would stop the server."""
    assert process.stderr is not None
    async for _ in process.stderr:
        pass
