"""How crawls of real sites are judged: which pages are missing, and which lines pages lack."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bench.farm.real import (
    Faults,
    Outcome,
    Seen,
    failures,
    faults_text,
    lines_of,
    lost_lines,
    main,
    missing_pages,
    on_host,
    page_of,
    share,
    unstable,
)
from bench.farm.real_sites import REAL_SITES

ORIGIN = "http://h:1"


def record(path: str, *links: str, **more: Any) -> dict[str, Any]:
    return {"url": ORIGIN + path, "links": [ORIGIN + link for link in links], **more}


def seen(path: str, *links: str) -> Seen:
    return Seen(url=ORIGIN + path, text="", links=tuple(ORIGIN + link for link in links))


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://h/a?b#c", "http://h/a?b"),
        ("http://h", "http://h/"),
        ("http://h/#/", "http://h/"),
        ("http://h/#/guide", "http://h/#/guide"),
        ("http://h/#!guide", "http://h/#!guide"),
    ],
)
def test_fragments_tell_pages_apart_only_as_routes(url: str, page: str) -> None:
    assert page_of(url) == page


def test_links_of_a_host_count_once() -> None:
    urls = [f"{ORIGIN}/a#x", f"{ORIGIN}/a", "http://h:12/a", "mailto:a@h", f"{ORIGIN}/b"]
    assert on_host(urls, ORIGIN) == [f"{ORIGIN}/a", f"{ORIGIN}/b"]
    assert on_host([*urls, f"{ORIGIN}/#/a?id=x"], ORIGIN, ["**/b", "**?id=*"]) == [f"{ORIGIN}/a"]


def test_a_line_is_lost_if_each_look_of_the_oracle_has_it() -> None:
    assert lines_of(" one \n\n two\none") == {"one", "two"}
    assert lost_lines("one", "one\ntwo\n10:01", "one\ntwo\n10:02") == {"two"}
    assert lost_lines("one\ntwo\nmore", "two\none") == set()


def test_a_whole_crawl_has_each_page_that_the_oracle_found() -> None:
    oracle = {f"{ORIGIN}/": seen("/", "/a", "/b", "/c", "/d"), f"{ORIGIN}/c": seen("/a"), f"{ORIGIN}/d": seen("/d")}
    crawl = [record("/", "/a", "/b"), record("/a"), record("/e", finalUrl=f"{ORIGIN}/d")]
    assert missing_pages(crawl, oracle, ORIGIN, whole=True) == [f"{ORIGIN}/b"]


def test_a_crawl_that_ended_at_its_limit_has_the_links_of_its_pages() -> None:
    oracle = {f"{ORIGIN}/": seen("/", "/a", "/b"), f"{ORIGIN}/a": seen("/a", "/z")}
    assert missing_pages([record("/", "/a")], oracle, ORIGIN, whole=False) == [f"{ORIGIN}/b"]


def test_failures_and_verdicts_are_counted() -> None:
    records = [
        record("/", verdict={"stable": True, "reason": "quiet"}),
        record("/a", verdict={"stable": False, "reason": "timeout"}),
        record("/b", error={"kind": "http_500", "message": "x"}),
    ]
    assert failures(records) == {"http_500": 1}
    assert unstable(records) == {"timeout": 1}
    assert share(unstable(records), of=3) == "33 %"


def test_faults_are_named_with_their_site() -> None:
    faults = Faults(missing=[f"{ORIGIN}/b"], lost={f"{ORIGIN}/a": {"two"}})
    outcome = Outcome(
        name="docs", crawled=1, walked=2, pages_per_s=1.0, failed=Counter(), not_stable=Counter(), faults=faults
    )
    assert faults_text(outcome) == [
        f"docs: missing: {ORIGIN}/b",
        f"docs: {ORIGIN}/a lacks 1 lines: ['two']",
    ]


def test_the_sites_are_of_one_piece(capsys: pytest.CaptureFixture[str]) -> None:
    names = [site.name for site in REAL_SITES]
    assert len({*names}) == len(names)
    assert all(site.start.startswith("/") for site in REAL_SITES)
    assert main(["nobody"]) == 2
    assert names[0] in capsys.readouterr().err
