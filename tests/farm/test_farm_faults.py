"""The faults that a farm meets, and the tests that show what becomes of each; a test that is gone fails this one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent

FAULTS: dict[str, tuple[str, ...]] = {
    "a worker freezes": ("farm/test_farm_store_faults.py::test_a_worker_frozen_at_any_statement_stops_no_other",),
    "the database is of an older stillframe": (
        "farm/test_farm_store_migrations.py::test_a_crawl_of_an_older_version_goes_on",
        "farm/test_farm_store_migrations.py::test_a_migration_that_is_interrupted_leaves_the_old_tables",
    ),
    # The transport.
    "a browser is killed": (
        "farm/test_farm_crawl_run.py::test_a_chrome_process_that_is_killed_costs_no_page",
        "farm/test_farm_pool_browser_pool.py::test_a_browser_that_ends_fails_its_pages_at_once_and_is_replaced",
        "farm/test_farm_crawler_crawler.py::test_pages_whose_browser_ended_are_not_charged_for_it",
    ),
    "a browser crashes": (
        "farm/test_farm_crawler_crawler.py::test_pages_whose_browser_ended_are_not_charged_for_it",
        "farm/test_farm_pool_browser_pool.py::test_a_browser_that_ends_fails_its_pages_at_once_and_is_replaced",
    ),
    "the connection breaks and Chrome lives": (
        "test_kill.py::test_wherever_the_connection_breaks_every_call_ends_at_once",
        "chrome/test_launcher.py::test_one_that_closes_the_pipe_and_stays_is_given_up",
    ),
    "a browser is stopped: it accepts connections and answers nothing": (
        "farm/test_farm_pool_browser_pool.py::test_a_browser_that_does_not_answer_is_killed_and_replaced",
        "chrome/test_connect.py::test_a_stopped_browser_is_not_waited_for",
    ),
    "no browser starts": (
        "farm/test_farm_crawler_crawler.py::test_a_crawl_without_browsers_ends_and_keeps_its_pages",
        "farm/test_farm_pool_browser_pool.py::test_a_browser_that_cannot_start_is_reported_after_some_tries",
        "farm/test_farm_pool_planner.py::test_failed_launches_wait_longer_and_longer",
        "chrome/test_launcher.py::test_a_browser_that_never_answers_is_given_up",
    ),
    # The target.
    "a renderer crashes or is killed": (
        "farm/test_farm_pool_browser_pool.py::test_a_crash_of_a_renderer_costs_one_page_and_the_end_of_the_gpu_process_nothing",
        "farm/test_farm_crawl_run.py::test_a_chrome_process_that_is_killed_costs_no_page",
        "test_kill.py::test_a_killed_renderer_ends_the_sequence_and_leaves_the_page_usable",
    ),
    "a command to a crashed tab is never answered": (
        "cdp/test_mux.py::test_a_crash_ends_what_waits_and_refuses_what_chrome_would_not_answer",
        "cdp/test_live.py::test_a_renderer_crash_ends_what_chrome_leaves_unanswered_until_the_reload",
        "cdp/test_mux.py::test_a_crash_is_reported_once_though_chrome_says_it_twice",
    ),
    # The browser's process.
    "a profile was left by a kill, or deleted, or is in use": (
        "chrome/test_launcher.py::test_profiles_of_killed_clients_are_swept_at_launch",
        "chrome/test_launcher.py::test_a_profile_in_use_names_its_holder",
        "chrome/test_profile.py::test_our_own_live_profile_is_kept",
        "chrome/test_profile.py::test_the_profile_of_a_live_process_is_kept_without_its_lock",
    ),
    "a port is taken": (
        "chrome/test_launcher.py::test_a_port_that_someone_else_holds",
        "chrome/test_launcher.py::test_a_port_is_ours_and_does_not_keep_the_browser_alive_and_that_of_another_one_is_not_ours",
    ),
    "the GPU process ends": (
        "farm/test_farm_pool_browser_pool.py::test_a_crash_of_a_renderer_costs_one_page_and_the_end_of_the_gpu_process_nothing",
    ),
    "the crawler is killed": (
        "farm/test_farm_crawl_run.py::test_a_crawl_whose_process_is_killed_goes_on",
        "chrome/test_owned_process.py::test_the_browser_dies_with_a_killed_client",
    ),
    "a close is cancelled": (
        "farm/test_farm_pool_browser_pool.py::test_a_close_that_is_cancelled_still_ends_the_browsers",
        "chrome/test_launcher.py::test_cancelled_at_every_await_of_the_closing_it_closes_all_the_same",
    ),
    "a container has no init": ("farm/test_farm_pool_browser_pool.py::test_a_container_without_init_is_reported",),
    # Memory.
    "a page allocates until its renderer ends": (
        "farm/test_farm_crawl_run.py::test_a_page_that_allocates_until_it_ends_costs_no_other_page",
        "farm/test_farm_loading_retries.py::test_a_page_that_crashes_or_hangs_is_tried_twice",
    ),
    "a page is 200 MB": (
        "farm/test_farm_crawl_run.py::test_trouble_is_counted_by_kind_and_costs_no_other_page",
        "farm/test_farm_loading_document_limit.py::test_a_document_over_the_limit_is_not_loaded",
    ),
    "a browser grows": (
        "farm/test_farm_pool_planner.py::test_an_old_browser_is_drained_and_closed_when_its_pages_are_back",
        "farm/test_farm_pool_browser_pool.py::test_a_browser_is_replaced_after_its_pages",
    ),
    "the memory of the machine or its cgroup runs out": (
        "farm/test_farm_pool_memory.py::test_the_fullest_counts",
        "farm/test_farm_pool_planner.py::test_with_little_memory_the_newest_page_is_shed_and_the_next_one_later",
        "farm/test_farm_crawler_crawler.py::test_a_page_waits_for_memory_without_being_tried",
        "farm/test_farm_crawler_crawler.py::test_a_page_that_is_shed_or_lost_goes_back_to_the_queue_and_the_crawl_goes_on",
    ),
    # The disk.
    "the disk is full while Chrome runs, or before it starts": (
        "farm/test_farm_pool_browser_pool.py::test_memory_and_disk_stop_admission_and_shed_the_newest_page",
        "farm/test_farm_crawler_crawler.py::test_a_full_disk_ends_the_crawl_and_keeps_its_pages",
        "farm/test_farm_store_faults.py::test_a_full_disk_stores_nothing_of_a_page",
    ),
    "a write of the output fails or is torn": (
        "farm/test_farm_output_export.py::test_any_failing_call_of_the_disk_is_made_good",
        "farm/test_farm_output_export.py::test_a_torn_last_record_is_cut",
        "farm/test_farm_output_export.py::test_a_killed_process_loses_and_repeats_nothing",
        "farm/test_farm_crawl_run.py::test_a_crawl_that_stopped_goes_on_until_it_is_complete",
    ),
    # The site.
    "a document does not come whole": (
        "farm/test_farm_loading_documents.py::test_a_document_that_broke_after_its_response_is_not",
        "farm/test_farm_whole.py::test_documents_that_do_not_come_whole_fail_and_are_tried_again",
    ),
    "a page goes on in a tab that was given back": (
        "farm/test_farm_loading_documents.py::test_what_the_page_before_asked_for_meanwhile_is_not_the_page",
        "farm/test_farm_whole.py::test_a_tab_runs_nothing_of_its_last_page",
        "farm/test_farm_whole.py::test_what_is_shown_is_what_was_asked_for",
    ),
    "a page of a host always asks for time": (
        "farm/test_farm_loading_pressure.py::test_one_page_that_always_asks_for_time_holds_nothing_but_itself",
        "farm/test_farm_whole.py::test_one_page_that_always_asks_for_time_does_not_hold_its_host",
    ),
    "a host asks for time for ever": (
        "farm/test_farm_loading_pressure.py::test_a_host_that_asks_for_ever_is_given_up",
        "farm/test_farm_hostile.py::test_a_host_that_asks_for_time_for_ever_ends_and_stops_no_other",
    ),
    "a proxy dies": ("farm/test_farm_hostile.py::test_a_proxy_that_dies_fails_its_pages_and_the_crawl_ends",),
    "a robots.txt is endless, packed, or has a million rules": (
        "farm/test_farm_robots_fetching.py::test_of_an_endless_file_only_the_beginning_is_read",
        "farm/test_farm_robots_fetching.py::test_of_a_packed_bomb_only_the_beginning_is_read",
        "farm/test_farm_robots_fetching.py::test_a_redirect_that_ends_nowhere_means_that_there_is_none",
        "farm/test_farm_robots_rules.py::test_hostile_files_cost_little",
    ),
    "a sitemap has ten million pages, is a bomb, or names itself": (
        "farm/test_farm_crawl_sitemaps.py::test_ten_million_pages_cost_what_the_limits_are",
        "farm/test_farm_crawl_sitemaps.py::test_loops_and_depth_end",
        "farm/test_farm_sitemaps_reader.py::test_bombs_cost_what_their_limit_is",
    ),
    "a script of a page never ends": ("farm/test_farm_whole.py::test_a_page_that_hangs_is_a_kind_of_its_own",),
    # The cluster.
    "a worker or a supervisor is lost in the middle of a page": (
        "farm/test_farm_ray_cluster.py::test_two_supervisors_lose_no_page_when_one_and_a_worker_are_killed",
        "farm/test_farm_store_faults.py::test_a_killed_worker_loses_nothing_and_repeats_nothing",
        "farm/test_farm_store_crawl_store.py::test_a_late_answer_is_refused_and_stores_nothing",
    ),
    "the head of the cluster is lost": ("farm/test_farm_ray_cluster.py::test_a_crawl_outlives_its_whole_cluster",),
    "a clock jumps": ("farm/test_farm_store_crawl_store.py::test_a_step_of_a_workers_clock_does_not_matter",),
    "PostgreSQL is away": (
        "farm/test_farm_crawl_run.py::test_a_crawl_survives_a_restart_of_postgresql",
        "farm/test_farm_store_faults.py::test_a_restart_of_postgresql_is_waited_for",
        "farm/test_farm_store_faults.py::test_a_server_that_stays_away_is_reported_without_the_password",
    ),
}


def functions_of(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_tests_of_a_fault_are_there(fault: str) -> None:
    for test in FAULTS[fault]:
        file, _, name = test.partition("::")
        assert name in functions_of(TESTS / file), test
