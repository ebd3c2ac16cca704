"""`stillframe crawl`: runs a crawl, shows how it goes, and prints its summary."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from stillframe.cli.output import print_error, print_json
from stillframe.errors import OptionInvalid, StillframeError
from stillframe.farm.crawl import CrawlSettings, CrawlSummary, Progress, run_crawl
from stillframe.farm.crawl.access import context_options
from stillframe.farm.crawl.summary import ALL_SKIPPED, EMPTY, NO_PAGE, NOTHING_ALLOWED
from stillframe.farm.exits import MEANINGS, CrawlExit, exit_for_error
from stillframe.farm.traps.traps import described

LINE_S = 10.0
"""How often a line is printed where there is no terminal."""
URL_CHARACTERS = 60
METRICS = frozenset({"opentelemetry", "prometheus_client"})
"""The packages of the extra `metrics`."""
MB = 1_000_000
NOTHINGS = {
    NOTHING_ALLOWED: "robots.txt allows none",
    NO_PAGE: "none could be loaded",
    ALL_SKIPPED: "each leads to another host, or asks not to be recorded",
    EMPTY: "it has no URL",
}
"""Why a crawl got nothing, by the reason of its summary."""


class CrawlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command; `settings` is None to take those of the crawl that is resumed."""

    settings: dict[str, Any] | None
    out: Path
    queue: str
    resume: bool
    concurrency: int | Literal["auto"]
    time_limit_s: float | None
    fail_limit: int | None
    metrics_port: int | None
    headed: bool
    as_json: bool
    retry_kinds: tuple[str, ...] = ()
    tracing: dict[str, Any] = {}
    """The options `trace` and `trace_screenshots` of the browsers, if pages are traced."""


def run(options: CrawlOptions) -> int:
    """Crawl, and return the exit code; every error is printed as a sentence or as a JSON object."""
    return reported(lambda: _crawl(options), as_json=options.as_json)


