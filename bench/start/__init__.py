"""How long `stillframe mcp` takes to answer `initialize` and `tools/list`, beside a server of nothing but the SDK.

The figures are wall time, and CPU time of the process, from its start until the answer. The browser starts after the
tools are listed, so it costs neither.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil

from bench.measure import Table, interleaved, table

ROUNDS = 15
BARE = "the SDK alone"
OURS = "stillframe mcp"
SERVERS = {BARE: [str(Path(__file__).with_name("bare_server.py"))], OURS: ["-m", "stillframe", "mcp"]}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


async def run(rounds: int = ROUNDS) -> list[Table]:
    """Start each server `rounds` times, interleaved with the others."""
    cpu: dict[str, list[float]] = {name: [] for name in SERVERS}
    listed: dict[str, list[float]] = {name: [] for name in SERVERS}

    def sampler(name: str) -> Callable[[], Awaitable[float]]:
        async def sample() -> float:
            wall, used, until_listed = await start(SERVERS[name])
            cpu[name].append(used)
            listed[name].append(until_listed)
            return wall

        return sample

    for arguments in SERVERS.values():
        await start(arguments)  # compiles what is imported
    walls = await interleaved({name: sampler(name) for name in SERVERS}, rounds)
    return [
        table("from the start of the process to the answer to initialize", "ms", BARE, walls),
        table("CPU of the process until then", "ms", BARE, cpu),
        table("from the start to the list of tools", "ms", BARE, listed),
    ]


async def start(arguments: list[str]) -> tuple[float, float, float]:
    """Start a server; return the milliseconds until it answers initialize, those of CPU, and until it lists tools."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=sys.stderr
    )
    assert process.stdin is not None
    try:
        await _asked(process, "initialize", HELLO)
        wall = (time.perf_counter() - began) * 1000
        times = psutil.Process(process.pid).cpu_times()
        await _asked(process, "tools/list", {})
        listed = (time.perf_counter() - began) * 1000
    finally:
        process.stdin.close()
        await process.wait()
    return wall, (times.user + times.system) * 1000, listed


async def _asked(process: Any, method: str, params: dict[str, Any]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + os.linesep.encode())
    answer = json.loads(await process.stdout.readline())
    assert "result" in answer, answer
    if method == "initialize":
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
