"""What a run of the tests says of itself: which take too long, and the counts for the record of `make test-all`.

A test that takes longer than `LIMIT_S` has a reason in `REASONS`, or the summary lists it with what to do. The list
fails nothing, because the machine decides as well how long a test takes.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

LIMIT_S = 5.0
"""Seconds that a test may take without a reason, its own set-up included."""

REASONS: dict[str, str] = {
    "tests/agent/test_agent_t30.py::test_t30_every_limit_changes_what_happens": "nine limits, each with two values",
    "tests/engine/test_bounds.py::test_no_call_lasts_longer_than_its_limits_and_a_second": "thirty calls use up limits",
    "tests/farm/test_farm_ray_cluster.py::test_a_worker_that_is_killed_costs_no_page": "a Ray cluster starts and ends",
    "tests/testing/test_pytest_plugin.py::test_traces_of_failures_and_cassettes_of_one_browser_for_all_tests": (
        "two runs of a project of seven tests"
    ),
    "tests/test_flows.py::test_ours_do_what_they_say": "twelve flows with a browser each",
}
"""Tests that may take longer, by path and name without parameters."""

ADVICE = "make it cheap (share the page, control the clock), mark it slow, or give its reason in tests/durations.py"


class Durations:
    """The time that each test took, over its three phases."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if lines := list(too_long(self.seconds, pace())):
            terminalreporter.section(f"tests that take longer than {LIMIT_S * pace():.0f} s: {ADVICE}")
            for line in lines:
                terminalreporter.write_line(line)
        if path := os.environ.get("STILLFRAME_SUMMARY"):
            append_counts(Path(path), terminalreporter.stats)


def too_long(seconds: Mapping[str, float], slower: float) -> Iterator[str]:
    """Yield a line for each test that took too long without a reason, the longest first."""
    for name, took in sorted(seconds.items(), key=lambda pair: -pair[1]):
        if took > LIMIT_S * slower and name.partition("[")[0] not in REASONS:
            yield f"{took:6.1f} s  {name}"


def pace() -> float:
    """Return how much slower tests may be: a machine that is loaded on purpose shares its cores."""
    return 1.0 + int(os.environ.get("STILLFRAME_LOAD", "0"))


def append_counts(path: Path, stats: Mapping[str, list[object]]) -> None:
    """Append the outcome of this run as one line of JSON."""
    counts = {name: len(stats.get(name, ())) for name in ("passed", "failed", "error", "skipped")}
    with path.open("a") as file:
        file.write(json.dumps(counts) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests where their reports arrive: in the process that runs them, or in the one that hands them out."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations(), "durations of this run")
