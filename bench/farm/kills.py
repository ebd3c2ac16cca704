"""What is killed in the middle of a crawl, and what that costs: `python -m bench.farm.kills [NAME …]`.

Each row is a crawl of a tree of pages, in which something is ended with SIGKILL or taken away. In the end every page
has to be in each format once, complete; the figure is the longest time in which the server was asked for no page
afterwards. The rows whose name begins with `ray` need Ray, and those with PostgreSQL its server programs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / each) for each in ("tests", "tests/farm", "tools")]  # the site and the servers of the tests

from crawl_site import CrawlSite, records, text_of  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402
from pyarrow import parquet  # noqa: E402
from ray_cluster import RayCluster, ray_cluster  # noqa: E402
from warcio.archiveiterator import ArchiveIterator  # noqa: E402

from bench.farm.processes import ending  # noqa: E402
from bench.measure import machine  # noqa: E402
from stillframe.farm.exits import CrawlExit  # noqa: E402
from stillframe.farm.store import CrawlStore, worker_name  # noqa: E402

PAGES = 60
LINES = (1, 6, 16, 26)
"""After how many lines of the output a crawl is killed, one time each."""
DOWN_S = 12.0
LIMIT_S = 240.0
FORMATS = ("jsonl", "parquet", "warc")
USAGE = 2


class Kill(msgspec.Struct, kw_only=True):
    """What one row found; `pauses` are the longest seconds without a request, after each kill."""

    name: str
    pauses: list[float] = []
    pages: int = 0
    lost: list[str] = []
    twice: list[str] = []
    incomplete: list[str] = []
    loaded_again: int = 0
    exit: int | None = 0

    @property
    def right(self) -> bool:
        """Whether each page is there once, complete."""
        return not (self.lost or self.twice or self.incomplete or self.exit)

    def line(self) -> str:
        """Return the row as it is printed."""
        pauses = ", ".join(f"{seconds:.1f}" for seconds in self.pauses)
        return (
            f"{self.name}: {self.pages} pages, {len(self.lost)} lost, {len(self.twice)} twice, "
            f"{len(self.incomplete)} incomplete, {self.loaded_again} loaded again; paused for {pauses} s; "
            f"exit {self.exit}"
        )


# -- what is there in the end ------------------------------------------------------------------------


def judge(site: CrawlSite, out: Path, kill: Kill, formats: Sequence[str] = FORMATS) -> Kill:
    """Count what each format of an output has of the tree."""
    expected = site.tree()
    found = {name: COUNTS[name](out) for name in formats}
    kill.pages = len(expected)
    kill.lost = [f"{url} in {name}" for name, urls in found.items() for url in expected if not urls[url]]
    kill.twice = [f"{url} in {name}" for name, urls in found.items() for url, n in urls.items() if n > 1]
    texts = {record["url"]: record.get("text", "") for record in records(out)}
    kill.incomplete = [url for url in expected if text_of(int(url.rpartition("/")[2])) not in texts.get(url, "")]
    kill.loaded_again = sum(site.seen[f"/p/{n}"] for n in range(site.pages)) - site.pages
    return kill


def _lines(out: Path) -> Counter[str]:
    return Counter(msgspec.json.decode(line)["url"] for line in (out / "pages.jsonl").read_bytes().splitlines())


def _rows(out: Path) -> Counter[str]:
    files = sorted(out.glob("*.parquet"))
    return Counter(url for file in files for url in parquet.read_table(file, columns=["url"])["url"].to_pylist())


def _responses(out: Path) -> Counter[str]:
    """Return how often each page has a response; one that was loaded again after a kill may have two."""
    found = set[str]()
    for file in sorted(out.glob("*.warc.gz")):
        with file.open("rb") as stream:
            records = ArchiveIterator(stream)
            found.update(
                {str(each.rec_headers.get_header("WARC-Target-URI")) for each in records if each.rec_type == "response"}
            )
    return Counter(dict.fromkeys(found, 1))


COUNTS: dict[str, Callable[[Path], Counter[str]]] = {"jsonl": _lines, "parquet": _rows, "warc": _responses}


# -- crawls ------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def command(*arguments: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a command of stillframe; it is killed at the end of the block if it still runs."""
    with tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "stillframe", *arguments),
            stdout=said,
            stderr=said,
            env={**os.environ, **environment},
        )
        async with ending(process):
            yield process


def crawling(
    site: CrawlSite, out: Path, *more: str, resume: bool = False
) -> contextlib.AbstractAsyncContextManager[asyncio.subprocess.Process]:
    """Run `stillframe crawl` in all formats."""
    formats = [part for each in FORMATS for part in ("--format", each)]
    start = ("--resume",) if resume else (site.root, *formats)
    return command("crawl", *start, "--out", str(out), "--concurrency", "3", *more)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    while not condition():  # noqa: ASYNC110  what is looked at is in another process
        await asyncio.sleep(0.02)


def lines(out: Path) -> int:
    """Return how many lines the output has."""
    file = out / "pages.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def pause_after(times: Sequence[float], moment: float, until_s: float = float("inf")) -> float:
    """Return the longest time without a request, of those that end between two moments."""
    return max((b - a for a, b in pairwise(times) if moment <= b <= until_s), default=0.0)


# -- one process -------------------------------------------------------------------------------------


