"""Whole crawls with a real browser: every page once, complete, whatever is killed, full or stopped in between."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet
import pytest
from crawl_site import PAGES, CrawlSite, by_url, check_tree, records, text_of
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from postgres_server import PostgresServer
from warcio.archiveiterator import ArchiveIterator

from stillframe.errors import CrawlExists, DiskFull, OptionInvalid, OutputInvalid, StoreUnavailable
from stillframe.farm.crawl import CrawlSettings, CrawlSummary, run_crawl
from stillframe.farm.crawl import run as crawl_run
from stillframe.farm.exits import CrawlExit
from stillframe.farm.metrics import CrawlMetrics
from stillframe.farm.output import JsonLines

pytestmark = pytest.mark.browser
BOUND = 60
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
    async with CrawlSite() as site:
        summary = await crawl(site, tmp_path / "out", formats=("jsonl", "parquet", "warc"))
        check_tree(site, tmp_path / "out")
        assert (summary.exit, summary.done, summary.failed, summary.pending) == (CrawlExit.OK, PAGES, 0, 0)
        assert sum(summary.verdicts.values()) == PAGES
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
    async with CrawlSite() as site:
        found: dict[str, set[str]] = {}
        for name, options in {
            "max": {"max_pages": 5},
            "depth": {"depth": 1},
            "exclude": {"exclude": ("**/p/2", "**/p/3")},
            "include": {"include": ("**/p/1",)},
        }.items():
            await crawl(site, tmp_path / name, **options)
            found[name] = {url.rpartition("/")[2] for url in by_url(tmp_path / name)}
        assert len(found["max"]) == 5
        assert found["depth"] == {"0", "1", "2", "3"}
        assert found["include"] == {"0", "1"}
        assert {"1", "4", "13"} <= found["exclude"]
        assert not {"2", "3", "7"} & found["exclude"]


async def test_each_route_of_an_application_is_a_page_in_a_document_of_its_own(tmp_path: Path) -> None:
    async with CrawlSite() as site:
        summary = await crawl(site, tmp_path / "out", "/routed", concurrency=1)
        found = by_url(tmp_path / "out")
        assert (summary.done, summary.failed) == (3, 0)
        texts = {url.removeprefix(site.url): record["text"].splitlines()[-1] for url, record in found.items()}
        assert texts == {
            "/routed": text_of(0),
            "/routed#/one": f"#/one {text_of(5)}",
            "/routed#/two": f"#/two {text_of(5)}",
        }
        assert {record["status"] for record in found.values()} == {200}


async def test_paths_that_differ_in_the_case_of_letters_are_two_pages(tmp_path: Path) -> None:
    async with CrawlSite() as site:
        site.start = ("/twin/1", "/Routed", "/routed")
        await crawl(site, tmp_path / "out", "/start", depth=1)
        assert {"Routed", "Another page"} < {record["title"] for record in records(tmp_path / "out")}


async def test_trouble_is_counted_by_kind_and_costs_no_other_page(tmp_path: Path) -> None:
    async with CrawlSite(4) as site:
        site.start = (
            *("/throttled", "/busy", "/broken", "/missing", "/loop", "/download", "/dialogs", "/private", "/large"),
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
        summary = await crawl(site, tmp_path / "out", "/start", same_host=False, navigation_s=60.0, concurrency=4)
        found = by_url(tmp_path / "out")
        titles = {path: found[site.url + path].get("title") for path in ("/throttled", "/busy", "/dialogs", "/large")}
        assert titles == {"/throttled": "At last", "/busy": "At last", "/dialogs": "after", "/large": "Large"}
        assert found[f"{site.url}/missing"]["status"] == 404
        assert found[f"{site.url}/large"]["textTruncated"]
        assert {url: record["error"]["kind"] for url, record in found.items() if "error" in record} == {
            f"{site.url}/broken": "http_500",
            f"{site.url}/loop": "err_too_many_redirects",
            f"{site.url}/download": "download",
            f"{site.url}/huge": "too_large",
            f"{site.url}/packed": "too_large",
            "http://nowhere.invalid/": "err_name_not_resolved",
            "http://127.0.0.1:9/": "err_unsafe_port",
            f"{site.url.replace('http:', 'https:')}/tls": "err_ssl_protocol_error",
        }
        assert sum(summary.errors.values()) == summary.failed == 8
        assert summary.skipped == 1
        assert site.seen["/private"] == 0
        assert site.seen["/broken"] == 2
        assert (site.seen["/huge"], site.seen["/packed"]) == (1, 1)
        assert site.seen["/throttled"] == 2
        assert {f"{site.url}/p/{number}" for number in range(4)} <= set(found)


async def test_a_page_that_never_answers_costs_no_other_page(tmp_path: Path) -> None:
    """A crawl of its own: the largest page above needs more time than a page that hangs should get."""
    async with CrawlSite(4) as site:
        site.start = ("/hang", "/p/0")
        summary = await crawl(site, tmp_path / "out", "/start", navigation_s=2.0, retries=0)
        found = by_url(tmp_path / "out")
        assert found[f"{site.url}/hang"]["error"]["kind"] == "navigation_timeout"
        assert {f"{site.url}/p/{number}" for number in range(4)} <= set(found)
        assert summary.failed == 1


async def test_a_page_that_allocates_until_it_ends_costs_no_other_page(tmp_path: Path) -> None:
    options = {"args": ["--js-flags=--max-old-space-size=60"]}  # the whole heap of 4 GB takes 17 seconds to fill
    async with CrawlSite(4) as site:
        site.start = ("/greedy", "/p/0")
        summary = await crawl(site, tmp_path / "out", "/start", browser_options=options, navigation_s=30.0)
        assert summary.errors == {"target_crashed": 1}
        assert site.seen["/greedy"] == 2
        assert set(site.tree()) <= set(by_url(tmp_path / "out"))


async def test_each_page_is_measured(tmp_path: Path) -> None:
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    async with CrawlSite(3) as site:
        site.start = ("/p/0", "/p/1", "/missing", "http://127.0.0.1:9/")
        await crawl(site, tmp_path / "out", "/start", same_host=False, metrics=CrawlMetrics(meters, None))
    data = reader.get_metrics_data()
    meters.shutdown()
    assert data is not None
    found = {
        one.name.removeprefix("stillframe.farm."): one.data.data_points
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for one in scope.metrics
    }
    pages = {point.attributes["outcome"]: point.value for point in found["pages"]}
    assert pages == {"done": 5, "failed": 1}  # the start, three pages of the tree, and the 404
    (excess,) = found["page.excess"]
    assert excess.count == 5
    assert 0 < excess.sum < 60
    (taken,) = (point.value for point in found["captures"] if point.attributes["result"] == "taken")
    assert taken >= 5


async def test_the_crawl_delay_of_robots_txt_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with CrawlSite(4) as site:
        site.more_robots = "Crawl-delay: 1\n"
        await crawl(site, tmp_path / "out")
        # The first page was leased before robots.txt was read. Leases are a second apart; a page takes some time from
        # its lease to its request.
        assert min(later - earlier for earlier, later in pairwise(site.times[1:])) > 0.5
    assert "Crawl-delay" not in caplog.text


async def test_robots_txt_can_be_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with CrawlSite(1) as site:
        site.start = ("/private",)
        summary = await crawl(site, tmp_path / "out", "/start", respect_robots=False)
        assert summary.done == 2
        assert "robots.txt is not honoured" in caplog.text


async def test_near_duplicates_are_named_with_their_evidence(tmp_path: Path) -> None:
    async with CrawlSite(1) as site:
        site.start = ("/twin/1", "/twin/2", "/p/0")
        await crawl(site, tmp_path / "out", "/start", skip_near_duplicates=True, concurrency=1)
        found = by_url(tmp_path / "out")
        second = found[f"{site.url}/twin/2"]
        assert second["nearDuplicate"]["url"] == f"{site.url}/twin/1"
        assert second["nearDuplicate"]["similarity"]["structure"] == 1.0
        assert "text" not in second
        assert "nearDuplicate" not in found[f"{site.url}/p/0"]


async def test_a_crawl_that_is_drained_goes_on_where_it_stopped(tmp_path: Path) -> None:
    async with CrawlSite() as site:
        site.hold(after=6)
        stop = asyncio.Event()
        running = asyncio.create_task(crawl(site, tmp_path / "out", stop=stop))
        await asyncio.wait_for(site.held.wait(), BOUND)
        stop.set()
        site.released.set()
        first = await running
        assert (first.exit, first.pending > 0) == (CrawlExit.INTERRUPTED, True)
        second = await crawl(site, tmp_path / "out", resume=True)
        assert (second.exit, second.done, second.pending) == (CrawlExit.OK, PAGES, 0)
        check_tree(site, tmp_path / "out")
        assert max(site.seen[f"/p/{number}"] for number in range(PAGES)) == 1


async def test_limits_of_time_and_of_failures_drain_the_crawl(tmp_path: Path) -> None:
    async with CrawlSite() as site:
        site.start = ("/broken", "/loop", "/p/0")
        failed = await crawl(site, tmp_path / "a", "/start", fail_limit=0, retries=0, concurrency=1)
        assert failed.exit == CrawlExit.FAILED_LIMIT
        limited = await crawl(site, tmp_path / "b", time_limit_s=0.0)
        assert limited.exit == CrawlExit.TIME_LIMIT
        assert limited.pending
        assert (await crawl(site, tmp_path / "b", resume=True)).exit == CrawlExit.OK
        check_tree(site, tmp_path / "b")


# -- kills ----------------------------------------------------------------------------------------


@asynccontextmanager
async def command(site: CrawlSite, out: Path, *options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `stillframe crawl` in a process of its own."""
    urls = () if "--resume" in options else (site.root,)
    arguments = ("-m", "stillframe", "crawl", *urls, "--out", str(out), "--json", "--concurrency", "3", *options)
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=-1, stderr=-1)
    try:
        async with asyncio.timeout(BOUND):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def finished(process: asyncio.subprocess.Process, code: int = 0) -> dict[str, Any]:
    stdout, stderr = await process.communicate()
    assert process.returncode == code, (stdout, stderr)
    return json.loads(stdout) if stdout else {}


