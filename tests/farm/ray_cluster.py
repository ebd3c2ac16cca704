"""A Ray cluster of several nodes on this machine, on its own port and folder, ended with its block."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from processes import named
from stillframe.testing.adb_server import free_port

RAY = Path(sys.executable).with_name("ray")
SILENT = ("--disable-usage-stats", "--include-log-monitor=false")
STARTED = b"Ray runtime started"
ORDINARY = {"RAY_worker_niceness": "0"}
"""Ray gives its workers a niceness of 15: beside four busy loops on two cores, a crawl takes 556 s, and 34 s with 0."""
BOUND = 60


class RayCluster:
    """The processes of a cluster; `address` is that of its head."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._nodes: list[asyncio.subprocess.Process] = []
        self.address = f"127.0.0.1:{free_port()}"

    async def start(self) -> None:
        """Start a node: the head, if there is none yet."""
        # Without processors Ray starts no idle workers ahead of time; supervisors need none.
        common = ("--node-ip-address=127.0.0.1", "--num-cpus=0", "--object-store-memory=80000000", "--block")
        port = self.address.rpartition(":")[2]
        head = ("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self._folder}")
        role = (f"--address={self.address}",) if self._nodes else head
        environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_MEMORY_MONITOR": "1", **ORDINARY}
        node = await asyncio.create_subprocess_exec(
            str(RAY), "start", *role, *common, *SILENT, stdout=-1, stderr=-2, env=environment
        )
        self._nodes.append(node)
        assert node.stdout is not None
        said = b""
        while STARTED not in said:
            line = await asyncio.wait_for(node.stdout.readline(), BOUND)
            said += line
            assert line, said.decode()

    def processes(self, name: str) -> list[psutil.Process]:
        """Return the cluster's processes, and their children, whose command line contains a text."""
        return [each for node in self._nodes for each in named(node.pid, name)]

    async def kill(self) -> None:
        """End all nodes with SIGKILL, the head included, as when the machines lose power."""
        await self._kill(self._nodes)

    async def kill_head(self) -> None:
        """End the head with SIGKILL, and all that runs on its node."""
        await self._kill(self._nodes[:1])

    async def _kill(self, nodes: list[asyncio.subprocess.Process]) -> None:
        everything = [each for node in nodes for each in named(node.pid, "")]
        for each in everything:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        for node in list(nodes):
            with contextlib.suppress(ProcessLookupError):
                node.kill()
            await node.communicate()
            self._nodes.remove(node)
        await asyncio.to_thread(psutil.wait_procs, everything, timeout=BOUND)


@asynccontextmanager
async def ray_cluster(nodes: int = 1) -> AsyncIterator[RayCluster]:
    """Run a cluster while the block runs."""
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="sf-ray-")  # short: sockets lie in it
    cluster = RayCluster(folder)
    try:
        for _ in range(nodes):
            await cluster.start()
        yield cluster
    finally:
        await cluster.kill()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
