"""The README is short, its example is a file that runs, and its figures and images are there.

The tests in tests/docs check its blocks, links and commands as those of every document.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from documents import ROOT, blocks, links

PATH = ROOT / "README.md"
README = PATH.read_text("utf-8")
EXAMPLE = ROOT / "examples" / "login.py"
MOST_LINES = 150
LARGEST_IMAGE = 200_000
"""Bytes; a reader of the package index loads it with the page."""


async def output_of(path: Path) -> str:
    process = await asyncio.create_subprocess_exec(sys.executable, path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


def script() -> str:
    (text,) = (block.text for block in blocks(PATH) if block.language == "python")
    return text


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_the_example_is_the_file_it_names() -> None:
    assert EXAMPLE.read_text("utf-8").partition('"""\n\n')[2] == script()


@pytest.mark.browser
async def test_the_example_prints_what_the_readme_says() -> None:
    (shown,) = (block.text for block in blocks(PATH) if block.language == "text")
    assert await output_of(EXAMPLE) == shown


@pytest.mark.browser
async def test_another_password_gives_another_delta(tmp_path: Path) -> None:
    changed = tmp_path / "changed.py"
    changed.write_text(script().replace("lantern", "torch"))
    out = await output_of(changed)
    assert "+ #login-error That name and password do not go together." in out.splitlines()
    assert "#welcome" not in out


def test_its_image_is_small() -> None:
    images = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert images
    assert all((ROOT / image).stat().st_size <= LARGEST_IMAGE for image in images)


@pytest.mark.parametrize(
    "word", ["headless", "cookies", "screenshots", "PDF", "proxies", "downloads", "raw CDP", "uploads", "popups"]
)
def test_a_newcomer_finds_the_page_of_a_common_task(word: str) -> None:
    """The word stands in the text of a link to a page."""
    texts = re.findall(r"\[([^\]]+)\]\(docs/[^)]+\)", README)
    assert any(word in text for text in texts), word


def test_every_figure_is_one_of_the_page_of_figures() -> None:
    figures = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    shown = README.partition("| what | stillframe | beside it |\n|---|---|---|\n")[2].partition("\n\n")[0].splitlines()
    address = "https://github.com/stillframe/stillframe/blob/main/bench/"
    assert shown
    assert [row for row in shown if row.replace("](bench/", f"]({address}") not in figures] == []


def test_it_links_the_parts_of_the_documentation() -> None:
    linked = {link.target for link in links(PATH)}
    parts = ("tutorial.md", "how-to/index.md", "reference/index.md", "concepts/still.md")
    assert {f"docs/{part}" for part in parts} <= linked
