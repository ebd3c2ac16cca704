"""A pool of browsers whose pages are reused, replaced and relieved as a machine needs it."""

from __future__ import annotations

from stillframe.farm.pool.browser_pool import BrowserPool, Probes
from stillframe.farm.pool.pooled_browser import PooledPage
from stillframe.farm.pool.settings import PoolSettings
from stillframe.farm.pool.status import BrowserStatus, PoolStatus

__all__ = ["BrowserPool", "BrowserStatus", "PoolSettings", "PoolStatus", "PooledPage", "Probes"]
