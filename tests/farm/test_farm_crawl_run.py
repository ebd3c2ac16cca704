"""Whole crawls with a real browser: every page once, complete, whatever is killed, full or stopped in between."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pyarrow.parquet
import pytest
from crawl_site import PAGES, CrawlSite, by_url, check_tree, records, text_of
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from postgres_server import PostgresServer
from warcio.archiveiterator import ArchiveIterator

from processes import below, command_of
from sampling import sampled
from stillframe.errors import CrawlExists, DiskFull, OptionInvalid, OutputInvalid, StoreUnavailable
from stillframe.farm.crawl import CrawlSettings, CrawlSummary, run_crawl
from stillframe.farm.crawl import run as crawl_run
from stillframe.farm.exits import CrawlExit
from stillframe.farm.metrics import CrawlMetrics
from stillframe.farm.output import Exporter, JsonLines, OutputFolder
from stillframe.farm.store import CrawlStore, DatasetRow, NewRequest, crawl_store, worker_name

pytestmark = pytest.mark.browser
BOUND = 60
DEEP = 14
"""Pages of the smallest tree with four levels."""
RUN_OPTIONS = ("browser_options", "metrics", "queue", "stop", "fail_limit", "time_limit_s")
QUICK: dict[str, Any] = {"retries": 1, "navigation_s": 10.0, "handler_s": 20.0}


async def crawl(
    site: CrawlSite, out: Path, *paths: str, resume: bool = False, concurrency: int = 3, **more: Any
) -> CrawlSummary:
    run_options = {name: more.pop(name) for name in RUN_OPTIONS if name in more}
    urls = tuple(site.url + path for path in paths or ("/p/0",))
    settings = None if resume else CrawlSettings(urls=urls, **{**QUICK, **more})
    async with asyncio.timeout(2 * BOUND):
        return await run_crawl(settings, out=out, resume=resume, concurrency=concurrency, **run_options)


async def test_every_page_is_there_once_and_complete_in_each_format(tmp_path: Path) -> None:
    async with CrawlSite(DEEP) as site:
        summary = await crawl(site, tmp_path / "out", formats=("jsonl", "parquet", "warc"))
        check_tree(site, tmp_path / "out")
        assert (summary.exit, summary.done, summary.failed, summary.pending) == (CrawlExit.OK, DEEP, 0, 0)
        assert sum(summary.verdicts.values()) == DEEP
        record = by_url(tmp_path / "out")[site.root]
        assert record["status"] == 200
        assert record["verdict"]["stable"]
        assert record["title"] == "Page 0"
        assert record["links"] == [f"{site.url}/p/{n}" for n in (1, 2, 3)]
        assert record["timings"]["totalMs"] > 0
        table = pyarrow.parquet.read_table(next((tmp_path / "out").glob("*.parquet")))
        assert sorted(table["url"].to_pylist()) == sorted(site.tree())
        with next((tmp_path / "out").glob("*.warc.gz")).open("rb") as archive:
            uris = [
                each.rec_headers["WARC-Target-URI"] for each in ArchiveIterator(archive) if each.rec_type == "response"
            ]
        assert {*site.tree()} <= {*uris}
        assert site.seen["/p/0"] == 1


async def test_the_limits_of_a_crawl(tmp_path: Path) -> None:
    """Each page that is missing is kept out by one limit alone: 2 by exclude, 3 by include, 4 and 5 by depth."""
    globs = {"include": ("**/p/{1,2,4,5}",), "exclude": ("**/p/2",)}
    async with CrawlSite() as site:
        await crawl(site, tmp_path / "out", depth=1, **globs)
        assert {*by_url(tmp_path / "out")} == {f"{site.url}/p/0", f"{site.url}/p/1"}


# -- one crawl of pages that keep out of each other's way ------------------------------------------


class Mixed(NamedTuple):
    """The outcome of the crawl."""

    site: str
    summary: CrawlSummary
    found: dict[str, dict[str, Any]]
    points: dict[str, Any]
    """The measured points by the name of their instrument."""
    log: str


@pytest.fixture(scope="module")
async def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """One crawl for several tests: to start Chrome costs more than their pages."""
    out, log = tmp_path_factory.mktemp("mixed") / "out", StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger("stillframe").addHandler(handler)
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    try:
        async with CrawlSite(1) as site:
            site.start = (
                *("/routed", "/Routed", "/twin/1", "/twin/2", "/p/0"),
                *("/private", "/missing", "/away", "/loop"),
            )
            options = {"respect_robots": False, "skip_near_duplicates": True, "concurrency": 1, "retries": 0}
            summary = await crawl(site, out, "/start", metrics=CrawlMetrics(meters, None), **options)
    finally:
        logging.getLogger("stillframe").removeHandler(handler)
    data = reader.get_metrics_data()
    meters.shutdown()
    assert data is not None
    points = {
        one.name.removeprefix("stillframe.farm."): one.data.data_points
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for one in scope.metrics
    }
    return Mixed(site.url, summary, by_url(out), points, log.getvalue())


async def test_each_route_of_an_application_is_a_page_in_a_document_of_its_own(mixed: Mixed) -> None:
    routes = {url.removeprefix(mixed.site): record for url, record in mixed.found.items() if "/routed" in url}
    assert {url: record["text"].splitlines()[-1] for url, record in routes.items()} == {
        "/routed": text_of(0),
        "/routed#/one": f"#/one {text_of(5)}",
        "/routed#/two": f"#/two {text_of(5)}",
    }
    assert {record["status"] for record in routes.values()} == {200}


async def test_paths_that_differ_in_the_case_of_letters_are_two_pages(mixed: Mixed) -> None:
    assert {"Routed", "Another page"} < {record.get("title") for record in mixed.found.values()}


async def test_each_page_is_measured(mixed: Mixed) -> None:
    pages = {point.attributes["outcome"]: point.value for point in mixed.points["pages"]}
    summary = mixed.summary
    assert pages == {"done": summary.done, "failed": 1, "skipped": summary.skipped}
    host = mixed.site.removeprefix("http://")
    assert {
        (point.attributes["host"], point.attributes["outcome"]): point.value for point in mixed.points["host.pages"]
    } == {(host, outcome): count for outcome, count in pages.items()}
    operations = {point.attributes["operation"]: point for point in mixed.points["store.duration"]}
    assert {"lease", "complete_all", "counts", "health"} <= operations.keys(), operations.keys()
    assert operations["lease"].count >= summary.done / 4
    assert summary.done == 10  # the start, three routes, another page, two twins, a page of the tree, private, the 404
    (excess,) = mixed.points["page.excess"]
    assert excess.count >= summary.done
    assert 0 < excess.sum < 60
    (taken,) = (point.value for point in mixed.points["captures"] if point.attributes["result"] == "taken")
    assert taken >= summary.done


async def test_robots_txt_can_be_ignored(mixed: Mixed) -> None:
    assert mixed.found[f"{mixed.site}/private"]["status"] == 200
    assert "robots.txt is not honoured" in mixed.log


async def test_near_duplicates_are_named_with_their_evidence(mixed: Mixed) -> None:
    second = mixed.found[f"{mixed.site}/twin/2"]
    assert second["nearDuplicate"]["url"] == f"{mixed.site}/twin/1"
    assert second["nearDuplicate"]["similarity"]["structure"] == 1.0
    assert "text" not in second
    assert "nearDuplicate" not in mixed.found[f"{mixed.site}/p/0"]


async def test_a_page_that_leads_to_another_host_is_skipped(mixed: Mixed) -> None:
    assert mixed.summary.skipped == 1
    assert f"{mixed.site}/away" not in mixed.found


# -- trouble --------------------------------------------------------------------------------------


async def test_trouble_is_counted_by_kind_and_costs_no_other_page(tmp_path: Path) -> None:
    async with CrawlSite(4) as site:
        site.start = (
            *("/throttled", "/busy", "/broken", "/missing", "/loop", "/download", "/dialogs", "/private", "/large"),
            "/paper",
            *(
                "/huge",
                "/packed",
                "/p/0",
                "http://nowhere.invalid/",
                "http://127.0.0.1:9/",
                "mailto:a@b",
                "http://[",
                "javascript:1",
            ),
            site.url.replace("http:", "https:") + "/tls",
        )
        options = {"same_host": False, "navigation_s": 60.0, "robots_wait_s": 0.0}
        summary = await crawl(site, tmp_path / "out", "/start", concurrency=4, **options)
        found = by_url(tmp_path / "out")
        titles = {path: found[site.url + path].get("title") for path in ("/throttled", "/busy", "/dialogs", "/large")}
        assert titles == {"/throttled": "At last", "/busy": "At last", "/dialogs": "after", "/large": "Large"}
        assert found[f"{site.url}/missing"]["status"] == 404
        assert found[f"{site.url}/large"]["textTruncated"]
        paper = found[f"{site.url}/paper"]
        assert (paper["contentType"], paper["status"], paper["finalUrl"]) == ("application/pdf", 200, paper["url"])
        assert paper.get("text", "Words of a paper") == "Words of a paper"
        assert {url: record["error"]["kind"] for url, record in found.items() if "error" in record} == {
            f"{site.url}/broken": "http_500",
            f"{site.url}/loop": "err_too_many_redirects",
            f"{site.url}/download": "download",
            f"{site.url}/huge": "too_large",
            f"{site.url}/packed": "too_large",
            "http://nowhere.invalid/": "robots_unreachable",
            "http://127.0.0.1:9/": "robots_unreachable",
            f"{site.url.replace('http:', 'https:')}/tls": "robots_unreachable",
        }
        assert sum(summary.errors.values()) == summary.failed == 8
        assert (summary.skipped, summary.robots_refused) == (1, 1)
        assert site.seen["/private"] == 0
        assert site.seen["/broken"] == 2
        assert (site.seen["/huge"], site.seen["/packed"]) == (1, 1)
        assert site.seen["/throttled"] == 2
        assert {f"{site.url}/p/{number}" for number in range(4)} <= set(found)


async def test_a_page_that_never_answers_costs_no_other_page(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A crawl of its own: the largest page above needs more time than a page that hangs should get.

    Meanwhile, the crawl keeps to the delay that robots.txt asks for, and to its number of pages.
    """
    async with CrawlSite() as site:
        site.start = ("/hang", "/p/0")
        site.more_robots = "Crawl-delay: 1\n"
        summary = await crawl(site, tmp_path / "out", "/start", navigation_s=2.0, retries=0, max_pages=4)
        found = by_url(tmp_path / "out")
        assert found[f"{site.url}/hang"]["error"]["kind"] == "navigation_timeout"
        assert summary.failed == 1
        assert (len(found), f"{site.url}/p/0" in found) == (4, True)
        # Leases are a second apart; a page takes some time from its lease to its request.
        first, second = site.times
        assert second - first > 0.5
    assert "Crawl-delay" not in caplog.text


