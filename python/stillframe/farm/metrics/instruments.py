"""The instruments of a crawl worker, as a table; it imports nothing of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Kind = Literal["counter", "histogram", "observable_counter", "observable_gauge", "observable_up_down_counter"]
"""The kind of an instrument, as in the names of the methods of a meter.

Figures that can be added up over workers are sums, the others gauges: conventions of OpenTelemetry.
"""


class Instrument(NamedTuple):
    """One instrument; `unit` is in UCUM, and what stands in braces is a remark that exporters leave out."""

    name: str
    kind: Kind
    unit: str
    description: str


PREFIX = "stillframe.farm."

_TABLE: tuple[tuple[str, Kind, str, str], ...] = (
    ("pages", "counter", "{page}", "Pages that ended, by outcome, and by kind of error or reason to skip"),
    ("verdicts", "counter", "{verdict}", "How the waits for pages ended, by reason and by whether the page was still"),
    ("page.duration", "histogram", "s", "How long a page took in all, by outcome"),
    ("page.part.duration", "histogram", "s", "How long a part of a page took: load, settle, or read"),
    ("page.excess", "histogram", "s", "How long the wait for a page went on after the page's last activity"),
    ("captures", "counter", "{capture}", "Snapshots of pages, by whether Chrome captured them or one was reused"),
    ("capture.size", "counter", "By", "Size of the snapshots that Chrome captured"),
    ("lease.lost", "counter", "{lease}", "Leases that another worker took before the page was done"),
    ("browsers", "observable_up_down_counter", "{browser}", "Browsers, by state"),
    ("browser.memory", "observable_up_down_counter", "By", "Memory of a browser as proportional set size (PSS)"),
    ("browser.launches", "observable_counter", "{launch}", "Browsers that were launched"),
    ("browser.restarts", "observable_counter", "{restart}", "Browsers that ended by themselves or were killed as hung"),
    ("page.open", "observable_up_down_counter", "{page}", "Pages in use"),
    ("page.waiting", "observable_up_down_counter", "{page}", "Requests for a page of the pool that wait"),
    ("page.shed", "observable_counter", "{page}", "Pages that were asked to end because memory ran out"),
    ("admission.blocked", "observable_gauge", "1", "1 while no page can be opened for that reason, else 0"),
    ("memory.utilization", "observable_gauge", "1", "Share of the machine's or container's memory in use, 0 to 1"),
    ("disk.free", "observable_gauge", "By", "Free space on the disk of the browsers' profiles"),
    (
        "queue.pages",
        "observable_gauge",
        "{page}",
        "Pages of the crawl in its database, by state; the same on all workers",
    ),
    ("lease.age", "observable_gauge", "s", "Age of the oldest lease of the crawl; the same on all workers"),
    (
        "host.pages",
        "observable_counter",
        "{page}",
        "Pages that ended, by outcome, of the busiest hosts; others as other",
    ),
    (
        "host.time",
        "observable_counter",
        "s",
        "Time that pages took that are done, of the busiest hosts; the rest as other",
    ),
    ("store.duration", "histogram", "s", "How long an operation of the database took, tries and pauses included"),
    ("store.retries", "counter", "{try}", "Tries that failed: lock, pool, server (it ended them), or unreachable"),
    (
        "store.lock.waits",
        "observable_gauge",
        "{connection}",
        "Connections that wait for a lock in the database; the same on all workers",
    ),
    ("store.lock.wait", "observable_gauge", "s", "How long the first of them has waited; the same on all workers"),
    (
        "hosts.waiting",
        "observable_gauge",
        "{host}",
        "Hosts with pending pages of which none may start, by reason; the same on all workers",
    ),
    ("host.hold", "observable_gauge", "s", "How long the hosts that are held longest will be; the same on all workers"),
    (
        "robots.unreachable",
        "observable_gauge",
        "{host}",
        "Hosts whose robots.txt cannot be read now; the same on all workers",
    ),
    ("export.lag", "observable_gauge", "{row}", "Rows that no file of an export has yet; the same on all workers"),
    ("export.age", "observable_gauge", "s", "Age of the oldest of these rows; the same on all workers"),
)

INSTRUMENTS: Mapping[str, Instrument] = {
    name: Instrument(PREFIX + name, kind, unit, description) for name, kind, unit, description in _TABLE
}
"""All instruments by their name without `stillframe.farm.`."""

BUCKETS_S: Mapping[str, tuple[float, ...]] = {
    "page.duration": (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120),
    "page.part.duration": (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60),
    "store.duration": (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    "page.excess": (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5),
}
"""Upper bounds of the buckets of histograms, in seconds; our choice. Pages take parts of a second to the longest time
limit, a quiet window lasts some ten milliseconds, and an operation of the database one or two until it has to wait."""
