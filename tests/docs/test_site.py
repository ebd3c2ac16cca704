"""The site builds without a warning, every link in it leads somewhere, and a browser shows it without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from check_site import Page as BuiltPage
from check_site import problems
from documents import DOCS, ROOT
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page

pytestmark = pytest.mark.heavy

ZENSICAL = Path(sys.executable).parent / "zensical"
OF_DOCSTRINGS = "reference/api/index.html"
PARTS = ("index.html", OF_DOCSTRINGS, "reference/errors/index.html", "how-to/act/index.html")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """Build the site from a copy, so that the site of `make docs` stays as it is.

    Only with --all it has the docstrings: to read those of the package takes longer than all the rest.
    """
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(DOCS, folder / "docs")
    if not pytestconfig.getoption("--all"):
        for path in (folder / "docs").rglob("*.md"):
            text = path.read_text("utf-8")
            path.write_text(re.sub(r"^::: .*\n", "", text, flags=re.MULTILINE), "utf-8")
    (folder / "python").symlink_to(ROOT / "python")
    done = subprocess.run([ZENSICAL, "build", "--strict"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    return folder / "site"


def test_no_link_is_dead_and_nothing_comes_from_another_server(built: Path) -> None:
    assert list(problems(built)) == []


@pytest.mark.parametrize("name", sampled(PARTS, [name for name in PARTS if name != OF_DOCSTRINGS]))
def test_a_page_has_its_content(built: Path, name: str) -> None:
    """A reference without docstrings would build all the same."""
    anchors = BuiltPage((built / name).read_text("utf-8")).anchors
    expected = {
        "index.html": "where-to-go",
        OF_DOCSTRINGS: "stillframe.Page.execute_sequence",
        "reference/errors/index.html": "elementnotfound",
        "how-to/act/index.html": "locators",
    }
    assert expected[name] in anchors


async def test_a_browser_shows_and_searches_it_and_asks_no_other_server(built: Path, page: Page) -> None:
    async with Site(built) as site:
        asked: list[str] = []
        problems_seen: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: problems_seen.append(error.message))
        page.on("console", lambda line: problems_seen.append(line.text) if line.type == "error" else None)
        await page.goto(site.url("/index.html"), settle=True)
        assert "Where to go" in await page.locator("article").text()
        await page.press(None, "Control+K")
        await page.type(None, "ElementCovered")
        await page.wait_for(text="cookie banner")
        assert [url for url in asked if not url.startswith((site.url("/"), "data:", "blob:"))] == []
        assert problems_seen == []
        await page.goto("about:blank")


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="gone.html">x</a>', "index.html: gone.html does not exist"),
        ('<a href="#gone">x</a>', "index.html: #gone has no such heading"),
        (
            '<img src="https://a.example/b.png">',
            "index.html: https://a.example/b.png is loaded from another server",
        ),
        ('<script src="//a.example/b.js"></script>', "index.html: //a.example/b.js is loaded from another server"),
    ],
)
def test_what_is_wrong_with_a_site_is_found(tmp_path: Path, html: str, problem: str) -> None:
    (tmp_path / "index.html").write_text(html)
    assert list(problems(tmp_path)) == [problem]


def test_what_is_right_is_not_reported(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<h1 id="top">x</h1><a href="#top">x</a><a href="sub/">x</a><a href="https://a.b/">x</a>'
    )
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<a href="../index.html#top">x</a>')
    assert list(problems(tmp_path)) == []