async def test_a_page_that_allocates_until_it_ends_costs_no_other_page(tmp_path: Path) -> None:
    options = {"args": ["--js-flags=--max-old-space-size=60"]}  # the whole heap of 4 GB takes 17 seconds to fill
    async with CrawlSite(2) as site:
        site.start = ("/greedy", "/p/0")
        summary = await crawl(site, tmp_path / "out", "/start", browser_options=options, navigation_s=30.0)
        assert summary.errors == {"target_crashed": 1}
        assert site.seen["/greedy"] == 2
        assert set(site.tree()) <= set(by_url(tmp_path / "out"))


@pytest.mark.slow  # test_farm_crawl_exits.py has the limit
async def test_a_limit_of_failures_drains_the_crawl(tmp_path: Path) -> None:
    async with CrawlSite() as site:
        site.start = ("/broken", "/loop", "/p/0")
        failed = await crawl(site, tmp_path / "out", "/start", fail_limit=0, retries=0, concurrency=1)
        assert failed.exit == CrawlExit.FAILED_LIMIT


@pytest.mark.slow  # test_farm_crawl_exits.py has what the exit is made of
async def test_a_crawl_that_gets_no_page_has_failed(tmp_path: Path) -> None:
    async with CrawlSite(1) as site:
        summary = await crawl(site, tmp_path / "out", "/broken", retries=0)
        assert (summary.exit, summary.errors) == (CrawlExit.FAILED, {"http_500": 1})


