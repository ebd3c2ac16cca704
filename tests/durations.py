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
    "bench/tests/test_flows.py::test_the_oracle_sees_what_comes_after_the_return_and_not_what_changes_by_itself": (
        "flows are played"
    ),
    "bench/tests/test_settle.py::test_a_small_run_tells_a_sleep_from_a_rule_that_waits": "a bench in small",
    "tests/agent/test_agent_t30.py::test_t30_every_limit_changes_what_happens": "nine limits, each with two values",
    "tests/cli/test_agent_command.py::test_a_reader_that_goes_away_ends_the_run": "a process imports a model's library",
    "tests/cli/test_agent_command.py::test_a_signal_returns_what_there_is_and_ends_the_browser": "a process, a browser",
    "tests/cli/test_farm_command.py::test_a_worker_of_a_crawl_that_may_load_nothing_ends_with_4_and_the_reason": (
        "a process, a browser"
    ),
    "tests/cli/test_session_command.py::test_a_session_over_several_commands": "processes and a server of theirs",
    "tests/cli/test_skill_command.py::test_every_command_runs": "a process for each command, and three browsers",
    "tests/farm/test_farm_crawl_traps.py::test_a_crawl_ends_names_its_traps_and_has_all_real_pages": (
        "a crawl with a browser: traps end after some pages"
    ),
    "tests/docs/test_python_blocks.py::test_tests_pass": "a run of pytest with a browser",
    "tests/docs/test_site.py::test_no_link_is_dead_and_nothing_comes_from_another_server": "the site is built",
    "tests/engine/test_bounds.py::test_no_call_lasts_longer_than_its_limits_and_a_second": "thirty calls use up limits",
    "tests/engine/test_bounds_results.py::test_a_sequence_ends_beside_a_task_that_blocks_again_and_again": (
        "a task blocks until the limit of stalls"
    ),
    "tests/engine/test_hostile_pages.py::test_it_is_left_and_its_neighbour_is_served": "most calls use up limits",
    "tests/engine/test_sequence_virtual.py::test_a_course_of_all_kinds_gives_the_same_bytes": "a course, twice",
    "tests/farm/test_farm_crawl_access.py::test_pages_whose_proxy_died_fail_by_a_kind_and_are_loaded_when_it_is_back": (
        "two crawls"
    ),
    "tests/farm/test_farm_crawl_run.py::test_a_crawl_whose_process_is_killed_goes_on": "two processes crawl",
    "tests/farm/test_farm_crawl_run.py::test_ctrl_c_ends_a_program_drains_the_command_and_stops_it_the_second_time": (
        "three processes crawl"
    ),
    "tests/farm/test_farm_operators_documents.py::test_documents_of_operators": "a crawl of some forty pages",
    "tests/farm/test_farm_ray_cluster.py::test_a_worker_that_is_killed_costs_no_page": "a Ray cluster starts and ends",
    "tests/farm/test_farm_scrapy_handler.py::test_each_kind_of_request_gets_what_it_asks_for": "Scrapy starts",
    "tests/injected/test_checks.py::test_a_missing_name_property_or_type_fails": "tsc reads all scripts",
    "tests/injected/test_checks.py::test_javascript_in_python_uses_nothing_newer_than_chrome_74": "eslint reads all",
    "tests/injected/test_checks.py::test_what_the_oldest_engine_lacks_fails": "eslint reads all scripts",
    "tests/mcp/test_mcp_client_matrix.py::test_a_model_reads_the_same_over_stdio": "sixty calls by a process",
    "tests/mcp/test_mcp_client_matrix.py::test_a_model_reads_the_same_through_every_client": "sixty calls by a process",
    "tests/session_server/test_server.py::test_one_process_after_another": "servers start and end",
    "tests/tab/context/test_gpu.py::test_a_page_is_usable_after_another_one_has_hung_the_process": "uses up its limits",
    "tests/test_flows.py::test_ours_do_what_they_say": "twelve flows with a browser each",
    "tests/test_packaging.py::test_everything_imports_with_extras": "each module is compiled in a new environment",
    "tests/test_packaging.py::test_it_imports_without_extras": "a new environment gets the wheel",
    "tests/test_packaging.py::test_what_is_imported_is_declared": "all that is installed is read",
    "tests/testing/test_pytest_plugin.py::test_traces_of_failures_and_cassettes_of_one_browser_for_all_tests": (
        "two runs of a project of seven tests"
    ),
    "tests/testing/test_pytest_plugin.py::test_films_of_failures_are_kept_and_actions_are_slow_if_asked_for": (
        "a run of a project with five films"
    ),
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
