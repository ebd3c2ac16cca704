"""Files that a crawl asks for beside its pages, robots.txt and sitemaps: loaded the way that pages are."""

from __future__ import annotations

from stillframe.farm.fetching.fetcher import Arrival, FetchEnded, Fetcher, Limits, Proxy
from stillframe.farm.fetching.options import fetcher_of

__all__ = ["Arrival", "FetchEnded", "Fetcher", "Limits", "Proxy", "fetcher_of"]
