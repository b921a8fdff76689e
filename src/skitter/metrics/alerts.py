"""What somebody should be told of, and how soon: each alert with its rule, its reason and its runbook. Pure.

`page` wakes a person, `ticket` waits for the morning. `make ops` writes `ops/alerts.yml` from this table, and a test
makes each of them fire, and no other beside it. What a crawl should come to is the operator's to say: `TARGET`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Severity: TypeAlias = Literal["page", "ticket"]

TARGET = "skitter:target_pages_per_second"
"""A rule that is there to be edited: half of it is too slow."""


A_DAY_OLD = "sum(skitter_pages_total offset 1d) > 0"
"""What is compared with the day before needs one: in a crawl's first hours all is more than ever."""


class Alert(NamedTuple):
    """Something that should not last. `runbook` is a page of docs/runbooks/."""

    name: str
    severity: Severity
    when: str  # PromQL
    lasting: str  # how long it must be so
    says: str
    runbook: str


def _share(part: str, whole: str, span: str) -> str:
    """Returns the share of one counter in another, of late; none where nothing was counted."""
    return f"sum(rate({part}[{span}])) / (sum(rate({whole}[{span}])) > 0)"


ALERTS = (
    Alert(
        "SkitterPolitenessViolated",
        "page",
        "min(skitter_politeness_margin_seconds) < -0.001",
        "0m",
        "Two requests to one host came {{ $value | humanizeDuration }} closer than its delay.",
        "politeness-violated",
    ),
    Alert(
        "SkitterComplaint",
        "page",
        "increase(skitter_webmaster_complaints_total[1h]) > 0",
        "0m",
        "Somebody complained about us.",
        "complaint",
    ),
    Alert(
        "SkitterTurnedAway",
        "page",
        _share('skitter_responses_total{status=~"429|503"}', "skitter_responses_total", "5m") + " > 0.05",
        "5m",
        "{{ $value | humanizePercentage }} of all answers are 429 or 503: we ask for too much.",
        "turned-away",
    ),
    Alert(
        "SkitterHostTurnsUsAway",
        "ticket",
        "skitter_host_turned_away_per_second * 60 > 2",
        "10m",
        "{{ $labels.host }} goes on answering with 429 or 503.",
        "host-turns-us-away",
    ),
    Alert(
        "SkitterTooSlow",
        "page",
        f"sum(rate(skitter_pages_total[1h])) < 0.5 * {TARGET}",
        "10m",
        "{{ $value | humanize }} pages a second, less than half of what was wanted.",
        "too-slow",
    ),
    Alert(
        "SkitterNodeDown",
        "page",
        "skitter_node_up == 0 or increase(skitter_node_restarts_total[15m]) > 2",
        "1m",
        "Node {{ $labels.node }} is down, or dies again and again: nothing of its shards is fetched.",
        "node-down",
    ),
    Alert(
        "SkitterStandsStill",
        "page",
        "skitter_node_trouble == 1",
        "1m",
        "Node {{ $labels.node }} leases nothing: its disk is full or failing, or its archive is away.",
        "stands-still",
    ),
    Alert(
        "SkitterNameServersAway",
        "page",
        'sum(rate(skitter_dns_failures_total{kind="stale"}[5m])) > 0',
        "5m",
        "No name server answers: names are taken from answers that have ended.",
        "name-servers-away",
    ),
    Alert(
        "SkitterNobodyReached",
        "ticket",
        _share('skitter_fetches_total{outcome=~"no_connection|not_tried"}', "skitter_fetches_total", "15m") + " > 0.3",
        "15m",
        "{{ $value | humanizePercentage }} of what is tried reaches nobody.",
        "nobody-reached",
    ),
    Alert(
        "SkitterRobotsUnreadable",
        "ticket",
        _share('skitter_robots_read_total{result="failed"}', "skitter_robots_read_total", "15m") + " > 0.05",
        "15m",
        "{{ $value | humanizePercentage }} of the robots.txt files can't be read; their hosts are left alone.",
        "robots-unreadable",
    ),
    Alert(
        "SkitterShutOut",
        "ticket",
        'sum(rate(skitter_urls_skipped_total{reason="robots_disallow"}[1h])) > '
        '3 * sum(rate(skitter_urls_skipped_total{reason="robots_disallow"}[1d] offset 1h)) and '
        f'sum(increase(skitter_urls_skipped_total{{reason="robots_disallow"}}[1h])) > 100 and {A_DAY_OLD}',
        "15m",
        "robots.txt forbids three times as much as on the day before: somebody may have shut us out.",
        "shut-out",
    ),
    Alert(
        "SkitterFrontierEmpty",
        "ticket",
        'sum by (node) (skitter_frontier_urls{state=~"queued|leased"}) == 0',
        "15m",
        "Node {{ $labels.node }} has nothing left to fetch.",
        "frontier-empty",
    ),
    Alert(
        "SkitterManyDuplicates",
        "ticket",
        _share('skitter_captures_total{kind="revisit"}', "skitter_captures_total", "1h") + " > 0.5",
        "15m",
        "{{ $value | humanizePercentage }} of what is fetched is known already: mirrors, or a trap.",
        "many-duplicates",
    ),
    Alert(
        "SkitterTrapSpike",
        "ticket",
        "sum(increase(skitter_traps_total[1h])) > 10 and "
        "sum(increase(skitter_traps_total[1h])) > 10 * sum(increase(skitter_traps_total[1d] offset 1h)) / 24 "
        f"and {A_DAY_OLD}",
        "5m",
        "{{ $value | humanize }} traps in an hour, ten times as many as usual.",
        "trap-spike",
    ),
    Alert(
        "SkitterFilterWearsOut",
        "ticket",
        'sum(rate(skitter_seen_checks_total{layer="false_positive"}[1h])) / '
        '(sum(rate(skitter_seen_checks_total{layer=~"false_positive|filter"}[1h])) > 0) > 0.1',
        "30m",
        "{{ $value | humanizePercentage }} of the new URLs are looked for in the store in vain.",
        "filter-wears-out",
    ),
    Alert(
        "SkitterNamesNotKept",
        "ticket",
        'sum(rate(skitter_dns_answers_total{source="server"}[1h])) / '
        "(sum(rate(skitter_dns_answers_total[1h])) > 1) > 0.05",
        "30m",
        "{{ $value | humanizePercentage }} of the names are asked of a server: they should be in memory.",
        "names-not-kept",
    ),
    Alert(
        "SkitterLeasesEnd",
        "ticket",
        "sum(rate(skitter_leases_expired_total[15m])) / (sum(rate(skitter_leases_total[15m])) > 0) > 0.01",
        "15m",
        "{{ $value | humanizePercentage }} of the leases end before their pages are fetched.",
        "leases-end",
    ),
    Alert(
        "SkitterRecrawlLate",
        "ticket",
        "skitter_recrawl_lag_seconds > 3600",
        "15m",
        "The visit that has waited longest has been due for {{ $value | humanizeDuration }}.",
        "recrawl-late",
    ),
    Alert(
        "SkitterNotFresh",
        "ticket",
        "skitter_freshness_budget_left_ratio < 0",
        "1h",
        "Too many copies of {{ $labels.class }} pages lack a change for longer than is promised.",
        "not-fresh",
    ),
    Alert(
        "SkitterRenderQueueOld",
        "ticket",
        "skitter_render_queue_age_seconds > 3600",
        "30m",
        "Pages wait {{ $value | humanizeDuration }} for a browser.",
        "render-queue-old",
    ),
    Alert(
        "SkitterSinkBehind",
        "ticket",
        "skitter_sink_up == 0 or skitter_sink_lag_seconds > 600",
        "10m",
        "The sink {{ $labels.sink }} does not take its rows, or not fast enough.",
        "sink-behind",
    ),
    Alert(
        "SkitterBucketBehind",
        "ticket",
        "skitter_bucket_waiting_bytes > 2e9",
        "10m",
        "{{ $value | humanize1024 }}B of archive wait for the bucket on node {{ $labels.node }}.",
        "bucket-behind",
    ),
    Alert(
        "SkitterPluginFails",
        "ticket",
        'sum by (plugin) (rate(skitter_plugin_calls_total{result!="ok"}[15m])) / '
        "(sum by (plugin) (rate(skitter_plugin_calls_total[15m])) > 0) > 0.1",
        "15m",
        "The plug-in {{ $labels.plugin }} fails for {{ $value | humanizePercentage }} of its pages.",
        "plugin-fails",
    ),
)
