"""Which URLs are one page of the queue, and which worker has ended; without a browser."""

from __future__ import annotations

import pytest
from operators.identity import PAGES, WORKERS, PageCase, WorkerCase

from stillframe.farm.loading.links import request_of
from stillframe.farm.store import CrawlStore
from stillframe.farm.store.worker import is_dead, worker_name

HOST, PID, STARTED, PLACE = worker_name().split(":")
BOOT, NAMESPACE = PLACE.split(".")


async def test_urls_of_operators(sqlite_url: str) -> None:
    """Each pair is found by a crawl of its own, on the host that its URLs name."""
    wrong = {}
    for n, case in enumerate(PAGES):
        store = await CrawlStore.open(sqlite_url, f"c{n}", worker="w")
        async with store:
            found = await pages(store, case)
        if found != case.expected:
            wrong[case.name] = f"{case.given} are {found} pages, not {case.expected} ({case.why})"
    assert not wrong


async def pages(store: CrawlStore, case: PageCase) -> int:
    """Return how many pages are queued for the URLs of a case, in both orders."""
    for given in (case.given, case.given[::-1]):
        new = [request_of(url) for url in given]
        await store.add([each for each in new if each is not None])
    return (await store.counts()).pending


@pytest.mark.parametrize("case", WORKERS, ids=[case.name for case in WORKERS])
def test_workers_of_operators(case: WorkerCase) -> None:
    gone = str(int(STARTED) + 9999)
    name = case.given.format(host=HOST, pid=PID, started=STARTED, gone=gone, boot=BOOT, space=NAMESPACE)
    assert is_dead(name) is case.expected, case.why
