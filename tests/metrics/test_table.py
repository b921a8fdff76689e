from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from skitter.messages import Errand, Kind, State
from skitter.metrics.table import COMPLAINTS, GAUGES, MOST_HOSTS, SINKS, SKIPS, SPREADS, TOTALS, metrics
from skitter.metrics.text import rendered
from skitter.node.counters import Counted, Ended
from skitter.node.status import HostLine, NodeStatus
from skitter.sinks.kept import SinkState
from skitter.supervisor.progress import NOTHING
from tests.metrics.reports import frontier, report
from tests.metrics.scraped import Page

NAMES = [*(row.name for row in (*TOTALS, *SPREADS, *GAUGES, *SINKS)), COMPLAINTS[0]]
DOCS = (Path(__file__).parent.parent.parent / "docs" / "metrics.md").read_text(encoding="utf-8")


def shown(*reports: NodeStatus) -> Page:
    return Page(rendered(metrics(reports)).decode())


def counted(**facts: object) -> Counted:
    return structs.replace(NOTHING, **facts)


def unit_of(name: str) -> str:
    """Returns the unit as the name has it: last, but for `total`. Without one it is a number of things."""
    last = name.removesuffix("_total").rpartition("_")[2]
    return {"seconds": "seconds", "bytes": "bytes", "second": "a second"}.get(last, "")


def table() -> list[str]:
    """Returns the lines that the docs must have, from what is exported."""
    labels = {row.name: row.labels for row in (*TOTALS, *GAUGES, *SINKS)}
    return [
        f"| `{metric.name}` | {metric.kind} | {unit_of(metric.name)} "
        f"| {', '.join(f'`{label}`' for label in labels.get(metric.name, ()))} | {metric.meaning} |"
        for metric in metrics([])
    ]


def test_the_table_in_the_docs_is_the_table_in_the_code() -> None:
    section = DOCS.partition("## All metrics\n")[2].partition("\n## ")[0]
    assert [line for line in section.splitlines() if line.startswith("| `")] == table()


def test_no_other_name_is_in_the_docs() -> None:
    named = {re.sub("_(bucket|sum|count)$", "", name) for name in re.findall(r"\bskitter_[a-z_]+", DOCS)}
    assert named == set(NAMES)


def test_labels_in_the_docs_exist() -> None:
    """A rule that asks for a label which no number has finds nothing, and never fires."""
    labels: dict[str, set[str]] = {row.name: set(row.labels) for row in (*TOTALS, *GAUGES, *SINKS)}
    labels |= {row.name: {"le"} for row in SPREADS}
    asked = re.findall(r"\b(skitter_[a-z_]+?)(?:_bucket|_sum|_count)?\{([^}]*)\}", DOCS)
    assert len(asked) > 10
    for name, matchers in asked:
        assert set(re.findall(r"([a-z]+)(?:=~|!~|!=|=)", matchers)) <= labels[name], (name, matchers)


def test_values_of_labels_in_the_docs_exist() -> None:
    known = values_of_labels()
    for name, matchers in re.findall(r"\b(skitter_[a-z_]+)\{([^}]*)\}", DOCS):
        for label, values in re.findall(r'([a-z]+)(?:=~|!~|!=|=)"([^"]*)"', matchers.replace("\\|", "|")):
            if label != "status":
                assert set(values.split("|")) <= known[name, label], (name, label, values)


def values_of_labels() -> dict[tuple[str, str], set[str]]:
    held = frontier(by_shard={0: {state.value: 0 for state in State}})
    known: dict[tuple[str, str], set[str]] = {}
    for name, labels in shown(report(0, held=held)).numbers:
        for label, value in labels:
            known.setdefault((name, label), set()).add(value)
    return known


def test_names_are_unique_and_kept_to_the_conventions() -> None:
    assert len(set(NAMES)) == len(NAMES)
    kinds = {metric.name: metric.kind for metric in metrics([])}
    for name, kind in kinds.items():
        assert re.fullmatch("skitter_[a-z_]+[a-z]", name)
        assert (kind == "counter") == name.endswith("_total"), name


def test_before_the_first_report_all_counters_are_zero() -> None:
    page = shown()
    assert set(page.counters().values()) == {0}
    assert len([key for key in page.numbers if key[0] == "skitter_fetch_failures_total"]) == len(Kind)
    assert len([key for key in page.numbers if key[0] == "skitter_urls_skipped_total"]) == len(SKIPS)
    fetches = {labels for name, labels in page.numbers if name == "skitter_fetches_total"}
    assert len(fetches) == len(Errand) * len(Ended), "each has its zero"
    assert ("skitter_responses_total", frozenset({("status", "429")})) in page.numbers


