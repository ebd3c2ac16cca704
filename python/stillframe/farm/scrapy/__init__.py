"""Scrapy downloads pages by stillframe: name `StillframeDownloadHandler` in the setting DOWNLOAD_HANDLERS."""

from __future__ import annotations

from stillframe.farm.scrapy.handler import StillframeDownloadHandler
from stillframe.farm.scrapy.page_methods import PageMethod
from stillframe.farm.scrapy.settings import HandlerSettings

__all__ = ["HandlerSettings", "PageMethod", "StillframeDownloadHandler"]
