"""How crawls of whole manuals are judged: against their files, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.farm.manuals import Manual, copied
from bench.farm.whole import file_of, first_lost, judged, lines_of, main, path_of, shown, walked

HTML = b"""<!doctype html><title>T</title><style>no</style><body><nav><a href=b.html#x>B</a><a href=/c/>C</a>
<a href=http://other/>no</a><a href="http://[">no</a></nav><main>One <b>two</b><script>no</script>
<p hidden>no</p></main>"""
ORIGIN = "http://h:1"


def manual(tmp_path: Path) -> Manual:
    (tmp_path / "c").mkdir()
    (tmp_path / "index.html").write_bytes(HTML)
    (tmp_path / "b.html").write_bytes(b"<body><main>Second</main>")
    (tmp_path / "c" / "index.html").write_bytes(b"<body><main>Third</main>")
    (tmp_path / "d.html").write_bytes(b"<body>nobody links here")
    return Manual("m", lambda folder: folder, "//main", 3)


def record(path: str, text: str, **more: Any) -> dict[str, Any]:
    return {"url": ORIGIN + path, "text": text, **more}


WHOLE = [record("/", "B\nC\nno\nOne two"), record("/b.html", "Second"), record("/c/", "Third")]


def test_what_a_file_shows() -> None:
    page = shown(HTML, "/folder/a.html", "//main")
    assert page.articles == ("onetwo",)
    assert page.text == "bcnonoonetwo"
    assert page.links == ("/folder/b.html", "/c/")


@pytest.mark.parametrize(
    ("href", "path"),
    [("x", "/a/x"), ("../x?y#z", "/x"), ("/%C3%A4", "/ä"), ("https://h/x", None), ("mailto:a@b", None), (None, None)],
)
def test_where_links_lead(href: str | None, path: str | None) -> None:
    assert path_of(href, "/a/b.html") == path


def test_pages_are_found_by_links(tmp_path: Path) -> None:
    assert {*walked(tmp_path, "/", manual(tmp_path))} == {"/", "/b.html", "/c/"}
    assert file_of(tmp_path, "/c") is None


def test_a_whole_crawl_is_right(tmp_path: Path) -> None:
    pages = walked(tmp_path, "/", wanted := manual(tmp_path))
    assert judged(WHOLE, pages, wanted).right
    assert judged([*WHOLE, record("/404.html", "Error")], pages, wanted).right


@pytest.mark.parametrize(
    ("records", "fault"),
    [
        (WHOLE[1:], "missing: /"),
        ([*WHOLE, WHOLE[1]], "twice: /b.html"),
        ([*WHOLE[:2], {"url": f"{ORIGIN}/c/", "error": {"kind": "timeout"}}], "failed: timeout /c/"),
        ([*WHOLE[:2], record("/c/", "Thi rd word less")], "not shown: /c/: ['Thi rd word less']"),
        ([*WHOLE[1:], record("/", "B C One")], "lost: /: …one|two…"),
    ],
)
def test_each_fault_is_found(tmp_path: Path, records: list[dict[str, Any]], fault: str) -> None:
    outcome = judged(records, walked(tmp_path, "/", wanted := manual(tmp_path)), wanted)
    assert not outcome.right
    assert f"  {fault}" in lines_of(outcome)


def test_the_first_difference_is_shown() -> None:
    assert first_lost("abcdef", "xabcdefx") == ""
    assert first_lost("abcdef", "xabcxdef") == "…abc|def…"


def test_pages_of_mdx_become_markdown(tmp_path: Path) -> None:
    source = tmp_path / "source" / "01-app"
    source.mkdir(parents=True)
    (source / "02-start.md").write_text("---\ntitle: 'Start'\n---\n\nUse `{{ x }}`.\n")
    assert copied(tmp_path / "source", tmp_path / "docs") == ["app/start"]
    text = (tmp_path / "docs" / "app" / "start.md").read_text()
    assert text == '---\ntitle: "Start"\n---\n\n# Start\n\n::: v-pre\n\n\nUse `{{ x }}`.\n\n\n:::\n'


def test_a_name_that_no_manual_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "no such manual: nothing" in capsys.readouterr().err
