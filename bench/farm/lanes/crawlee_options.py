"""What both of crawlee's lanes ask of crawlee: a crawl in memory, each page tried once, at a fixed concurrency."""

from __future__ import annotations

from typing import Any

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.storage_clients import MemoryStorageClient


def in_memory(pages: int) -> dict[str, Any]:
    """Return the options of a crawler that has this many pages open at once."""
    return {
        "concurrency_settings": ConcurrencySettings(
            min_concurrency=pages, desired_concurrency=pages, max_concurrency=pages
        ),
        "storage_client": MemoryStorageClient(),
        "configuration": Configuration(purge_on_start=True),
        "max_request_retries": 0,
        "configure_logging": False,
    }