def chromes_of(pid: int) -> list[psutil.Process]:
    return [each for each in psutil.Process(pid).children(recursive=True) if "chrom" in each.name()]


def kind_of_process(process: psutil.Process) -> str:
    """Return `renderer`, `gpu-process` and so on; the browser itself has no type."""
    types = [each.removeprefix("--type=") for each in process.cmdline() if each.startswith("--type=")]
    return types[0] if types else "browser"


@pytest.mark.parametrize("torn", [False, True])
async def test_a_crawl_whose_process_is_killed_goes_on(tmp_path: Path, torn: bool) -> None:
    out = tmp_path / "out"
    async with CrawlSite() as site:
        site.hold(after=12)
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


@pytest.mark.parametrize("which", ["browser", "renderer"])
async def test_a_chrome_process_that_is_killed_costs_no_page(tmp_path: Path, which: str) -> None:
    out = tmp_path / "out"
    async with CrawlSite() as site:
        site.hold(after=8)
        async with command(site, out) as process:
            await site.held.wait()
            lines = {each: each.cmdline() for each in chromes_of(process.pid)}
            kinds = {
                each: next((a for a in line if a.startswith("--type=")), "browser") for each, line in lines.items()
            }
            for each, kind in kinds.items():
                if kind == ("browser" if which == "browser" else "--type=renderer"):
                    each.kill()
            site.released.set()
            summary = await finished(process)
        assert (summary["done"], summary["failed"]) == (PAGES, 0)
        check_tree(site, out)


