"""Crawls as `stillframe crawl` runs them: settings, one worker, the export, and the summary."""

from __future__ import annotations

from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.run import export_crawl, run_crawl
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.summary import CrawlSummary
from stillframe.farm.crawl.work import add_start, work
from stillframe.farm.exits import CrawlExit

__all__ = [
    "CrawlExit",
    "CrawlSettings",
    "CrawlSummary",
    "Progress",
    "add_start",
    "export_crawl",
    "run_crawl",
    "work",
]
