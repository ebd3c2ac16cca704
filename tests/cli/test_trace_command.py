"""`stillframe trace`, and the option --trace of the commands that open a page."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from traces import SEQUENCE, content_of

from command_line import call, stillframe
from site_server import Site
from stillframe.trace.reading import read_trace


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.trace.jsonl"
    path.write_bytes(content_of(*SEQUENCE))
    return path


def test_show_writes_a_report_beside_the_trace(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd, "trace", "show", str(file))
    assert (done.code, done.out, done.err) == (0, f"{file.with_name('shop.html')}\n", "")
    assert file.with_name("shop.html").read_text().startswith("<!doctype html>")


def test_show_writes_it_where_it_is_wanted(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd, "trace", "show", str(file), "-o", str(tmp_path / "out.html"))
    assert (done.code, (tmp_path / "out.html").exists()) == (0, True)
    done = call(capfd, "trace", "show", str(file), "-o", str(tmp_path / "no" / "out.html"))
    assert (done.code, done.err) == (2, f"stillframe: cannot write {tmp_path}/no/out.html: No such file or directory\n")


def test_show_prints_what_the_report_shows(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shown = call(capfd, "trace", "show", str(file), "--json").json
    assert shown["header"]["browser"] == "Chrome/1"
    assert [sequence["result"]["reason"] for sequence in shown["timeline"]["sequences"]] == ["quiet"]
    assert {span["lane"] for span in shown["timeline"]["spans"]} <= shown["lanes"].keys()


def test_show_says_what_is_missing(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(file.read_bytes()[:-3])
    done = call(capfd, "trace", "show", str(file))
    assert done.code == 0
    assert done.err.startswith("stillframe: the last line is torn and left out (")


def test_what_is_not_a_trace(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_text("hello")
    done = call(capfd, "trace", "show", str(tmp_path / "a"), "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "trace_invalid")


def test_list(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.trace.jsonl").write_text("hello")
    rows = {row["file"]: row for row in call(capfd, "trace", "list", str(tmp_path), "--json").json["traces"]}
    assert (rows["shop.trace.jsonl"]["sequences"], rows["shop.trace.jsonl"]["durationMs"]) == (1, 80)
    assert (rows["shop.trace.jsonl"]["failed"], rows["shop.trace.jsonl"]["complete"]) == (0, True)
    assert "is not a trace" in rows["bad.trace.jsonl"]["error"]
    done = call(capfd, "trace", "list", str(tmp_path))
    assert (done.code, "shop" in done.out) == (0, True)


def test_list_of_an_empty_directory(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "trace", "list", str(tmp_path)).out == f"no trace in {tmp_path}\n"
    assert call(capfd, "trace", "list", str(tmp_path / "none")).code == 2


def test_export(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd, "trace", "export", str(file), "--playwright")
    assert (done.code, done.out) == (0, f"{file.with_name('shop.playwright.zip')}\n")
    with zipfile.ZipFile(file.with_name("shop.playwright.zip")) as archive:
        assert {"trace.trace", "trace.network"} <= set(archive.namelist())
    done = call(capfd, "trace", "export", str(file), "--perfetto")
    assert json.loads(file.with_name("shop.perfetto.json").read_bytes())["traceEvents"]
    done = call(capfd, "trace", "export", str(file), "--har")
    assert json.loads(file.with_name("shop.har").read_bytes())["log"]["version"] == "1.2"
    for formats in ([], ["--playwright", "--perfetto"], ["--perfetto", "--har"]):
        done = call(capfd, "trace", "export", str(file), *formats)
        assert (done.code, "choose one format" in done.err) == (2, True)


@pytest.mark.browser
@pytest.mark.parametrize(
    "command",
    [["run", "FILE", "--url", "URL"], ["settle", "URL"], ["snapshot", "URL"]],
    ids=lambda command: str(command[0]),
)
async def test_commands_that_open_a_page_trace_it(
    site: Site, connecting: tuple[str, str], tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "run.json").write_text('[{"action": "click_element", "selector": "button"}]')
    url = site.html("/page", "<title>A page</title><button onclick='this.textContent = 2'>1</button>")
    words = {"FILE": str(tmp_path / "run.json"), "URL": url}
    traces = tmp_path / "traces"
    tracing = ("--trace", traces, "--trace-screenshots", *connecting)
    done = await stillframe(*(words.get(word, word) for word in command), *tracing)
    assert done.code == 0, done.err
    (path,) = traces.iterdir()
    trace = read_trace(path)
    assert trace.is_complete
    assert len(list(trace.of_type("verdict"))) == 1
    assert len(list(trace.of_type("screenshot"))) == (2 if command[0] == "run" else 0)


@pytest.mark.browser
async def test_a_directory_that_cannot_be_written_is_refused(
    site: Site, connecting: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    done = await stillframe("settle", site.html("/page", "<p>"), "--trace", tmp_path / "file", *connecting)
    assert (done.code, "option trace: cannot write in" in done.err) == (2, True)
