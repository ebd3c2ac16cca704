"""`stillframe farm` without Ray: crawls are created, worked on by any scheduler's workers, and looked at."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from command_line import Done, call, stillframe
from stillframe.cli.crawl_command import SETTINGS
from stillframe.cli.farm import lines_of, nothing_of
from stillframe.cli.farm_command import create, up
from stillframe.farm.ray.supervisor import WorkOrder
from stillframe.farm.store import DATASET, CrawlStore, DatasetRow, NewRequest
from stillframe.farm.store.health import ExportLag, Health, HeldHost
from stillframe.testing.app_server import serving


@pytest.fixture
def queue(tmp_path: Path) -> str:
    """The URL of a queue that does not exist yet."""
    return f"sqlite:///{tmp_path / 'farm.db'}"


def test_a_crawl_is_created_once_and_gone_on_with_as_often_as_one_likes(
    queue: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def made(*arguments: str) -> Done:
        return call(capfd, "farm", "create", "http://a/", "http://b/", "--name", "x", "--queue", queue, *arguments)

    assert made("--resume", "--json").json == {"crawl": "x", "pending": 2, "sitemaps": None}
    again = made()
    assert (again.code, "A crawl named 'x' stands in" in again.err) == (2, True)
    assert made("--resume", "--json").json["pending"] == 2
    told = call(
        capfd, "farm", "down", "--name", "x", "--queue", queue, "--now", "--address", "127.0.0.1:1", "--json"
    ).json
    assert (told["ended"], told["pending"]) == (0, 2)
    assert "Ray" in told["cluster"], "a crawl without a cluster can be stopped as well"


def tried(queue: str) -> None:
    """Make a crawl of three pages, of which one is done, one has failed, and one is open."""

    async def make() -> None:
        async with await CrawlStore.open(queue, "x", worker="w", settings={"urls": ["http://a/"]}) as store:
            await store.add([NewRequest(key=str(n), url=f"http://a/{n}", host="a") for n in range(3)])
            done, failed, _ = await store.lease(3)
            await store.complete(done, rows=[DatasetRow(dataset=DATASET, body=b"{}")])
            await store.complete(failed, rows=[DatasetRow(dataset=DATASET, body=b"{}")], outcome="failed:http_503")

    asyncio.run(make())


def test_failed_pages_are_tried_again_and_bad_kinds_are_refused(queue: str, capfd: pytest.CaptureFixture[str]) -> None:
    tried(queue)

    def retried(*arguments: str) -> Done:
        return call(capfd, "farm", "retry", "--name", "x", "--queue", queue, *arguments)

    bad = retried("--kind", "http_404")
    assert (bad.code, "has failed as 'http_404': give one of http_503" in bad.err) == (2, True)
    assert retried("--kind", "http_5xx", "--json").json == {"crawl": "x", "retried": 1, "pending": 1, "stopped": False}
    again = retried("--kind", "all")
    assert (again.code, "none has failed" in again.err) == (2, True)


def test_rows_that_are_in_files_are_deleted_and_others_are_kept(
    queue: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tried(queue)

    def vacuumed(*arguments: str) -> Any:
        return call(capfd, "farm", "vacuum", "--name", "x", "--queue", queue, *arguments, "--json").json

    nothing = {"rows": 0, "bytes": 0, "crawls": [], "unexported": []}
    assert vacuumed("--exported") == nothing, "no file has them"
    out = str(tmp_path / "out")
    assert call(capfd, "farm", "export", "--name", "x", "--queue", queue, "--out", out, "--json").json["rows"] == 2
    assert vacuumed("--exported") == {**nothing, "rows": 2, "bytes": 4}
    assert vacuumed("--exported") == nothing
    assert vacuumed("--older-than", "1") == nothing, "the crawl is not finished"


@pytest.mark.parametrize(
    ("outcome", "code", "reason"), [("skipped", 4, "all_skipped"), ("done", 0, None), ("", 0, None)]
)
async def test_up_ends_with_4_for_a_crawl_that_is_over_and_has_no_page(
    queue: str, outcome: str, code: int, reason: str | None
) -> None:
    async with await CrawlStore.open(queue, "x", worker="w") as store:
        await store.add([NewRequest(key="1", url="http://a/", host="a")])
        [lease] = await store.lease(1)
        if outcome:
            await store.complete(lease, outcome=outcome)
        assert await nothing_of(store) == (code, reason)


def test_workers_of_a_cluster_serve_their_metrics_where_they_are_told_to() -> None:
    assert "--metrics-port" not in WorkOrder(queue="", crawl="x").command()
    command = WorkOrder(queue="", crawl="x", metrics_port=9464, metrics_host="0.0.0.0").command()
    assert command[-4:] == ["--metrics-port", "9464", "--metrics-host", "0.0.0.0"]


def test_create_has_the_options_of_up_about_the_crawl_and_up_all_settings_of_crawl() -> None:
    found = set(inspect.signature(up).parameters)
    assert found >= SETTINGS
    runs = {"context", "queue", "name", "resume", "concurrency", "metrics_port", "as_json", "address", "metrics_host"}
    assert found - SETTINGS == runs, "an option of `crawl` that a farm does not have is named in `without`"
    only_up = found - set(inspect.signature(create).parameters)
    assert only_up == {"address", "concurrency", "metrics_port", "metrics_host"}


def test_the_status_says_what_stands_against_a_crawl() -> None:
    assert lines_of(Health(hosts={"held": 0}, exports=(ExportLag(export="jsonl", rows=0, oldest_s=0.0),))) == []
    health = Health(
        hosts={"held": 2, "interval": 0, "full": 1},
        held=(HeldHost(host="slow.test", for_s=90.4),),
        robots_refused=3,
        robots_unreachable=1,
        exports=(ExportLag(export="jsonl", rows=12, oldest_s=7.5),),
        lock_waits=4,
        lock_wait_s=1.5,
    )
    assert lines_of(health) == [
        "hosts that may start no page now: 2 held, 1 full",
        "held longest: slow.test for 90 s",
        "robots.txt: pages it forbids: 3, hosts where it cannot be read: 1",
        "export jsonl: 12 rows in no file, the oldest 8 s old",
        "database: 4 connections wait for a lock, one for 2 s",
    ]


@pytest.mark.browser
async def test_a_worker_of_a_crawl_that_may_load_nothing_ends_with_4_and_the_reason(queue: str) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow: /\n" if request.path == "/robots.txt" else "")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with serving(app) as port:
        url = f"http://127.0.0.1:{port}/"
        async with await CrawlStore.open(queue, "x", worker="w", settings={"urls": [url]}):
            pass  # who created it has died before it added the start
        done = await stillframe("farm", "worker", "--name", "x", "--queue", queue, "--json", "--concurrency", "1")
    assert done.code == 4, done.whole
    told = done.json
    assert (told["exit"], told["reason"], told["robotsRefused"], told["errors"]) == (4, "robots_refused", 1, {})