async def killed_at_lines(out: Path) -> Kill:
    """End the crawl with SIGKILL after some lines, again and again."""
    kill = Kill(name=f"kill -9 at {', '.join(map(str, LINES))} lines, --resume each time")
    moments = list[float]()
    async with CrawlSite(PAGES) as site:
        for n, least in enumerate(LINES):
            async with crawling(site, out, resume=n > 0) as process:
                await until(lambda least=least: lines(out) >= least)  # type: ignore[misc]
                process.kill()
                await process.wait()
                moments.append(time.monotonic())
        async with crawling(site, out, resume=True) as process:
            kill.exit = await process.wait()
        kill.pauses = [pause_after(site.times, *pair) for pair in pairwise([*moments, float("inf")])]
        return judge(site, out, kill)


async def interrupted(out: Path) -> Kill:
    """Press Ctrl-C, let the crawl drain, and go on."""
    kill = Kill(name="Ctrl-C at 6 lines, --resume")
    async with CrawlSite(PAGES) as site:
        async with crawling(site, out) as process:
            await until(lambda: lines(out) >= 6)
            process.send_signal(signal.SIGINT)
            if await process.wait() != CrawlExit.INTERRUPTED:
                return Kill(name=kill.name, exit=process.returncode)
            moment = time.monotonic()
        async with crawling(site, out, resume=True) as process:
            kill.exit = await process.wait()
        kill.pauses = [pause_after(site.times, moment)]
        return judge(site, out, kill)


async def without_postgresql(out: Path) -> Kill:
    """Crash PostgreSQL for a while in the middle of a crawl."""
    kill = Kill(name=f"PostgreSQL stopped -m immediate for {DOWN_S:g} s")
    async with CrawlSite(PAGES) as site:
        with PostgresServer() as server:
            queue = server.url(await server.create())
            async with crawling(site, out, "--queue", queue) as process:
                await until(lambda: lines(out) >= 6)
                moment = time.monotonic()
                await asyncio.to_thread(server.stop, "immediate")
                await asyncio.sleep(DOWN_S)
                await asyncio.to_thread(server.start)
                kill.exit = await process.wait()
        kill.pauses = [pause_after(site.times, moment)]
        return judge(site, out, kill)


# -- a farm ------------------------------------------------------------------------------------------


class Farm:
    """A farm of some nodes on this machine, its queue and its site."""

    def __init__(self, site: CrawlSite, cluster: RayCluster, server: PostgresServer, queue: str) -> None:
        self.site = site
        self.cluster = cluster
        self.server = server
        self.queue = queue

    async def run(self, *arguments: str) -> int | None:
        """Run a command of `stillframe farm` and return its exit code."""
        async with command("farm", *arguments, STILLFRAME_QUEUE=self.queue) as process:
            return await process.wait()

    async def kill(self, name: str) -> None:
        """End one process of the cluster whose command line has a text."""
        self.cluster.processes(name)[-1].kill()

    async def kill_head(self) -> None:
        """End the whole first node, and with it its worker."""
        await self.cluster.kill_head()

    async def restart_database(self) -> None:
        """Crash PostgreSQL and start it."""
        await asyncio.to_thread(self.server.stop, "immediate")
        await asyncio.to_thread(self.server.start)


def of_ray(name: str, nodes: int, break_it: Callable[[Farm], Awaitable[None]]) -> Callable[[Path], Awaitable[Kill]]:
    """Return a row in which something of a cluster is ended."""

    async def row(out: Path) -> Kill:
        kill = Kill(name=name)
        with PostgresServer() as server:
            queue = server.url(await server.create())
            async with CrawlSite(PAGES) as site, ray_cluster(nodes) as cluster:
                farm = Farm(site, cluster, server, queue)
                kill.exit = await farm.run(
                    "up", site.root, "--address", cluster.address, "--concurrency", "2", "--host-interval", "0.25"
                )
                await until(lambda: len(site.times) >= 6 * nodes)
                moment = time.monotonic()
                await break_it(farm)
                async with await CrawlStore.open(queue, "crawl", worker=worker_name(), mode="join") as store:
                    while not await store.is_finished():  # noqa: ASYNC110  it is in the database
                        await asyncio.sleep(0.1)
                kill.exit = kill.exit or await farm.run("export", "--out", str(out))
                kill.pauses = [pause_after(site.times, moment)]
                return judge(site, out, kill, FORMATS[:1])

    return row


ROWS: dict[str, Callable[[Path], Awaitable[Kill]]] = {
    "lines": killed_at_lines,
    "interrupt": interrupted,
    "postgresql": without_postgresql,
    "ray-worker": of_ray("Ray, one node: the worker", 1, lambda farm: farm.kill("farm worker")),
    "ray-supervisor": of_ray("Ray, one node: the supervisor", 1, lambda farm: farm.kill("ray::Supervisor")),
    "ray-head": of_ray("Ray, two nodes: the head with its worker", 2, Farm.kill_head),
    "ray-postgresql": of_ray("Ray, one node: PostgreSQL restarted", 1, Farm.restart_database),
}


async def _all(names: Sequence[str]) -> list[Kill]:
    found = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="bench-kills-") as folder:
            async with asyncio.timeout(LIMIT_S):
                found.append(await ROWS[name](Path(folder) / "out"))
        sys.stdout.write(f"{found[-1].line()}\n")
        sys.stdout.flush()
    return found


def main(arguments: Sequence[str]) -> int:
    """Run the rows that are named, or all; the exit code is 1 if a page is lost, twice or not complete."""
    parser = argparse.ArgumentParser(prog="bench.farm.kills", description="Kill parts of crawls.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(ROWS)}")
    names = parser.parse_args(arguments).names or list(ROWS)
    if unknown := {*names} - {*ROWS}:
        print(f"no such row: {', '.join(sorted(unknown))}; {parser.format_help()}", file=sys.stderr)
        return USAGE
    sys.stdout.write(f"{machine()}\n")
    return int(not all(each.right for each in asyncio.run(_all(names))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
