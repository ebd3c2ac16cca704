"""crawlee stays at the minor version whose private methods the crawler overrides."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import crawlee
from crawlee.crawlers import BasicCrawler
from packaging.requirements import Requirement
from packaging.version import Version

from stillframe.farm.crawler.crawler import StillframeCrawler

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_extra_allows_one_minor_version_while_private_methods_are_overridden() -> None:
    overridden = [name for name in vars(StillframeCrawler) if re.match(r"_(?!_)", name) and hasattr(BasicCrawler, name)]
    assert "_run_request_handler" in overridden
    (pin,) = [text for text in PROJECT["optional-dependencies"]["crawl"] if Requirement(text).name == "crawlee"]
    here = Version(crawlee.__version__)
    allowed = Requirement(pin).specifier
    assert allowed.contains(here)
    assert not allowed.contains(f"{here.major}.{here.minor + 1}.0")
    assert not allowed.contains(f"{here.major}.{here.minor - 1}.9")
