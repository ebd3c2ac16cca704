"""What the tests of the store share: pages, and a store that keeps what it holds in dictionaries."""

from __future__ import annotations

from typing import Any

from stillframe.farm.store import DATASET, CrawlStore, DatasetRow, Lease, NewRequest


def page(n: int, host: str = "a", depth: int = 0, priority: int = 0) -> NewRequest:
    """Return the n-th page of a host."""
    url = f"http://{host}/{n}"
    return NewRequest(key=f"{host}/{n}", url=url, host=host, body=f'{{"n":{n}}}', depth=depth, priority=priority)


def row(text: str = "x", dataset: str = DATASET) -> DatasetRow:
    """Return a row with a text."""
    return DatasetRow(dataset=dataset, body=text.encode())


async def opened(url: str, worker: str = "w", mode: Any = "create", **options: Any) -> CrawlStore:
    """Open the crawl of a test."""
    return await CrawlStore.open(url, "crawl", worker=worker, mode=mode, **options)


async def bodies(store: CrawlStore, dataset: str = DATASET) -> list[bytes]:
    """Return the bodies of all rows of a dataset."""
    return [found.body for found in await store.rows(0, 1000, dataset)]


class TwinStore:
    """One crawl in memory, slow and obvious; times do not pass, and `expire` ends a lease."""

    def __init__(self, max_pages: int | None, host_pages: int | None) -> None:
        self.pages: dict[str, dict[str, Any]] = {}
        self.order: list[str] = []
        self.rows: list[tuple[str, bytes]] = []
        self.max_pages = max_pages
        self.host_pages = host_pages
        self.is_stopped = False

    def add(self, new: list[NewRequest], first: bool) -> list[tuple[bool, bool]]:
        answers, fresh = [], []
        for request in new:
            known = self.pages.get(request.key)
            answers.append((known is None, known is not None and known["state"] == "done"))
            if known is None:
                new_page = {"host": request.host, "state": "pending", "attempts": 0, "token": 0}
                self.pages[request.key] = new_page | {"priority": request.priority}
                fresh.append(request.key)
        self.order = fresh + self.order if first else self.order + fresh
        return answers

    def amount(self, state: str, host: str | None = None) -> int:
        return sum(page["state"] == state and host in (None, page["host"]) for page in self.pages.values())

    def budget(self) -> int | None:
        if self.is_stopped:
            return 0
        if self.max_pages is None:
            return None
        used = sum(page["state"] == "done" and page["outcome"] != "skipped" for page in self.pages.values())
        return max(0, self.max_pages - used - self.amount("leased"))

    def lease(self, limit: int, worker: str) -> list[tuple[str, int, int, int]]:
        leases: list[tuple[str, int, int, int]] = []
        while len(leases) < limit and self.budget() != 0 and (key := self.next()) is not None:
            page = self.pages[key]
            page.update(state="leased", worker=worker, attempts=page["attempts"] + 1, token=page["token"] + 1)
            leases.append((key, page["attempts"], page["token"], page["priority"]))
        return leases

    def next(self) -> str | None:
        for key in sorted(self.order, key=lambda key: -self.pages[key]["priority"]):  # which keeps the order of equals
            page = self.pages[key]
            busy = self.host_pages is not None and self.amount("leased", page["host"]) >= self.host_pages
            if page["state"] == "pending" and not busy:
                return key
        return None

    def held(self, lease: Lease, worker: str) -> bool:
        page = self.pages[lease.key]
        return page["state"] == "leased" and (page["token"], page["worker"]) == (lease.token, worker)

    def complete(self, lease: Lease, rows: list[bytes], links: list[NewRequest], outcome: str) -> None:
        self.pages[lease.key].update(state="done", outcome=outcome)
        self.rows += [(lease.key, body) for body in rows]
        self.add(links, first=False)

    def release(self, lease: Lease, first: bool, last: bool, attempt: bool) -> None:
        page = self.pages[lease.key]
        page.update(state="pending", attempts=page["attempts"] - (not attempt))
        if first or last:
            self.order.remove(lease.key)
            self.order.insert(0 if first else len(self.order), lease.key)
