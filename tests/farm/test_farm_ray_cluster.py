"""A farm on a real Ray cluster and a real PostgreSQL: whatever is killed, every page is there once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from crawl_site import CrawlSite, check_tree
from ray_cluster import RayCluster, ray_cluster

from stillframe.farm.exits import CrawlExit
from stillframe.farm.store import CrawlStore, worker_name

pytestmark = pytest.mark.browser
BOUND = 90


class Farm:
    """The commands of `stillframe farm` on one cluster and one queue."""

    def __init__(self, queue: str, cluster: RayCluster) -> None:
        self.queue = queue
        self.cluster = cluster

    async def run(self, *arguments: str, code: int = CrawlExit.OK) -> dict[str, Any]:
        """Run a command and return what it prints."""
        environment = {**os.environ, "STILLFRAME_QUEUE": self.queue}
        command = (sys.executable, "-m", "stillframe", "farm", *arguments, "--json")
        process = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-1, env=environment)
        async with asyncio.timeout(BOUND):
            stdout, stderr = await process.communicate()
        assert process.returncode == code, (stdout, stderr)
        return dict(json.loads(stdout))

    async def up(self, *arguments: str) -> dict[str, Any]:
        return await self.run("up", *arguments, "--address", self.cluster.address, "--concurrency", "2")

    async def finished(self) -> None:
        """Wait until the crawl is finished."""
        async with await CrawlStore.open(self.queue, "crawl", worker=worker_name(), mode="join") as store:
            await until(store.is_finished)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(BOUND):
        while not await condition():  # noqa: ASYNC110 - what is looked at is elsewhere
            await asyncio.sleep(0.1)


@asynccontextmanager
async def farm(queue: str, nodes: int) -> AsyncIterator[Farm]:
    async with ray_cluster(nodes) as cluster:
        yield Farm(queue, cluster)


async def test_a_worker_that_is_killed_costs_no_page(postgres_url: str, tmp_path: Path) -> None:
    """The smallest farm: `make test-all` kills supervisors and whole clusters as well."""
    async with CrawlSite(6) as site, farm(postgres_url, 1) as machines:
        site.hold(after=2)
        await machines.up(site.root)
        await asyncio.wait_for(site.held.wait(), BOUND)
        machines.cluster.processes("farm worker")[-1].kill()
        site.released.set()
        await machines.finished()
        # At once, because each of them mostly waits for its imports and for Ray.
        exported, down = await asyncio.gather(
            machines.run("export", "--out", str(tmp_path / "out")),
            machines.run("down", "--address", machines.cluster.address),
        )
        assert (exported["rows"], down["ended"]) == (6, 1)
        check_tree(site, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.serial  # two nodes keep both cores busy
async def test_two_supervisors_lose_no_page_when_one_and_a_worker_are_killed(postgres_url: str, tmp_path: Path) -> None:
    async with CrawlSite(40) as site, farm(postgres_url, 2) as machines:
        site.hold(after=8)
        first = await machines.up(site.root)
        assert (len(first["started"]), first["nodes"]) == (2, 2)
        assert (await machines.up("--resume"))["started"] == []
        await asyncio.wait_for(site.held.wait(), BOUND)
        chromes = machines.cluster.processes("chrom")
        machines.cluster.processes("ray::Supervisor")[0].kill()
        machines.cluster.processes("farm worker")[-1].kill()
        site.released.set()
        await machines.finished()
        status = await machines.run("status", "--address", machines.cluster.address)
        assert status["counts"]["outcomes"] == {"done": 40}
        assert len(status["supervisors"]) == 2
        assert (await machines.run("export", "--out", str(tmp_path / "out")))["rows"] == 40
        check_tree(site, tmp_path / "out")
        assert (await machines.run("down", "--address", machines.cluster.address))["ended"] == 2

        async def no_chrome() -> bool:
            return not any(psutil.pid_exists(each.pid) and each.is_running() for each in chromes)

        await until(no_chrome)


@pytest.mark.slow
@pytest.mark.serial
async def test_a_crawl_outlives_its_whole_cluster(postgres_url: str, tmp_path: Path) -> None:
    async with CrawlSite(30) as site:
        async with farm(postgres_url, 1) as machines:
            site.hold(after=8)
            await machines.up(site.root)
            await asyncio.wait_for(site.held.wait(), BOUND)
            await machines.cluster.kill()
            gone = await machines.run("status", "--address", machines.cluster.address)
            assert "no Ray cluster answers" in gone["cluster"]
            assert gone["counts"]["pending"] > 0
            await machines.run("up", "--resume", "--address", machines.cluster.address, code=CrawlExit.USAGE)
        site.released.set()
        async with farm(postgres_url, 1) as machines:
            await machines.up("--resume")
            await machines.finished()
            await machines.run("export", "--out", str(tmp_path / "out"))
            check_tree(site, tmp_path / "out")
            await machines.run("down", "--address", machines.cluster.address)
