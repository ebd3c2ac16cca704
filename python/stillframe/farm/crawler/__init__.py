"""A crawler for crawlee's users: its router, hooks and storages on stillframe's pages (extra `crawlee`)."""

from __future__ import annotations

from stillframe.farm.crawler.contexts import (
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
)
from stillframe.farm.crawler.crawler import StillframeCrawler
from stillframe.farm.crawler.storage_client import StoreStorageClient
from stillframe.farm.loading.near_duplicates import NearDuplicate, NearDuplicates

__all__ = [
    "NearDuplicate",
    "NearDuplicates",
    "StillframeCrawler",
    "StillframeCrawlingContext",
    "StillframePostNavCrawlingContext",
    "StillframePreNavCrawlingContext",
    "StoreStorageClient",
]
