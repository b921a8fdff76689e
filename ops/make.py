"""`make ops`: the rules and the dashboards for Prometheus and Grafana, from the tables in the code.

ops/alerts.yml              every alert of `skitter.metrics.alerts`; the first rule is yours to edit: the target
ops/grafana/skitter.json    the numbers an operator looks at, a row for each question
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from skitter.metrics.alerts import ALERTS, TARGET, Alert

OPS = Path(__file__).parent
RUNBOOKS = "docs/runbooks"
WIDTH, HEIGHT = 8, 8  # of a panel: three in a row


class Panel(NamedTuple):
    """A chart: what it asks, in which unit, and how its lines are called."""

    title: str
    unit: str
    lines: dict[str, str]  # legend: PromQL


ROWS: dict[str, tuple[Panel, ...]] = {
    "How fast?": (
        Panel("Pages a second", "reqps", {"pages": "sum(rate(skitter_pages_total[5m]))", "wanted": TARGET}),
        Panel(
            "Requests by what they were for",
            "reqps",
            {"{{errand}}": "sum by (errand) (rate(skitter_fetches_total[5m]))"},
        ),
        Panel(
            "Bytes",
            "Bps",
            {"received": "rate(skitter_received_bytes_total[5m])", "WARC": "rate(skitter_warc_bytes_total[5m])"},
        ),
    ),
    "Are we welcome?": (
        Panel(
            "Closest gap over its delay",
            "s",
            {"node {{node}}": "skitter_politeness_margin_seconds"},
        ),
        Panel(
            "Turned away, of all answers",
            "percentunit",
            {
                "429 and 503": 'sum(rate(skitter_responses_total{status=~"429|503"}[5m]))'
                " / sum(rate(skitter_responses_total[5m]))"
            },
        ),
        Panel("Hosts that turn us away", "reqps", {"{{host}}": "skitter_host_turned_away_per_second"}),
    ),
    "What goes wrong?": (
        Panel("Failures by kind", "reqps", {"{{kind}}": "sum by (kind) (rate(skitter_fetch_failures_total[5m]))"}),
        Panel("Answers by status", "reqps", {"{{status}}": "sum by (status) (rate(skitter_responses_total[5m]))"}),
        Panel(
            "Names",
            "reqps",
            {
                "{{source}}": "sum by (source) (rate(skitter_dns_answers_total[5m]))",
                "{{kind}}": "sum by (kind) (rate(skitter_dns_failures_total[5m]))",
            },
        ),
    ),
    "What is left to do?": (
        Panel("URLs by state", "short", {"{{state}}": "sum by (state) (skitter_frontier_urls)"}),
        Panel("Hosts by what they are at", "short", {"{{stage}}": "skitter_hosts"}),
        Panel(
            "New URLs, and links",
            "reqps",
            {"new": "rate(skitter_urls_discovered_total[5m])", "links": "rate(skitter_links_total[5m])"},
        ),
    ),
    "What is it worth?": (
        Panel("Skipped, by reason", "reqps", {"{{reason}}": "sum by (reason) (rate(skitter_urls_skipped_total[5m]))"}),
        Panel("Traps in an hour", "short", {"{{of}}": "sum by (of) (increase(skitter_traps_total[1h]))"}),
        Panel("Captures by kind", "reqps", {"{{kind}}": "sum by (kind) (rate(skitter_captures_total[5m]))"}),
    ),
    "How fresh?": (
        Panel(
            "Copies that are what the page shows",
            "percentunit",
            {"{{class}}": "skitter_freshness_ratio", "measured": "skitter_freshness_measured_ratio"},
        ),
        Panel("Budget left", "percentunit", {"{{class}}": "skitter_freshness_budget_left_ratio"}),
        Panel(
            "Late, and old",
            "s",
            {"most overdue visit": "skitter_recrawl_lag_seconds", "age, {{quantile}}": "skitter_copy_age_seconds"},
        ),
    ),
    "The machines": (
        Panel("Nodes up", "short", {"node {{node}}": "skitter_node_up"}),
        Panel("Under way", "short", {"node {{node}}": "skitter_in_flight"}),
        Panel(
            "Waiting",
            "s",
            {"for a browser": "skitter_render_queue_age_seconds", "sink {{sink}}": "skitter_sink_lag_seconds"},
        ),
    ),
}


def rules() -> str:
    """Returns the file of rules. A text in YAML may be written as in JSON."""
    lines = ["# Made by `make ops` from src/skitter/metrics/alerts.py. The first rule is yours to edit.", "groups:"]
    lines += ["  - name: skitter-target", "    rules:", "      # Pages a second that this crawl should come to."]
    lines += [f"      - record: {TARGET}", "        expr: vector(1)", "  - name: skitter", "    rules:"]
    return "\n".join([*lines, *(line for alert in ALERTS for line in _rule(alert))]) + "\n"


def _rule(alert: Alert) -> Iterator[str]:
    yield f"      - alert: {alert.name}"
    yield f"        expr: {json.dumps(alert.when)}"
    if alert.lasting != "0m":
        yield f"        for: {alert.lasting}"
    yield f"        labels: {{ severity: {alert.severity} }}"
    yield "        annotations:"
    yield f"          summary: {json.dumps(alert.says)}"
    yield f"          runbook: {RUNBOOKS}/{alert.runbook}.md"


def board() -> dict[str, Any]:
    """Returns the dashboard of Grafana."""
    panels: list[dict[str, Any]] = []
    for row, (question, charts) in enumerate(ROWS.items()):
        top = row * (HEIGHT + 1)
        panels.append({"type": "row", "title": question, "collapsed": False, "gridPos": _place(0, top, 24, 1)})
        panels += [_chart(chart, _place(n * WIDTH, top + 1, WIDTH, HEIGHT)) for n, chart in enumerate(charts)]
    return {
        "title": "Skitter",
        "uid": "skitter",
        "schemaVersion": 39,
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "30s",
        "templating": {
            "list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}]
        },
        "panels": [{"id": number, **panel} for number, panel in enumerate(panels, 1)],
    }


def _chart(panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    asked = [
        {"refId": chr(ord("A") + n), "expr": expr, "legendFormat": legend, "datasource": source}
        for n, (legend, expr) in enumerate(panel.lines.items())
    ]
    defaults = {"defaults": {"unit": panel.unit, "min": None if panel.unit == "s" else 0}, "overrides": []}
    return {
        "type": "timeseries",
        "title": panel.title,
        "datasource": source,
        "targets": asked,
        "fieldConfig": defaults,
        "gridPos": place,
    }


def _place(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "w": width, "h": height}


def made() -> dict[str, str]:
    """Returns every file that is made, by its name below `ops/`."""
    return {"alerts.yml": rules(), "grafana/skitter.json": json.dumps(board(), indent=1) + "\n"}


if __name__ == "__main__":
    for name, text in made().items():
        (OPS / name).parent.mkdir(exist_ok=True)
        (OPS / name).write_text(text, encoding="utf-8")
