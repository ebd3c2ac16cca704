"""A page, a pool and a database for the tests of metrics."""

from __future__ import annotations

from stillframe.farm.output import PageRecord, PageTimings
from stillframe.farm.output.record import PageVerdict
from stillframe.farm.pool import BrowserStatus, PoolStatus
from stillframe.farm.store.health import ExportLag, Health, HeldHost

PAGE = PageRecord(
    url="https://shop.test/a",
    status=200,
    verdict=PageVerdict(stable=True, reason="quiet", waited_ms=80.0),
    timings=PageTimings(load_ms=100.0, settle_ms=80.0, read_ms=20.0, total_ms=250.0),
    depth=1,
    attempts=1,
)
STATUS = PoolStatus(
    browsers=(
        BrowserStatus(number=3, state="serving", pages=2, served=9, age_s=4.0, pss_bytes=100),
        BrowserStatus(number=4, state="draining", pages=1, served=70, age_s=9.0, pss_bytes=50),
    ),
    launched=5,
    restarts=2,
    shed=1,
    waiting=6,
    memory_share=0.9,
    free_disk_bytes=1e9,
    admitting="memory",
)
HEALTH = Health(
    hosts={"held": 2, "interval": 0, "full": 1},
    held=(HeldHost(host="slow.test", for_s=90.0),),
    robots_unreachable=3,
    exports=(ExportLag(export="jsonl", rows=12, oldest_s=7.5),),
    lock_waits=4,
    lock_wait_s=1.5,
)
