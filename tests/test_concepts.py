"""The pages about concepts: short, each with a figure that is what its data give, and true about what the code has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from documents import names_in, table
from stillframe.settling.machine import QUIET_WINDOW_MS, REASONS

ROOT = Path(__file__).parent.parent
DRAW = ROOT / "docs" / "figures" / "draw.py"
IMAGES = ROOT / "docs" / "images"
CONCEPTS = sorted((ROOT / "docs" / "concepts").glob("*.md"))
LINES = 120


def drawn(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, DRAW, *arguments], capture_output=True, text=True)


def test_the_committed_figures_are_what_the_data_give() -> None:
    finished = drawn("--check")
    assert finished.returncode == 0, finished.stderr


def test_the_figures_have_colours_for_dark_screens_and_load_nothing() -> None:
    for path in IMAGES.glob("*.svg"):
        svg = path.read_text("utf-8")
        assert "prefers-color-scheme: dark" in svg, path.name
        assert re.findall(r"(?:href|src|url)\s*[=(]", svg) == [], path.name


@pytest.mark.parametrize("page", CONCEPTS, ids=lambda page: page.stem)
def test_a_page_about_a_concept_is_short_and_has_one_figure_with_a_description(page: Path) -> None:
    text = page.read_text("utf-8")
    assert len(text.splitlines()) <= LINES
    (description, image) = re.findall(r"^!\[([^\]]*)\]\(\.\./images/([\w.]+)\)$", text, re.MULTILINE)[0]
    assert text.count("![") == 1
    assert len(description) > 20
    assert (IMAGES / image).is_file()


def test_every_figure_is_shown_by_a_page_about_a_concept() -> None:
    shown = {name for page in CONCEPTS for name in re.findall(r"images/([\w.]+)\)", page.read_text("utf-8"))}
    assert shown == {
        f"{name}.svg" for name in json.loads((DRAW.parent / "data.json").read_text("utf-8")) if name != "browser"
    }


def concept(name: str) -> Path:
    return next(path for path in CONCEPTS if path.stem == name)


def test_every_reason_of_a_verdict_is_explained() -> None:
    explained = [name for row in table(concept("still"), "`reason`") for name in names_in(row[0])]
    assert sorted(explained) == sorted(REASONS)


def test_every_level_of_observation_is_explained() -> None:
    assert [names_in(row[0])[0] for row in table(concept("tiers"), "`observe`")] == list(QUIET_WINDOW_MS)
