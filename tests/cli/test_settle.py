"""`stillframe settle`: its text, its JSON and its exit codes."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from command_line import stillframe
from site_server import Site
from stillframe.cli.settle import MARKS, awaited_table, line_text, verdict_report
from stillframe.model.verdict import Ignored, Late, Pending, Verdict
from stillframe.settling.pending import PendingRow
from stillframe.settling.progress import EVENTS, Line


async def settle(*args: str) -> tuple[int, list[str]]:
    """Run the command in its own process; return its exit code and its lines."""
    done = await stillframe("settle", *args, env={"COLUMNS": "100"})
    return done.code, done.out.splitlines()


def printed(*parts: Any) -> str:
    out = io.StringIO()
    Console(file=out, width=100, color_system=None).print(*parts)
    return out.getvalue()


# -- words ---------------------------------------------------------------------------------------


def test_every_event_has_a_mark() -> None:
    assert set(MARKS) == set(EVENTS)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (Line(at_ms=5, event="waits", kind="request", what="GET /a", age_ms=0), "5 ms + waits for request GET /a"),
        (
            Line(at_ms=5, event="waits", kind="request", what="GET /a", age_ms=40),
            "for request GET /a (for 40 ms already)",
        ),
        (Line(at_ms=9, event="ended", kind="request", what="GET /a", age_ms=40), "- done request GET /a (took 40 ms)"),
        (
            Line(at_ms=9, event="waits", kind="timer", what="setTimeout 1000 ms", site="http://s/a.js:3:5", count=4),
            "waits for timer setTimeout 1000 ms (from http://s/a.js:3:5, 4 times)",
        ),
        (Line(at_ms=9, event="noise", kind="changes", what="#clock", rate=10.04), "changes #clock (10.0 per second)"),
        (Line(at_ms=9, event="fence", age_ms=33.1), "? asked the page (answered after 33 ms)"),
        (Line(at_ms=9, event="navigated", url="http://s/[b]x"), "* shows http://s/[b]x"),
    ],
)
def test_a_line_reads_well(line: Line, words: str) -> None:
    assert words in " ".join(printed(line_text(line)).split())


def test_what_is_awaited_is_listed_with_its_age() -> None:
    rows = [
        PendingRow("timer", "k", "setTimeout 900 ms", 100.0, site="http://s/a.js:3:5"),
        PendingRow("request", "r", "GET [b]", 250.0),
    ]
    lines = [line.split() for line in printed(awaited_table(rows, 300.0)).splitlines()]
    assert lines == [
        ["200", "ms", "timer", "setTimeout", "900", "ms", "from", "http://s/a.js:3:5"],
        ["50", "ms", "request", "GET", "[b]"],
    ]


def test_a_verdict_names_everything_beside_it() -> None:
    verdict = Verdict(
        stable=False,
        reason="horizon",
        detail="request GET /a",
        waited_ms=2031.4,
        fences=2,
        pending=(Pending("timer", "setTimeout 9000 ms", 1900.0, None, "http://s/a.js:3:5"),),
        ignored=(Ignored("changes", "#clock", 10.0),),
        late=(Late("request", "GET /b", 120.0),),
    )
    lines = [" ".join(line.split()) for line in printed(*verdict_report(verdict)).splitlines()]
    assert "not still after 2031 ms: horizon: request GET /a (2 fences)" in lines[0]
    text = " ".join(lines)
    for words in ("setTimeout 9000 ms from http://s/a.js:3:5 1900 ms", "#clock 10.0 per second", "GET /b after 120 ms"):
        assert words in text


# -- with a browser ------------------------------------------------------------------------------


@pytest.mark.browser
async def test_a_still_page_exits_with_0(site: Site) -> None:
    code, lines = await settle(site.html("/", "<p>hello"))
    assert (code, len(lines)) == (0, 1)
    assert lines[0].startswith("still after ")
    assert "navigated" in lines[0]


@pytest.mark.browser
async def test_a_page_that_is_not_still_exits_with_4_and_one_object(site: Site, connecting: tuple[str, str]) -> None:
    url = site.html("/", "<script>fetch('/hang')</script>")
    code, lines = await settle(url, "--json", "--timeout-ms", "900", *connecting)
    assert (code, len(lines)) == (4, 1)
    report = json.loads(lines[0])
    assert report["url"] == url
    assert report["verdict"]["reason"] == "timeout"
    assert report["verdict"]["detail"] == f"request GET {site.url('/hang')}"
    assert report["verdict"]["pending"][0]["url"] == site.url("/hang")


@pytest.mark.browser
async def test_watch_prints_what_the_page_waits_for(site: Site, connecting: tuple[str, str]) -> None:
    code, lines = await settle(site.html("/", "<script>fetch('/slow?ms=200')</script>"), "--watch", *connecting)
    assert code == 0
    told = [" ".join(line.split()) for line in lines]
    request = f"request GET {site.url('/slow?ms=200')}"
    assert any(f"+ waits for {request}" in line for line in told)
    assert any(f"- done {request} (" in line and "took " in line for line in told)
    assert any("? asked the page (answered after" in line for line in told)
    assert told[-1].startswith("still after")


@pytest.mark.browser
async def test_watch_as_json_is_one_object_a_line_and_the_verdict_last(site: Site, connecting: tuple[str, str]) -> None:
    url = site.html("/", "<script>fetch('/slow?ms=200')</script>")
    code, lines = await settle(url, "--watch", "--json", *connecting)
    assert code == 0
    *told, last = map(json.loads, lines)
    assert {line["event"] for line in told} <= set(EVENTS)
    assert [line["atMs"] for line in told] == sorted(line["atMs"] for line in told)
    assert {"request", "document", "navigation"} <= {line.get("kind") for line in told}
    assert last["verdict"]["stable"] is True


@pytest.mark.browser
@pytest.mark.every_row
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("http://127.0.0.1:9/",), 3),
        (("file:///etc/passwd",), 2),
        (("127.0.0.1",), 2),
        (("http://127.0.0.1:9/", "--observe", "all"), 2),
        (("http://127.0.0.1:9/", "--settle", "later"), 2),
        ((), 2),
    ],
)
async def test_what_cannot_be_settled_has_an_exit_code_of_its_own(
    connecting: tuple[str, str], args: tuple[str, ...], code: int
) -> None:
    found, lines = await settle(*args, "--json", *connecting)
    assert found == code
    assert set(json.loads(lines[-1])["error"]) == {"code", "message"}