def reported(work: Callable[[], Any], *, as_json: bool) -> int:
    """Run a coroutine that returns an exit code; print the error that ends it and return the code of that."""
    try:
        return int(asyncio.run(work()))
    except StillframeError as error:
        print_error(error.code, str(error), as_json=as_json)
        return exit_for_error(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        print_error("stopped", "stopped now; --resume goes on", as_json=as_json)
        return CrawlExit.STOPPED_NOW


async def _crawl(options: CrawlOptions) -> int:
    settings = None if options.settings is None else msgspec.convert(options.settings, CrawlSettings).check()
    if settings is not None:
        context_options(settings)  # before anything is made
    interrupts = Interrupts()
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(interrupts)
        metrics = await stack.enter_async_context(served_metrics(options.metrics_port))
        observe = stack.enter_context(shown(options.as_json))
        summary = await run_crawl(
            settings,
            out=options.out,
            queue=options.queue,
            resume=options.resume,
            concurrency=options.concurrency,
            browser_options={"headless": not options.headed, "downloads": False, **options.tracing},
            stop=interrupts.stop,
            time_limit_s=options.time_limit_s,
            fail_limit=options.fail_limit,
            observe=observe,
            metrics=metrics,
            retry_kinds=options.retry_kinds,
        )
    print_summary(summary, as_json=options.as_json)
    return summary.exit


@contextlib.asynccontextmanager
async def served_metrics(port: int | None, host: str = "127.0.0.1") -> AsyncIterator[Any]:
    """Serve metrics while the block runs, and yield what records them; None without a port.

    Raises OptionInvalid if the packages are missing or the port is taken.
    """
    if port is None:
        yield None
        return
    try:
        from stillframe.farm.metrics import CrawlMetrics, serve_prometheus
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in METRICS:
            raise
        raise OptionInvalid(str(error), option="metrics_port") from None
    async with serve_prometheus(port, host) as endpoint:
        sys.stderr.write(f"stillframe: metrics at {endpoint.url}\n")
        yield CrawlMetrics(endpoint.meter_provider)


class Interrupts:
    """Ctrl-C and SIGTERM: the first one sets `stop`, the second one cancels the command."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> Interrupts:
        self._task = asyncio.current_task()
        for number in self.SIGNALS:
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, self._signalled)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Leave the handlers: the loop removes them when it closes."""

    def cut(self) -> None:
        """End the command now."""
        if self._task is not None:
            self._task.cancel()

    def _signalled(self) -> None:
        if self.stop.is_set():
            self.cut()
        else:
            self.stop.set()
            sys.stderr.write("stillframe: finishing the open pages; Ctrl-C again stops now\n")


# -- what is shown --------------------------------------------------------------------------------


@contextlib.contextmanager
def shown(as_json: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Yield what shows the progress: a live table on a terminal, else a line now and then, nothing with --json."""
    console = Console(stderr=True)
    if as_json:
        yield None
    elif console.is_terminal:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            yield lambda progress: live.update(picture(progress, time.monotonic()), refresh=True)
    else:
        yield Lines(lambda line: console.print(line, markup=False, highlight=False))


class Lines:
    """Prints a line of progress every ten seconds."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        """Print the progress, unless a line was printed a moment ago."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + LINE_S
            self._write(line_of(progress, now))


def line_of(progress: Progress, now: float) -> str:
    """Return the progress as one line."""
    memory = progress.pool.pss_bytes / MB if progress.pool else 0.0
    return (
        f"{progress.pages} pages, {progress.rate(now):.1f} pages/s, {progress.pending} pending, "
        f"{progress.errors.total()} failed, browsers {memory:.0f} MB"
    )


def picture(progress: Progress, now: float) -> Group:
    """Return the live table: figures, errors by kind, and what each browser is doing."""
    head = Table(*("pages", "pages/s", "pending", "skipped", "failed", "memory", "browsers"), box=None, pad_edge=False)
    pool = progress.pool
    head.add_row(
        str(progress.pages),
        f"{progress.rate(now):.1f}",
        str(progress.pending),
        str(progress.skipped),
        str(progress.errors.total()),
        f"{pool.memory_share:.0%}" if pool else "",
        f"{pool.pss_bytes / MB:.0f} MB" if pool else "",
    )
    parts: list[Any] = [head]
    if progress.errors:
        parts.append("errors: " + counted(progress.errors))
    if progress.robots_refused:
        parts.append(f"robots.txt forbids: {progress.robots_refused} of the skipped pages")
    if pool is not None and pool.admitting not in (None, "pages"):
        parts.append(f"no more pages are opened now, because of {pool.admitting}")
    if progress.draining:
        parts.append("finishing the open pages; Ctrl-C again stops now")
    if pool is not None:
        parts.append(_browsers(pool))
    return Group(*parts)


def _browsers(pool: Any) -> Table:
    table = Table("browser", "state", "pages", "served", "MB", "doing", box=None, pad_edge=False)
    for browser in pool.browsers:
        doing = "\n".join(url[:URL_CHARACTERS] for url in browser.doing)
        figures = (str(browser.pages), str(browser.served), f"{browser.pss_bytes / MB:.0f}")
        table.add_row(str(browser.number), browser.state, *figures, doing)
    return table


def counted(kinds: Mapping[str, int]) -> str:
    """Return counts by kind as text, the most frequent first."""
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} {kind}" for kind, count in ranked)


def print_summary(summary: CrawlSummary, *, as_json: bool) -> None:
    """Print what the crawl did: one JSON object to standard output, or lines to standard error."""
    if as_json:
        print_json(summary)
        return
    run = "1 page" if summary.pages == 1 else f"{summary.pages} pages"
    lines = [
        f"pages: {summary.done} done, {summary.failed} failed, {summary.skipped} skipped, {summary.pending} pending",
        f"this run: {run} in {summary.seconds:.1f} s, {summary.pages_per_s:.1f} pages/s",
    ]
    if summary.robots_refused:
        lines.append(f"robots.txt forbids: {summary.robots_refused} of the skipped pages")
    lines += [f"trap: {line}" for line in described(summary.traps)]
    lines += [f"used up: {line}" for line in described(summary.budgets)]
    lines += [f"scope: {old} redirects to {new}, which is crawled as well" for old, new in summary.moved.items()]
    if summary.sitemaps is not None:
        lines.append(f"sitemaps: {summary.sitemaps}")
        lines += [f"  {problem}" for problem in summary.sitemaps.problems]
    for title, counts in (("errors", summary.errors), ("waits ended with", summary.verdicts)):
        if counts:
            lines.append(f"{title}: {counted(counts)}")
    if summary.restarts or summary.lost_leases:
        lines.append(f"{summary.restarts} browsers ended by themselves, {summary.lost_leases} leases were lost")
    if summary.out:
        lines.append(f"output: {summary.out}")
    lines.append(_ending(summary))
    sys.stderr.write("\n".join(lines) + "\n")


def _ending(summary: CrawlSummary) -> str:
    """Return how the crawl ended; unlike a meaning of its exit code, it names one case only."""
    match summary.exit:
        case CrawlExit.OK:
            return "--max-pages is reached" if summary.pending else "the crawl is complete"
        case CrawlExit.FAILED:
            return "no page could be loaded"
        case CrawlExit.NOTHING if summary.reason in NOTHINGS:
            return f"no page was crawled: {NOTHINGS[summary.reason]}"
    return MEANINGS[CrawlExit(summary.exit)]