COUNTS = [
    ("skitter_fetches_total", {"errand": "robots"}, {"fetches": {"robots ok": 2, "robots error": 1, "page ok": 5}}, 3),
    ("skitter_fetches_total", {"outcome": "ok"}, {"fetches": {"robots ok": 2, "page ok": 5, "page broken": 1}}, 7),
    (
        "skitter_fetches_total",
        {"errand": "page", "outcome": "no_connection"},
        {"fetches": {"page no_connection": 4}},
        4,
    ),
    ("skitter_pages_total", {}, {"pages": 3}, 3),
    ("skitter_responses_total", {"status": "503"}, {"statuses": {503: 4, 200: 1}}, 4),
    ("skitter_responses_total", {"status": "odd"}, {"statuses": {999: 1, 0: 2, 600: 4}}, 7),
    ("skitter_fetch_failures_total", {"kind": "gone"}, {"failures": {"gone": 2}}, 2),
    ("skitter_received_bytes_total", {}, {"received": 10**12}, 10**12),
    ("skitter_links_total", {}, {"links": 8}, 8),
    ("skitter_links_refused_total", {"reason": "too_deep"}, {"refused": {"too_deep": 3, "trap": 1}}, 3),
    ("skitter_urls_discovered_total", {}, {"seen": {"memory": 9, "filter": 5, "false_positive": 1}}, 6),
    ("skitter_seen_checks_total", {"layer": "memory"}, {"seen": {"memory": 9, "filter": 5}}, 9),
    ("skitter_seen_checks_total", {"layer": "false_positive"}, {"seen": {"false_positive": 1}}, 1),
    ("skitter_urls_skipped_total", {"reason": "robots_disallow"}, {"skipped": {"robots_disallow": 6}}, 6),
    ("skitter_traps_total", {"of": "shape"}, {"traps": {"shape": 3, "host": 1}, "skipped": {"trap": 99}}, 3),
    ("skitter_leases_total", {"errand": "page"}, {"leases": {"page": 3, "robots": 1}}, 3),
    ("skitter_leases_expired_total", {}, {"expired": 2}, 2),
    ("skitter_page_leases_total", {"purpose": "refresh"}, {"purposes": {"refresh": 3, "discovery": 1}}, 3),
    ("skitter_page_gain_total", {"purpose": "discovery"}, {"gained": {"refresh": 0.5, "discovery": 0.25}}, 0.25),
    ("skitter_robots_lookups_total", {"source": "store"}, {"robots_lookups": {"memory": 9, "store": 2}}, 2),
    ("skitter_robots_read_total", {"result": "failed"}, {"robots_read": {"failed": 1, "rules": 7}}, 1),
    ("skitter_crawl_delay_applied_total", {}, {"crawl_delays": 4}, 4),
    ("skitter_captures_total", {"kind": "revisit"}, {"captures": {"revisit": 3, "response": 7}}, 3),
    ("skitter_warc_bytes_total", {}, {"written": 77}, 77),
    ("skitter_bucket_sent_bytes_total", {}, {"written": 77, "sent": 70}, 70),
    ("skitter_page_content_types_total", {"type": "image/png"}, {"content_types": {"image/png": 2}}, 2),
    ("skitter_pages_malformed_total", {"fault": "cut"}, {"malformed": {"cut": 2, "undecodable": 5}}, 2),
    (
        "skitter_plugin_calls_total",
        {"plugin": "my.One"},
        {"plugin_calls": {"my.One ok": 3, "my.One hung": 1, "b ok": 1}},
        4,
    ),
    ("skitter_plugin_seconds_total", {"plugin": "b"}, {"plugin_seconds": {"my.One": 3.0, "b": 0.5}}, 0.5),
    ("skitter_dns_answers_total", {"source": "cache"}, {"dns": {"cache": 95, "server": 5, "failed": 1}}, 95),
    ("skitter_dns_answers_total", {}, {"dns": {"cache": 95, "server": 5, "joined": 1, "failed": 3}}, 101),
    ("skitter_dns_failures_total", {"kind": "unknown"}, {"dns": {"unknown": 2, "server": 9}}, 2),
    ("skitter_fetch_seconds_bucket", {"le": "0.1"}, {"fetch_buckets": {0: 1, 4: 2, 5: 4}}, 3),
    ("skitter_fetch_seconds_sum", {}, {"fetch_seconds": 1.25}, 1.25),
    ("skitter_page_bytes_bucket", {"le": "4000"}, {"page_buckets": {1: 2, 8: 1}}, 2),
    ("skitter_page_bytes_sum", {}, {"page_bytes": 123}, 123),
    ("skitter_page_outlinks_bucket", {"le": "1000"}, {"outlink_buckets": {9: 1, 10: 1}}, 1),
    ("skitter_page_outlinks_sum", {}, {"outlinks": 55}, 55),
    ("skitter_redirect_hops_bucket", {"le": "0"}, {"hops": {0: 6, 2: 1}}, 6),
    ("skitter_redirect_hops_bucket", {"le": "+Inf"}, {"hops": {0: 6, 2: 1, 40: 1}}, 8),
    ("skitter_redirect_hops_sum", {}, {"hops": {0: 6, 2: 3}}, 6),
]


