"""Sitemaps: a reader that takes bytes as they come, and the fetch of one file. The crawl adds what they name."""

from __future__ import annotations

from stillframe.farm.sitemaps.entries import Entry
from stillframe.farm.sitemaps.fetching import Fetched, fetch
from stillframe.farm.sitemaps.reader import SitemapReader

__all__ = ["Entry", "Fetched", "SitemapReader", "fetch"]
