"""What goes into the database of a crawl and comes out of it: frozen values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stillframe.farm.store.positions import check_priority

DATASET = "pages"
"""The dataset without a name: one row per page."""
LONGEST_KEY = 1000
"""The longest key that is stored as it is, in bytes: PostgreSQL's indexes take no more than 2704."""


def short(key: str) -> str:
    """Return a key as the tables have it: a long one as its SHA-256."""
    data = key.encode()
    return key if len(data) <= LONGEST_KEY else f"sha256:{hashlib.sha256(data).hexdigest()}"


class NewRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A page to crawl: unique by `key` within a crawl; `body` is JSON that the store keeps and does not read.

    Pages of a higher `priority`, from -100 to 100, are leased before all others that may start then. Raises
    OptionInvalid for another one.
    """

    key: str
    url: str
    host: str
    body: str = ""
    depth: int = 0
    priority: int = 0

    def __post_init__(self) -> None:
        """Refuse a priority out of range."""
        check_priority(self.priority)


class AddedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What adding a request did: `added` unless the crawl has one with that key; `finished` if that one is over."""

    key: str
    added: bool
    finished: bool = False


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A page that a worker may work on until the lease runs out, `expires_in_s` seconds after it was made or renewed.

    `token` grows with each lease of the page; the store accepts results of the current token only. `attempts` counts
    the leases, this one included, except those whose release did not count as an attempt.
    """

    key: str
    url: str
    host: str
    body: str
    depth: int
    attempts: int
    token: int
    expires_in_s: float
    priority: int = 0


class DatasetRow(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a page: JSON, and bytes that belong to it, such as WARC records."""

    dataset: str
    body: bytes
    payload: bytes | None = None


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """How the page of a lease ended: its rows, its links, its outcome, and what replaces its request's body, if any."""

    lease: Lease
    rows: Sequence[DatasetRow] = ()
    links: Sequence[NewRequest] = ()
    outcome: str = "done"
    request: str | None = None

    def numbered_rows(self) -> Iterator[tuple[int, DatasetRow]]:
        """Yield the rows with their ordinals, which count within each dataset."""
        return numbered(self.rows)


class Return(msgspec.Struct, frozen=True, kw_only=True):
    """How the page of a lease goes back to the queue, to be leased again after `delay_s` seconds.

    It keeps its place, or goes before all others of its priority with `first` and behind them with `last`.
    `hold_host_s` starts no page of its host for that long, on any machine. `request` replaces its body, None for the
    one that it has. Without `attempt` this lease does not count as one.
    """

    lease: Lease
    delay_s: float = 0.0
    hold_host_s: float = 0.0
    first: bool = False
    last: bool = False
    request: str | None = None
    attempt: bool = True

    @property
    def attempts(self) -> int:
        """The number of attempts that the page then has had."""
        return self.lease.attempts - (not self.attempt)


def numbered(rows: Sequence[DatasetRow]) -> Iterator[tuple[int, DatasetRow]]:
    """Yield rows with their ordinals, which count within each dataset."""
    counters: dict[str, int] = {}
    for row in rows:
        ordinal = counters[row.dataset] = counters.get(row.dataset, -1) + 1
        yield ordinal, row


class StoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """A committed row; `ordinal` numbers the rows of one page in its dataset.

    No later commit adds a row with a smaller `id` than one that was read.
    A `key` of more than 1000 bytes is its SHA-256 here.
    """

    id: int
    key: str
    ordinal: int
    body: bytes
    payload: bytes | None = None


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How far a crawl is, in pages; `oldest_lease_s` is the age of the oldest lease in seconds, 0 without one."""

    pending: int
    leased: int
    outcomes: Mapping[str, int]
    oldest_lease_s: float = 0.0

    @property
    def finished(self) -> int:
        """All pages that are over, whatever came of them."""
        return sum(self.outcomes.values())

    def of(self, outcome: str) -> int:
        """Return how many pages ended with an outcome."""
        return self.outcomes.get(outcome, 0)


class WorkerStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A worker that has asked for pages: how many it holds, and how many seconds ago it last spoke."""

    worker: str
    leased: int
    seen_s: float


class ExportOffset(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a crawl the files have: all rows up to `row_id`, the last of them in `file`.

    `size` is what that file then has, in bytes; `file` is empty, and the others 0, before the first row. `generation`
    grows each time the files have to be written again.
    """

    row_id: int = 0
    size: int = 0
    file: str = ""
    generation: int = 0