# -- kills ----------------------------------------------------------------------------------------


@asynccontextmanager
async def ended(process: asyncio.subprocess.Process) -> AsyncIterator[asyncio.subprocess.Process]:
    """Limit the time of a process, and kill it at the end of the block if it still runs."""
    try:
        async with asyncio.timeout(BOUND):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@asynccontextmanager
async def command(site: CrawlSite, out: Path, *options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `stillframe crawl` in a process of its own."""
    urls = () if "--resume" in options else (site.root,)
    arguments = ("-m", "stillframe", "crawl", *urls, "--out", str(out), "--json", "--concurrency", "3", *options)
    async with ended(await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=-1, stderr=-1)) as process:
        yield process


@asynccontextmanager
async def interrupted_program(*arguments: object) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run crawl_interrupted.py."""
    program = (str(Path(__file__).parent / "crawl_interrupted.py"), *map(str, arguments))
    async with ended(await asyncio.create_subprocess_exec(sys.executable, *program, stdout=-1, stderr=-1)) as process:
        yield process


async def finished(process: asyncio.subprocess.Process, code: int = 0) -> dict[str, Any]:
    stdout, stderr = await process.communicate()
    assert process.returncode == code, (stdout, stderr)
    return json.loads(stdout) if stdout else {}


def chromes_of(pid: int) -> list[psutil.Process]:
    return [each for each in below(pid) if "chrom" in command_of(each).partition(" ")[0]]


def is_of_type(process: psutil.Process, kind: str) -> bool:
    """Return whether a process of Chrome is a `renderer`, for example; the browser itself has no type."""
    command = command_of(process)
    return bool(command) and ("--type=" not in command if kind == "browser" else f"--type={kind}" in command)


@pytest.mark.parametrize("torn", sampled([False, True], keep=[True]))  # the kill is the same
async def test_a_crawl_whose_process_is_killed_goes_on(tmp_path: Path, torn: bool) -> None:
    out = tmp_path / "out"
    async with CrawlSite() as site:
        site.hold(after=3)
        async with command(site, out) as process:
            await site.held.wait()
            chromes = chromes_of(process.pid)
            process.kill()
            await process.wait()
            _, alive = await asyncio.to_thread(psutil.wait_procs, chromes, timeout=10)
            assert alive == []
        site.released.set()
        if torn:
            with (out / "pages.jsonl").open("ab") as file:
                file.write(b'{"url":"http://torn')
        async with command(site, out, "--resume") as process:
            summary = await finished(process)
        assert (summary["done"], summary["failed"]) == (PAGES, 0)
        check_tree(site, out)


@pytest.mark.parametrize("which", sampled(["browser", "renderer"], keep=["browser"]))
async def test_a_chrome_process_that_is_killed_costs_no_page(tmp_path: Path, which: str) -> None:
    """The pool's own tests crash a renderer."""
    out, others = tmp_path / "out", chromes_of(os.getpid())
    async with CrawlSite() as site:
        site.hold(after=3)
        running = asyncio.create_task(crawl(site, out))
        await asyncio.wait_for(site.held.wait(), BOUND)
        killed = [each for each in set(chromes_of(os.getpid())) - set(others) if is_of_type(each, which)]
        assert killed
        for each in killed:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        site.released.set()
        summary = await running
        assert (summary.done, summary.failed) == (PAGES, 0)
        check_tree(site, out)


async def told_that_it_drains(process: asyncio.subprocess.Process) -> None:
    assert process.stderr is not None
    said = [await process.stderr.readline()]
    while b"finishing" not in said[-1]:
        assert said[-1], said
        said.append(await process.stderr.readline())


async def test_ctrl_c_ends_a_program_drains_the_command_and_stops_it_the_second_time(tmp_path: Path) -> None:
    """One crawl is interrupted by each of them, and is complete in the end."""
    out = tmp_path / "out"
    async with CrawlSite() as site:
        site.hold(after=1)
        async with interrupted_program(site.root, out) as process:
            await site.held.wait()
            process.send_signal(signal.SIGINT)
            stdout, stderr = await process.communicate()
        assert stdout == b"interrupted\n", stderr
        site.released.set()
        site.hold(after=1)
        async with command(site, out, "--resume") as process:
            await site.held.wait()
            process.send_signal(signal.SIGINT)
            await told_that_it_drains(process)
            site.released.set()
            summary = await finished(process, CrawlExit.INTERRUPTED)
        # One page was answered before, and the two or three that were open are finished; no other one starts.
        assert (summary["done"], summary["pending"]) in {(done, PAGES - done) for done in (3, 4)}
        site.hold(after=0)
        async with command(site, out, "--resume") as process:
            await site.held.wait()
            process.send_signal(signal.SIGINT)
            await told_that_it_drains(process)
            process.send_signal(signal.SIGINT)
            await finished(process, CrawlExit.STOPPED_NOW)
        site.released.set()
        assert (await crawl(site, out, resume=True)).done == PAGES
        check_tree(site, out)


async def test_a_crawl_survives_a_restart_of_postgresql(
    tmp_path: Path, restarted: PostgresServer, postgres_url: str
) -> None:
    """It is the second crawl in its database."""
    async with CrawlSite() as site:
        async with await CrawlStore.open(postgres_url, "crawl", worker=worker_name(), settings={}):
            pass
        with pytest.raises(CrawlExists):
            await crawl(site, tmp_path / "a", queue=postgres_url)
        site.hold(after=3)
        running = asyncio.create_task(crawl(site, tmp_path / "out", queue=postgres_url, name="other"))
        await asyncio.wait_for(site.held.wait(), BOUND)
        await asyncio.to_thread(restarted.stop, "immediate")
        site.released.set()
        await asyncio.to_thread(restarted.start)
        assert (await running).done == PAGES
        check_tree(site, tmp_path / "out")


# -- what stops before the end ---------------------------------------------------------------------


async def test_a_crawl_that_stopped_goes_on_until_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One crawl stops at its time limit, when it is drained, and when the disk is full."""
    out = tmp_path / "out"

    class Full(JsonLines):
        def append(self, rows: Any, at: Any) -> Any:
            if at.row_id >= 5:
                raise DiskFull("the disk is full", path=str(out), free_bytes=0, needed_bytes=1)
            return super().append(rows[:1], at)

    async with CrawlSite() as site:
        limited = await crawl(site, out, time_limit_s=0.0, concurrency=1)
        assert (limited.exit, limited.pending > 0) == (CrawlExit.TIME_LIMIT, True)

        site.hold(after=0)
        stop = asyncio.Event()
        running = asyncio.create_task(crawl(site, out, resume=True, stop=stop, concurrency=1))
        await asyncio.wait_for(site.held.wait(), BOUND)
        stop.set()
        site.released.set()
        drained = await running
        assert (drained.exit, drained.pending > 0) == (CrawlExit.INTERRUPTED, True)

        monkeypatch.setitem(crawl_run.SINKS, "jsonl", lambda folder, _: Full(folder))
        with pytest.raises(DiskFull):
            await crawl(site, out, resume=True)
        assert len(records(out)) == 5
        monkeypatch.undo()

        complete = await crawl(site, out, resume=True)
        assert (complete.exit, complete.done, complete.pending) == (CrawlExit.OK, PAGES, 0)
        check_tree(site, out)
        assert max(site.seen[f"/p/{number}"] for number in range(PAGES)) == 1


# -- what cannot work -----------------------------------------------------------------------------


async def test_what_is_refused_before_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl_store, "OPEN_PATIENCE_S", 0.2)
    async with CrawlSite(1) as site:
        full = tmp_path / "full"
        full.mkdir()
        (full / "other").write_text("x")
        with pytest.raises(OutputInvalid):
            await crawl(site, full)
        with pytest.raises(OutputInvalid):
            await crawl(site, tmp_path / "none", resume=True)
        for url in ("no url", "ftp://a/", "http://", "http://a b/", ""):
            with pytest.raises(OptionInvalid):
                await run_crawl(CrawlSettings(urls=(url,)), out=tmp_path / "bad")
        with pytest.raises(StoreUnavailable):
            await crawl(site, tmp_path / "down", queue="postgresql://a:secret@127.0.0.1:9/none")
        assert list((tmp_path / "down").iterdir()) == []  # so that the corrected command can use it
        assert site.seen == {}


async def test_an_error_of_the_export_is_raised_even_if_it_passes(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has stopped the crawl, so somebody has to say why."""
    stop, pump = asyncio.Event(), Exporter.pump

    async def fail(self: Exporter, *, final: bool = False) -> int:
        if final:
            return await pump(self, final=True)
        raise StoreUnavailable("gone for a moment", url="x")

    monkeypatch.setattr(Exporter, "pump", fail)
    async with await CrawlStore.open(sqlite_url, "c", worker=worker_name()) as store:
        with (
            OutputFolder.claim(tmp_path / "out", name="c", crawl_id="1") as folder,
            pytest.raises(StoreUnavailable, match="for a moment"),
        ):
            async with crawl_run.exporting(store, folder, stop, ("jsonl",)), asyncio.timeout(BOUND):
                await stop.wait()


async def test_an_export_that_follows_a_stopped_crawl_waits_for_its_last_pages(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = CrawlSettings(urls=("http://h/",), formats=("jsonl",)).check()
    opened = await CrawlStore.open(sqlite_url, "c", worker=worker_name(), settings=settings.to_builtins())
    async with opened as store, asyncio.timeout(BOUND):
        await store.add([NewRequest(key="1", url="http://h/", host="h")])
        (lease,) = await store.lease()
        await store.stop()
        answers, is_finished = list[bool](), store.is_finished

        async def end_the_page_later() -> bool:
            if len(answers) == 1:
                await store.complete(lease, rows=[DatasetRow(dataset="pages", body=b"{}")])
            answers.append(await is_finished())
            return answers[-1]

        monkeypatch.setattr(store, "is_finished", end_the_page_later)
        assert await crawl_run.export_crawl(store, tmp_path / "out", follow=True) == 1
        assert answers == [False, True]
