"""The recorded figures of the queue, and the tables of docs/farm.md that are made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bench.measure import RESULTS, machine

NAME = "2026-11-30-2-cores-queue"
"""The file under bench/results that the documentation cites."""
NOW = "now"
"""The label of the figures of the store as it is; the others are of older ones."""
DIALECTS = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}


def read(name: str = NAME) -> dict[str, Any]:
    """Return a record."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


def add(name: str, label: str, dialect: str, figures: Mapping[str, Any]) -> None:
    """Add the figures of one run to a record."""
    path = RESULTS / f"{name}.json"
    known = read(name) if path.exists() else {"machine": machine()}
    kept = known.setdefault(label, {}).setdefault(dialect, {})
    for kind, rows in figures.items():
        kept.setdefault(kind, []).extend(rows)
    path.write_text(json.dumps(known, indent=1) + "\n")


def paces(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of paces, the older stores first."""
    yield "| store | workers | pages/s | round trips a page | CPU a page, worker + server | a lease | a poll |"
    yield "|---|---|---|---|---|---|---|"
    for label in sorted(record.keys() - {"machine"}, key=lambda label: (label == NOW, label)):
        for dialect, kinds in sorted(record[label].items()):
            for row in kinds.get("timed", ()):
                yield _pace(f"{DIALECTS[dialect]}{'' if label == NOW else f', {label}'}", row)


def _pace(store: str, row: Mapping[str, Any]) -> str:
    cpu = f"{row['client_cpu_ms_a_page']:.2f} + {row['server_cpu_ms_a_page']:.2f} ms"
    poll = "" if row["poll_ms"] is None else f"{row['poll_ms']:.1f} ms"
    return (
        f"| {store} | {row['workers']} | {row['pages_per_s']:,.0f} | {row['round_trips_a_page']:.1f} | {cpu} "
        f"| {row['lease_ms']:.1f} ms | {poll} |"
    )


def servers(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of what the server alone does, without workers in Python."""
    yield "| store | workers | polls a second | pages/s | cores | CPU of the server | entries read | load |"
    yield "|---|---|---|---|---|---|---|---|"
    for label in sorted(record.keys() - {"machine"}, key=lambda label: (label == NOW, label)):
        for row in record[label].get("postgresql", {}).get("server", ()):
            name = "PostgreSQL" if label == NOW else f"PostgreSQL, {label}"
            polls = f"{row['polls_per_s']:.1f}" if row["polls_per_s"] else ""
            work = f"{row['pages_per_s']:,.0f} | {row['cores']:.2f} | {row['server_cpu_ms_a_page']:.2f} ms"
            yield f"| {name} | {row['clients']} | {polls} | {work} | {row['entries_a_lease']:,} | {row['load']:.0f} |"


def faults(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of runs in which pages stall and are forgotten."""
    yield "| store | workers | pages | leases that came too late | lost | twice |"
    yield "|---|---|---|---|---|---|"
    for dialect, kinds in sorted(record[NOW].items()):
        for row in kinds.get("faults", ()):
            counts = " | ".join(f"{row[name]:,.0f}" for name in ("workers", "pages", "fenced", "lost", "twice"))
            yield f"| {DIALECTS[dialect]} | {counts} |"


def leases(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of what a lease costs."""
    yield "| store | pages queued | hosts that are held | a lease | CPU of the server | buffers |"
    yield "|---|---|---|---|---|---|"
    for dialect, kinds in sorted(record[NOW].items()):
        for row in kinds.get("lease", ()):
            cpu = f"{row['server_cpu_ms']:.2f} ms" if "server_cpu_ms" in row else ""
            sizes = f"{row['queued']:,} | {row['held_hosts']:,}"
            buffers = f"{row['buffers']:.0f}" if "buffers" in row else ""
            yield f"| {DIALECTS[dialect]} | {sizes} | {row['lease_ms']:.2f} ms | {cpu} | {buffers} |"


if __name__ == "__main__":
    for lines in (paces, servers, faults, leases):
        print("\n".join(lines(read())), end="\n\n")
