"""The errors of crawls; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class FarmError(StillframeError):
    """A problem of a crawl or of its browsers; what the queue has recorded is intact."""

    code = "farm_error"


class PoolClosed(FarmError):
    """A browser pool is closed or closes, so it gives out no more pages.

    Remedy: Open a new pool.
    """

    code = "pool_closed"


class PoolTimeout(FarmError, TimeoutError):
    """A browser pool had no free page in time; `reason` is what it waited for, such as "memory" or "disk".

    Remedy: Raise the time limit or the size of the pool; `reason` says what it lacked.
    """

    code = "pool_timeout"

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class DiskFull(FarmError, OSError):
    """A folder has too little free space; `path` is the folder, `free_bytes` what is left of `needed_bytes`.

    Remedy: Make room, then go on with `--resume`.
    """

    code = "disk_full"

    def __init__(self, message: str, *, path: str, free_bytes: int, needed_bytes: int) -> None:
        super().__init__(message)
        self.path = path
        self.free_bytes = free_bytes
        self.needed_bytes = needed_bytes


class StoreError(FarmError):
    """A problem of the database that holds a crawl; `url` is its URL without a password."""

    code = "store_error"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class StoreUnavailable(StoreError, ConnectionError):
    """The database of a crawl cannot be reached, or did not answer in time; `url` is its URL without a password.

    Remedy: Check that the database runs and that its URL is right, then go on with `--resume`.
    """

    code = "store_unavailable"


class StoreVersion(StoreError):
    """Another version of stillframe made the tables; `found` and `expected` are the versions, `url` the database.

    Remedy: Use the version of stillframe that began the crawl, or begin a new one.
    """

    code = "store_version"

    def __init__(self, message: str, *, url: str, found: int, expected: int) -> None:
        super().__init__(message, url=url)
        self.found = found
        self.expected = expected


class LeaseLost(FarmError):
    """A worker answers for a page that is no longer its own; `key` is the page's key, `worker` the worker's name.

    Remedy: Nothing: another worker has the page. If it happens often, the machine is too busy: lower the
    concurrency.
    """

    code = "lease_lost"

    def __init__(self, message: str, *, key: str, worker: str) -> None:
        super().__init__(message)
        self.key = key
        self.worker = worker


class CrawlExists(FarmError):
    """A crawl of that name stands in the database and is not to be continued; `name` is the crawl's.

    Remedy: Go on with `--resume`, or choose another name.
    """

    code = "crawl_exists"

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class CrawlUnknown(FarmError):
    """No crawl of that name stands in the database; `name` is the one that was asked for.

    Remedy: Check the name and the database; `stillframe farm status` needs the URL that `farm up` had.
    """

    code = "crawl_unknown"

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class DocumentTruncated(FarmError):
    """A document did not come whole: the connection broke, its length is wrong, or its content cannot be decoded.

    `url` is the page's, `reason` Chrome's net error, such as `net::ERR_CONTENT_LENGTH_MISMATCH`.

    Remedy: Nothing: a crawl loads the page again. If that never helps, the server or a proxy before it cuts the page.
    """

    code = "document_truncated"

    def __init__(self, message: str, *, url: str, reason: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class DocumentReplaced(FarmError):
    """The page that a navigation left went on and replaced what was asked for: `shown` stands there in place of `url`.

    Remedy: Nothing: a crawl loads the page again, in another tab.
    """

    code = "document_replaced"

    def __init__(self, message: str, *, url: str, shown: str) -> None:
        super().__init__(message)
        self.url = url
        self.shown = shown


class RendererHung(FarmError):
    """A page does not answer, because a script of it runs without a pause; `url` is the page's.

    Remedy: Nothing: the crawl tries the page once more, and records it as failed then.
    """

    code = "renderer_hung"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class OutputInvalid(FarmError):
    """An output folder cannot be used: not empty, not writable, or of another crawl; `path` is the folder.

    Remedy: Choose an empty folder that you can write to, or the folder of this crawl.
    """

    code = "output_invalid"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class ClusterUnavailable(FarmError, ConnectionError):
    """No Ray cluster answers at `address`; what a crawl has is in its database, whatever becomes of the cluster.

    Remedy: Start Ray (`ray start --head`) or correct the address, then go on with `--resume`.
    """

    code = "cluster_unavailable"

    def __init__(self, message: str, *, address: str) -> None:
        super().__init__(message)
        self.address = address


class RobotsUnreachable(FarmError):
    """The robots.txt of a page's host could not be read for as long as a crawl waits, so the page is not loaded.

    `url` is that of the page.

    Remedy: Look whether the host answers; then begin a new crawl, or wait longer with `--robots-wait`.
    """

    code = "robots_unreachable"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class HostBusy(FarmError):
    """The host of a page has answered nothing but 429 and 503 for an hour, so the page is not loaded.

    `url` is that of the page.

    Remedy: Begin a new crawl later, with fewer pages at once or with `--host-interval`.
    """

    code = "host_busy"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url