@pytest.mark.parametrize(("name", "labels", "facts", "expected"), COUNTS, ids=lambda value: str(value)[:40])
def test_counters_are_added_up_over_the_nodes(
    name: str, labels: dict[str, str], facts: dict[str, object], expected: float
) -> None:
    assert shown(report(0, counted(**facts))).of(name, **labels) == expected
    assert shown(report(0, counted(**facts)), report(1, counted(**facts))).of(name, **labels) == 2 * expected


def test_every_counter_has_a_case() -> None:
    tried = {re.sub("_(bucket|sum|count)$", "", name) for name, *_ in COUNTS}
    assert tried == {row.name for row in (*TOTALS, *SPREADS)}


def test_the_frontier_by_node_shard_and_state() -> None:
    first = frontier(by_shard={0: {"queued": 5, "done": 1}, 2: {"queued": 7}}, stages={"rest": 3}, recrawl_lag=2.5)
    second = frontier(by_shard={1: {"queued": 11}}, stages={"rest": 1, "leased": 1}, recrawl_lag=9.5)
    page = shown(report(0, held=first), report(1, held=second))
    assert page.of("skitter_frontier_urls", state="queued") == 23
    assert page.of("skitter_frontier_urls", node="0", state="queued") == 12
    assert page.of("skitter_frontier_urls", shard="2") == 7
    assert page.of("skitter_hosts", stage="rest") == 4
    assert page.of("skitter_hosts", stage="leased") == 1
    assert page["skitter_recrawl_lag_seconds"] == 9.5


def test_nodes_one_by_one() -> None:
    page = shown(report(0, in_flight=7, idle=True, trouble="disk full"), report(1, stopped=True, restarts=3, unsent=9))
    assert [page.of("skitter_bucket_waiting_bytes", node=node) for node in "01"] == [0, 9]
    assert [page.of("skitter_in_flight", node=node) for node in "01"] == [7, 0]
    assert [page.of("skitter_node_idle", node=node) for node in "01"] == [1, 0]
    assert [page.of("skitter_node_trouble", node=node) for node in "01"] == [1, 0]
    assert [page.of("skitter_node_up", node=node) for node in "01"] == [1, 0]
    assert [page.of("skitter_node_restarts_total", node=node) for node in "01"] == [0, 3]


def test_sinks_one_by_one() -> None:
    states = [
        SinkState("jsonl:a", 1.0, rows=7),
        SinkState("jsonl:b", 1.0, rows=2, lag_bytes=900, lag_captures=9, lag_seconds=4.5, trouble="away"),
    ]
    page = Page(rendered(metrics([], states)).decode())
    for name, first, second in (
        ("up", 1, 0),
        ("rows_total", 7, 2),
        ("lag_captures", 0, 9),
        ("lag_bytes", 0, 900),
        ("lag_seconds", 0, 4.5),
    ):
        assert [page.of(f"skitter_sink_{name}", sink=sink) for sink in ("jsonl:a", "jsonl:b")] == [first, second]


def test_only_the_busiest_hosts_are_named() -> None:
    lines = [HostLine(f"h{n}.example", n / 100, 1.5, "rest", 100 - n, 1000) for n in range(100)]
    page = shown(report(0, busiest=lines[:50]), report(1, busiest=lines[50:]))
    named = {dict(labels)["host"] for name, labels in page.numbers if name == "skitter_host_quota_used"}
    assert named == {f"h{n}.example" for n in range(100 - MOST_HOSTS, 100)}
    assert page.of("skitter_host_requests_per_second", host="h99.example") == 0.99
    assert page.of("skitter_host_quota_used", host="h99.example") == 1
    assert page.of("skitter_host_quota_allowed", host="h99.example") == 1000
    assert page.of("skitter_host_delay_seconds", host="h99.example") == 1.5


def test_a_report_means_the_same_after_its_way_to_the_supervisor() -> None:
    sent = report(0, counted(hops={2: 1}, seen={"filter": 3}), frontier(by_shard={7: {"queued": 2}}))
    came = msgspec.json.decode(msgspec.json.encode(sent), type=NodeStatus)
    assert came == sent
    assert shown(came).numbers == shown(sent).numbers
