"""What a lane is asked to crawl, and how it reports: JSON on standard input and output.

A lane is a program in the environment of its crawler. It reads one order, and writes one line per page at the moment
when its crawler hands the page over.
"""

from __future__ import annotations

import json
import sys
from typing import Any

CHROME_ARGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)


class Order:
    """The URLs, how many pages to have open at once, the browser, and what to wait for."""

    def __init__(self, read: dict[str, Any]) -> None:
        self.urls: list[str] = read["urls"]
        self.concurrency: int = read["concurrency"]
        self.chrome: str = read["chrome"]
        self.wait: str = read["wait"]


def read_order() -> Order:
    """Return the order on standard input."""
    return Order(json.load(sys.stdin))


def report(url: str, text: str) -> None:
    """Write one line for a page that the crawler handed over with this text."""
    sys.stdout.write(json.dumps({"url": url, "text": text}) + "\n")
    sys.stdout.flush()