async def test_ctrl_c_drains_and_a_second_one_stops(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with CrawlSite() as site:
        site.hold(after=6)
        async with command(site, out) as process:
            await site.held.wait()
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while b"finishing" not in await process.stderr.readline():
                pass
            site.released.set()
            summary = await finished(process, CrawlExit.INTERRUPTED)
        assert summary["pending"] > 0
        site.hold(after=3)
        async with command(site, out, "--resume") as process:
            await site.held.wait()
            for _ in range(2):
                process.send_signal(signal.SIGINT)
                if process.stderr is not None and _ == 0:
                    while b"finishing" not in await process.stderr.readline():
                        pass
            await finished(process, CrawlExit.STOPPED_NOW)
        site.released.set()
        async with command(site, out, "--resume") as process:
            assert (await finished(process))["done"] == PAGES
        check_tree(site, out)


async def test_ctrl_c_interrupts_a_program_that_crawls(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with CrawlSite() as site:
        site.hold(after=6)
        program = str(Path(__file__).parent / "crawl_interrupted.py")
        process = await asyncio.create_subprocess_exec(
            sys.executable, program, site.root, str(out), stdout=-1, stderr=-1
        )
        try:
            async with asyncio.timeout(BOUND):
                await site.held.wait()
                process.send_signal(signal.SIGINT)
                stdout, stderr = await process.communicate()
            assert stdout == b"interrupted\n", stderr
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        site.released.set()
        assert (await crawl(site, out, resume=True)).done == PAGES
        check_tree(site, out)


async def test_a_crawl_survives_a_restart_of_postgresql(tmp_path: Path) -> None:
    with PostgresServer() as server:
        async with CrawlSite() as site:
            site.hold(after=8)
            url = server.url("postgres")
            running = asyncio.create_task(crawl(site, tmp_path / "out", queue=url))
            await asyncio.wait_for(site.held.wait(), BOUND)
            await asyncio.to_thread(server.stop, "immediate")
            site.released.set()
            await asyncio.to_thread(server.start)
            assert (await running).done == PAGES
            check_tree(site, tmp_path / "out")


# -- what cannot work -----------------------------------------------------------------------------


async def test_a_full_disk_ends_the_crawl_and_it_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    class Full(JsonLines):
        def append(self, rows: Any, at: Any) -> Any:
            if at.row_id >= 5:
                raise DiskFull("the disk is full", path=str(out), free_bytes=0, needed_bytes=1)
            return super().append(rows[:1], at)

    async with CrawlSite() as site:
        monkeypatch.setitem(crawl_run.SINKS, "jsonl", lambda folder, _: Full(folder))
        with pytest.raises(DiskFull):
            await crawl(site, out)
        assert len(records(out)) == 5
        monkeypatch.undo()
        assert (await crawl(site, out, resume=True)).done == PAGES
        check_tree(site, out)


async def test_what_is_refused_before_anything_runs(tmp_path: Path) -> None:
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


async def test_a_crawl_that_gets_no_page_has_failed(tmp_path: Path) -> None:
    async with CrawlSite(1) as site:
        summary = await crawl(site, tmp_path / "out", "/broken", retries=0)
        assert (summary.exit, summary.errors) == (CrawlExit.FAILED, {"http_500": 1})


async def test_two_crawls_of_one_name_in_one_database(tmp_path: Path, postgres_url: str) -> None:
    async with CrawlSite(2) as site:
        await crawl(site, tmp_path / "a", queue=postgres_url)
        with pytest.raises(CrawlExists):
            await crawl(site, tmp_path / "b", queue=postgres_url)
        assert (await crawl(site, tmp_path / "c", queue=postgres_url, name="other")).done == 2
