"""`stillframe crawl` and `stillframe farm` as their users see them: mistakes, progress and the summary."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from command_line import call
from stillframe.cli.crawl import Lines, line_of, picture, print_summary
from stillframe.farm.crawl import CrawlExit, CrawlSummary, Progress
from stillframe.farm.pool import BrowserStatus, PoolStatus

STATUS = PoolStatus(
    browsers=(
        BrowserStatus(
            number=3, state="serving", pages=1, served=9, age_s=1.0, pss_bytes=512_000_000, doing=("http://a/now",)
        ),
    ),
    launched=1,
    restarts=0,
    shed=0,
    waiting=0,
    memory_share=0.25,
    free_disk_bytes=1e9,
    admitting="disk",
)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("crawl",), 2, "give at least one URL, or --resume"),
        (("crawl", "no url"), 2, "'no url' is not an http or https URL"),
        (("crawl", "ftp://a/"), 2, "'ftp://a/' is not an http or https URL"),
        (("crawl", "http://a/", "--sitemap", "no url"), 2, "'no url' is not an http or https URL"),
        (("crawl", "http://a/", "--concurrency", "0"), 2, "'0' is neither auto nor a number of at least 1. See"),
        (("crawl", "http://a/", "--max-pages", "0"), 2, "--max-pages"),
        (("crawl", "http://a/", "--format", "xml"), 2, "'--format': 'xml' is not one of"),
        (("crawl", "http://a/", "--include", "["), 2, "would match no URL"),
        (("crawl", "http://a/", "--queue", "mysql://u:secret@h/d"), 17, "a crawl needs sqlite or postgresql"),
        (("crawl", "--resume", "--max-pages", "3"), 2, "keeps the settings that it began with"),
        (("crawl", "http://a/", "--proxy", "http://ann:secret@p:1"), 2, "write ${NAME}"),
        (
            ("crawl", "http://a/", "--proxy", "http://ann:${NO_SUCH_NAME}@p:1"),
            2,
            "set NO_SUCH_NAME, or NO_SUCH_NAME_FILE",
        ),
        (("crawl", "http://a/", "--storage-state", "missing.json"), 2, "missing.json"),
        (("crawl", "http://a/", "--viewport", "wide"), 2, "'wide' is not a size such as 1280x800"),
        (("crawl", "http://a/", "--header", "secret"), 2, "write NAME=VALUE"),
        (("crawl", "--resume", "--locale", "de-CH"), 2, "keeps the settings that it began with"),
        (("crawl", "--resume"), 2, "the folder crawl holds no crawl to resume"),
        (("farm", "up", "http://a/", "--address", "127.0.0.1:1"), 2, "--queue"),
        (("farm", "up", "--resume", "--depth", "3"), 2, "keeps the settings that it began with"),
        (("farm", "status"), 2, "--queue"),
        (("farm", "create", "http://a/"), 2, "--queue"),
        (("farm", "create"), 2, "give at least one URL, or --resume"),
        (("farm", "create", "ftp://a/", "--queue", "sqlite:///farm.db"), 2, "'ftp://a/' is not an http or https URL"),
        (("farm", "create", "--resume", "--queue", "sqlite:///farm.db"), 2, "No crawl named 'crawl' stands in"),
        (("crawl", "http://a/", "--retry-failed", "all"), 2, "a new crawl has no page that failed; add --resume"),
        (("farm", "retry", "--queue", "sqlite:///farm.db"), 2, "--kind"),
        (("farm", "retry", "--kind", "all", "--queue", "sqlite:///farm.db"), 2, "No crawl named 'crawl' stands in"),
        (("farm", "vacuum", "--queue", "sqlite:///farm.db"), 2, "--exported, or --older-than DAYS"),
        (("farm", "vacuum", "--exported", "--queue", "sqlite:///farm.db"), 2, "No crawl named 'crawl' stands in"),
        (("farm", "vacuum", "--exported", "--unexported"), 2, "it belongs to --older-than"),
        (("farm", "vacuum", "--older-than", "-1"), 2, "--older-than"),
        (("farm", "vacuum", "--older-than", "3"), 2, "--queue"),
        (("farm", "worker", "--queue", "sqlite:///farm.db"), 2, "No crawl named 'crawl' stands in"),
    ],
)
def test_mistakes_are_told_apart_before_anything_runs(
    arguments: tuple[str, ...],
    code: int,
    says: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.delenv("STILLFRAME_QUEUE", raising=False)
    done = call(capfd, *arguments)
    assert (done.code, says in done.err) == (code, True), done.err
    assert "secret" not in done.err


def progress() -> Progress:
    found = Progress(started=0.0, pending=7, pool=STATUS, draining=True, skipped=3, robots_refused=2)
    for now in (1.0, 2.0):
        found.page_done(now, "navigated")
    found.page_failed(2.0, "http_500")
    return found


def test_the_live_table_shows_pages_errors_memory_and_what_each_browser_does() -> None:
    console = Console(file=io.StringIO(), width=100)
    console.print(picture(progress(), 2.0))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "robots.txt forbids: 2 of the skipped pages" in shown
    for part in ("1.5", "7", "25%", "512 MB", "1 http_500", "because of disk", "finishing", "serving", "http://a/now"):
        assert part in shown


def test_without_a_terminal_a_line_is_printed_now_and_then() -> None:
    lines = list[str]()
    show = Lines(lines.append)
    show(progress())
    show(progress())
    assert len(lines) == 1
    assert line_of(progress(), 2.0) == "3 pages, 1.5 pages/s, 7 pending, 1 failed, browsers 512 MB"


@pytest.mark.parametrize(
    ("more", "last"),
    [
        ({}, "the crawl is complete"),
        ({"pending": 5}, "--max-pages is reached"),
        ({"exit": CrawlExit.FAILED}, "no page could be loaded"),
        ({"exit": CrawlExit.NOTHING, "reason": "robots_refused"}, "no page was crawled: robots.txt allows none"),
        ({"exit": CrawlExit.NOTHING, "reason": "no_page_loaded"}, "no page was crawled: none could be loaded"),
        ({"exit": CrawlExit.INTERRUPTED, "pending": 5}, "drained by Ctrl-C or `farm down`: --resume goes on"),
    ],
)
def test_the_summary_says_what_was_done_and_how_it_ended(
    more: dict[str, Any], last: str, capfd: pytest.CaptureFixture[str]
) -> None:
    known = {"exit": 0, "done": 1, "failed": 2, "skipped": 0, "pending": 0, "pages": 1, "restarts": 0, "lost_leases": 3}
    summary = CrawlSummary(
        name="c",
        errors={"http_500": 2},
        verdicts={"navigated": 1},
        seconds=2.0,
        pages_per_s=0.5,
        **{**known, **more},
    )
    print_summary(summary, as_json=False)
    said = capfd.readouterr().err.splitlines()
    assert said[1] == "this run: 1 page in 2.0 s, 0.5 pages/s"
    assert {"errors: 2 http_500", "0 browsers ended by themselves, 3 leases were lost"} <= {*said}
    assert said[-1] == last
