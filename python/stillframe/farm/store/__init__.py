"""The database of a crawl: a queue with fenced leases and the results of its pages, in SQLite or PostgreSQL."""

from __future__ import annotations

from stillframe.farm.store.crawl_store import CrawlStore
from stillframe.farm.store.entries import (
    DATASET,
    AddedRequest,
    Completion,
    Counts,
    DatasetRow,
    ExportOffset,
    Lease,
    NewRequest,
    Return,
    StoredRow,
    WorkerStatus,
)
from stillframe.farm.store.retention import Vacuumed, requeue, vacuum, vacuum_crawls
from stillframe.farm.store.worker import worker_name

__all__ = [
    "DATASET",
    "AddedRequest",
    "Completion",
    "Counts",
    "CrawlStore",
    "DatasetRow",
    "ExportOffset",
    "Lease",
    "NewRequest",
    "Return",
    "StoredRow",
    "Vacuumed",
    "WorkerStatus",
    "requeue",
    "vacuum",
    "vacuum_crawls",
    "worker_name",
]
