"""How a crawl ends: the exit codes of `stillframe crawl` and `stillframe farm`."""

from __future__ import annotations

from enum import IntEnum

from stillframe.errors import BrowserError, InputError, OptionInvalid, StillframeError
from stillframe.farm.errors import DiskFull, FarmError, OutputInvalid, PoolTimeout, StoreError


class CrawlExit(IntEnum):
    """How a crawl ended; the numbers that browsertrix-crawler has too mean the same."""

    OK = 0
    FAILED = 1
    USAGE = 2
    OUT_OF_SPACE = 3
    NOTHING = 4
    BROWSER = 10
    INTERRUPTED = 11
    FAILED_LIMIT = 12
    STOPPED_NOW = 13
    TIME_LIMIT = 15
    QUEUE = 17


MEANINGS = {
    CrawlExit.OK: "the crawl is complete, or --max-pages is reached",
    CrawlExit.FAILED: "no page could be loaded, or any other failure",
    CrawlExit.USAGE: "the command line, a URL, the output folder, or the crawl's name is wrong; nothing ran",
    CrawlExit.OUT_OF_SPACE: "no space is left: make room, then --resume",
    CrawlExit.NOTHING: "the crawl is complete, and has no page; `reason` in the summary says why",
    CrawlExit.BROWSER: "no browser, or none starts",
    CrawlExit.INTERRUPTED: "drained by Ctrl-C or `farm down`: --resume goes on",
    CrawlExit.FAILED_LIMIT: "more pages failed than --fail-limit",
    CrawlExit.STOPPED_NOW: "stopped at once by a second Ctrl-C: --resume goes on",
    CrawlExit.TIME_LIMIT: "--time-limit is over: --resume goes on",
    CrawlExit.QUEUE: "the database of the queue cannot be used",
}


def exit_for_error(error: BaseException) -> CrawlExit:
    """Return the exit code for an error that ended a crawl."""
    match error:
        case DiskFull():
            return CrawlExit.OUT_OF_SPACE
        case BrowserError() | PoolTimeout():
            return CrawlExit.BROWSER
        case StoreError():
            return CrawlExit.QUEUE
        case OutputInvalid() | OptionInvalid() | InputError():
            return CrawlExit.USAGE
        case FarmError():  # the remaining ones, CrawlExists and CrawlUnknown, come at the start of a crawl
            return CrawlExit.USAGE
        case StillframeError():
            return CrawlExit.FAILED
    return CrawlExit.FAILED
