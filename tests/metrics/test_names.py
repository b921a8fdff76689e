"""For each name there is a test which shows that its number is what its help says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skitter.metrics.table import COMPLAINTS, GAUGES, SINKS, SPREADS, TOTALS

TESTS = Path(__file__).parent.parent

SHIPPED = "store/shipping/test_shipper.py::test_what_is_sent_and_what_waits_is_counted"
CRAWL = "metrics/test_crawl.py::test_a_crawl_is_counted_as_the_web_saw_it"
KILLED = "metrics/test_crawl.py::test_counters_do_not_go_back_when_a_node_is_killed"
UNREACHED = "metrics/test_crawl.py::test_hosts_that_nobody_answers_for_are_tries_too"
COUNTERS, TALLY, READING = "node/test_counters.py", "frontier/test_tally.py", "reading/test_read.py"

SHARING = "frontier/test_sharing.py"
AGAIN, FRESH = "frontier/test_again.py", "schedule/test_freshness.py"
SINK_AWAY = "sinks/test_postgres.py::test_the_database_goes_away_and_comes_back_while_rows_come"
SINK_STATE = "sinks/test_feed.py::test_its_state_says_what_is_wrong_and_how_far_behind_it_is"

SHOWN_BY = {
    "skitter_fetches_total": (CRAWL, UNREACHED, f"{COUNTERS}::test_every_fetch_is_counted_once_by_errand_and_end"),
    "skitter_pages_total": (CRAWL,),
    "skitter_responses_total": (CRAWL,),
    "skitter_fetch_failures_total": (
        f"{COUNTERS}::test_failures_are_counted_by_kind",
        f"{TALLY}::test_a_lease_that_outlives_its_end",
        f"{TALLY}::test_a_page_that_the_process_before_us_died_with",
    ),
    "skitter_received_bytes_total": (f"{COUNTERS}::test_bytes_are_counted_as_they_came",),
    "skitter_links_total": (CRAWL, f"{COUNTERS}::test_links_that_are_followed_and_that_are_not"),
    "skitter_links_refused_total": (
        f"{COUNTERS}::test_links_that_are_followed_and_that_are_not",
        f"{READING}::test_links_that_are_refused_are_counted_by_reason",
        f"{READING}::test_the_links_of_a_page_that_wants_none_followed_are_refused",
        f"{READING}::test_a_redirect_that_leaves_the_scope_is_refused",
        f"{READING}::test_entries_of_a_sitemap_that_are_refused",
    ),
    "skitter_urls_discovered_total": (CRAWL,),
    "skitter_seen_checks_total": (CRAWL, "shard/test_seen.py::test_each_layer_answers_for_what_it_knows"),
    "skitter_urls_skipped_total": (
        f"{TALLY}::test_leases_and_what_robots_txt_forbids",
        f"{TALLY}::test_a_trap_counts_once_and_its_urls_each",
    ),
    "skitter_traps_total": (
        "metrics/test_crawl.py::test_an_endless_calendar_is_a_trap_on_each_host_and_many_urls",
        f"{TALLY}::test_a_trap_counts_once_and_its_urls_each",
        f"{TALLY}::test_a_host_that_is_a_trap_as_a_whole_counts_once",
    ),
    "skitter_leases_total": (CRAWL, f"{TALLY}::test_leases_and_what_robots_txt_forbids"),
    "skitter_leases_expired_total": (f"{TALLY}::test_a_lease_that_outlives_its_end",),
    "skitter_robots_lookups_total": (
        CRAWL,
        f"{TALLY}::test_robots_txt_is_looked_up_in_memory_then_in_the_store_then_asked_for",
    ),
    "skitter_robots_read_total": (CRAWL, f"{TALLY}::test_what_robots_txt_came_to"),
    "skitter_crawl_delay_applied_total": (
        f"{TALLY}::test_requests_paced_by_a_crawl_delay",
        f"{TALLY}::test_a_back_off_that_is_longer_is_what_is_waited_out",
    ),
    "skitter_captures_total": (CRAWL, UNREACHED),
    "skitter_warc_bytes_total": (CRAWL,),
    "skitter_bucket_sent_bytes_total": (SHIPPED,),
    "skitter_page_content_types_total": (CRAWL, f"{COUNTERS}::test_content_types_are_few"),
    "skitter_pages_malformed_total": (
        f"{COUNTERS}::test_faults_of_pages",
        f"{READING}::test_faults_that_are_noticed",
    ),
    "skitter_dns_answers_total": ("dns/test_resolver.py::test_it_says_what_it_does",),
    "skitter_dns_failures_total": ("dns/test_resolver.py::test_it_says_what_it_does",),
    "skitter_fetch_seconds": (UNREACHED, f"{COUNTERS}::test_seconds_fall_into_buckets_up_to_and_with_the_bound"),
    "skitter_page_bytes": (CRAWL, f"{COUNTERS}::test_bytes_fall_into_buckets"),
    "skitter_page_outlinks": (CRAWL, f"{COUNTERS}::test_links_fall_into_buckets"),
    "skitter_redirect_hops": (CRAWL, f"{COUNTERS}::test_redirects_before_a_page"),
    "skitter_frontier_urls": (CRAWL, f"{TALLY}::test_the_states_of_each_shard_add_up"),
    "skitter_hosts": (CRAWL,),
    "skitter_host_requests_per_second": (
        CRAWL,
        "node/test_rates.py::test_a_host_that_is_asked_at_a_steady_pace_has_that_rate",
        "node/test_rates.py::test_a_total_is_no_rate",
    ),
    "skitter_host_quota_used": (CRAWL,),
    "skitter_host_quota_allowed": (
        "node/test_rates.py::test_the_list_is_of_hosts_in_memory_with_what_they_used_today",
    ),
    "skitter_host_delay_seconds": (
        "node/test_rates.py::test_the_list_is_of_hosts_in_memory_with_what_they_used_today",
    ),
    "skitter_recrawl_lag_seconds": (
        f"{TALLY}::test_a_recrawl_lags_from_when_it_was_due_until_its_visit",
        f"{TALLY}::test_the_oldest_recrawl_counts_also_after_a_restart",
        f"{TALLY}::test_a_retry_is_no_recrawl",
    ),
    "skitter_page_leases_total": (f"{SHARING}::test_what_is_leased_and_gained_is_counted_by_purpose",),
    "skitter_page_gain_total": (f"{SHARING}::test_what_is_leased_and_gained_is_counted_by_purpose",),
    "skitter_refresh_share_ratio": (f"{SHARING}::test_what_is_leased_and_gained_is_counted_by_purpose",),
    "skitter_freshness_ratio": (f"{FRESH}::test_the_number_is_what_the_belief_says_by_class_and_in_all",),
    "skitter_freshness_error": (f"{FRESH}::test_the_error_is_wide_while_little_is_known",),
    "skitter_freshness_measured_ratio": (f"{AGAIN}::test_a_page_drawn_by_lot_is_visited_and_counted",),
    "skitter_freshness_measured_error": (f"{FRESH}::test_the_error_covers_the_truth_as_often_as_it_says",),
    "skitter_freshness_budget_left_ratio": (f"{FRESH}::test_the_budget_is_for_copies_that_lack_an_old_change",),
    "skitter_copy_age_seconds": (f"{FRESH}::test_ages_are_told_in_even_steps",),
    "skitter_bucket_waiting_bytes": (SHIPPED,),
    "skitter_render_queue": ("frontier/test_rendering.py::test_without_a_browser_it_waits_and_keeps_nobody",),
    "skitter_render_queue_age_seconds": (
        "frontier/test_rendering.py::test_without_a_browser_it_waits_and_keeps_nobody",
    ),
    "skitter_plugin_calls_total": ("plugins/test_crawl.py::test_a_crawl_goes_on_whatever_plugins_do",),
    "skitter_plugin_seconds_total": ("plugins/test_crawl.py::test_a_crawl_goes_on_whatever_plugins_do",),
    "skitter_webmaster_complaints_total": ("folder/test_jsonlines.py::test_complaints_are_counted_and_shown",),
    "skitter_sink_up": (SINK_AWAY,),
    "skitter_sink_rows_total": (SINK_STATE,),
    "skitter_sink_lag_captures": (SINK_AWAY, SINK_STATE),
    "skitter_sink_lag_bytes": (SINK_AWAY, SINK_STATE),
    "skitter_sink_lag_seconds": (SINK_AWAY,),
    "skitter_in_flight": (CRAWL,),
    "skitter_node_up": (CRAWL, KILLED),
    "skitter_node_idle": ("node/test_durable.py::test_a_node_is_not_idle_before_what_it_noted_is_durable", KILLED),
    "skitter_node_trouble": ("faults/test_machine.py::test_a_disk_without_room_for_the_archive_is_waited_for",),
    "skitter_node_restarts_total": (KILLED, "supervisor/test_reports.py::test_lives_are_added_up"),
}


def test_every_name_is_shown_to_be_true() -> None:
    assert set(SHOWN_BY) == {row.name for row in (*TOTALS, *SPREADS, *GAUGES, *SINKS)} | {COMPLAINTS[0]}


@pytest.mark.parametrize("test", sorted({test for tests in SHOWN_BY.values() for test in tests}))
def test_it_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    assert re.search(rf"^(async )?def {name}\(", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE), test
