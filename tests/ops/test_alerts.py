"""Each alert fires when what it is about goes wrong, and no other does beside it; while all is well, none fires.

promtool plays half a day of a healthy crawl, then of one with a fault, against the rules that are shipped.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from ops.make import OPS, made

from skitter.metrics.alerts import ALERTS
from skitter.metrics.table import COMPLAINTS, GAUGES, SINKS, SPREADS, TOTALS
from tests.servers.promtool import promtool

ROOT = Path(__file__).parents[2]
METRICS = {COMPLAINTS[0], *(row.name for row in (*TOTALS, *SPREADS, *GAUGES, *SINKS))}
NAMES = [alert.name for alert in ALERTS]
SHORT, LONG = 150, 28 * 60
"""Minutes that are played: long where a day is compared with the one before."""

# A crawl that is well, a sample a minute: `+60` is one a second.
WELL = {
    "skitter_pages_total": "0+120x{n}",
    'skitter_responses_total{status="200"}': "0+120x{n}",
    'skitter_responses_total{status="429"}': "0+1x{n}",
    'skitter_responses_total{status="503"}': "0+1x{n}",
    'skitter_fetches_total{errand="page",outcome="ok"}': "0+120x{n}",
    'skitter_fetches_total{errand="page",outcome="no_connection"}': "0+2x{n}",
    'skitter_robots_read_total{result="rules"}': "0+20x{n}",
    'skitter_robots_read_total{result="failed"}': "0+0x{n}",
    'skitter_urls_skipped_total{reason="robots_disallow"}': "0+10x{n}",
    'skitter_frontier_urls{node="0",shard="0",state="queued"}': "1000+0x{n}",
    'skitter_frontier_urls{node="0",shard="0",state="leased"}': "10+0x{n}",
    'skitter_captures_total{kind="response"}': "0+90x{n}",
    'skitter_captures_total{kind="revisit"}': "0+30x{n}",
    'skitter_traps_total{of="shape"}': "0+0x{n}",
    'skitter_seen_checks_total{layer="filter"}': "0+500x{n}",
    'skitter_seen_checks_total{layer="false_positive"}': "0+10x{n}",
    'skitter_dns_answers_total{source="cache"}': "0+120x{n}",
    'skitter_dns_answers_total{source="server"}': "0+3x{n}",
    'skitter_dns_failures_total{kind="stale"}': "0+0x{n}",
    'skitter_leases_total{errand="page"}': "0+120x{n}",
    "skitter_leases_expired_total": "0+0x{n}",
    "skitter_recrawl_lag_seconds": "60+0x{n}",
    'skitter_freshness_budget_left_ratio{class="news"}': "0.8+0x{n}",
    "skitter_render_queue_age_seconds": "10+0x{n}",
    'skitter_sink_up{sink="pg"}': "1+0x{n}",
    'skitter_sink_lag_seconds{sink="pg"}': "5+0x{n}",
    'skitter_bucket_waiting_bytes{node="0"}': "1000+0x{n}",
    'skitter_plugin_calls_total{plugin="p",result="ok"}': "0+120x{n}",
    'skitter_plugin_calls_total{plugin="p",result="error"}': "0+0x{n}",
    'skitter_node_up{node="0"}': "1+0x{n}",
    'skitter_node_restarts_total{node="0"}': "0+0x{n}",
    'skitter_node_trouble{node="0"}': "0+0x{n}",
    'skitter_politeness_margin_seconds{node="0"}': "0.002+0x{n}",
    'skitter_host_turned_away_per_second{host="a.example"}': "0.001+0x{n}",
    "skitter_webmaster_complaints_total": "0+0x{n}",
}
NEW = 60
"""For how many minutes a fault has been there that is told by its being new."""

# What goes wrong, by the alert that it must raise.
FAULTS = {
    "SkitterPolitenessViolated": {'skitter_politeness_margin_seconds{node="0"}': "-0.2+0x{n}"},
    "SkitterComplaint": {"skitter_webmaster_complaints_total": "0+0x{late} 1+0x60"},
    "SkitterTurnedAway": {'skitter_responses_total{status="429"}': "0+20x{n}"},
    "SkitterHostTurnsUsAway": {'skitter_host_turned_away_per_second{host="a.example"}': "0.1+0x{n}"},
    "SkitterTooSlow": {"skitter_pages_total": "0+20x{n}"},
    "SkitterNodeDown": {'skitter_node_up{node="0"}': "0+0x{n}"},
    "SkitterStandsStill": {'skitter_node_trouble{node="0"}': "1+0x{n}"},
    "SkitterNameServersAway": {'skitter_dns_failures_total{kind="stale"}': "0+5x{n}"},
    "SkitterNobodyReached": {'skitter_fetches_total{errand="page",outcome="no_connection"}': "0+200x{n}"},
    "SkitterRobotsUnreadable": {'skitter_robots_read_total{result="failed"}': "0+5x{n}"},
    "SkitterShutOut": {'skitter_urls_skipped_total{reason="robots_disallow"}': "0+10x{late} 16200+80x60"},
    "SkitterFrontierEmpty": {
        'skitter_frontier_urls{node="0",shard="0",state="queued"}': "0+0x{n}",
        'skitter_frontier_urls{node="0",shard="0",state="leased"}': "0+0x{n}",
    },
    "SkitterManyDuplicates": {'skitter_captures_total{kind="revisit"}': "0+200x{n}"},
    "SkitterTrapSpike": {'skitter_traps_total{of="shape"}': "0+0x{late} 1+1x60"},
    "SkitterFilterWearsOut": {'skitter_seen_checks_total{layer="false_positive"}': "0+200x{n}"},
    "SkitterNamesNotKept": {'skitter_dns_answers_total{source="server"}': "0+60x{n}"},
    "SkitterLeasesEnd": {"skitter_leases_expired_total": "0+5x{n}"},
    "SkitterRecrawlLate": {"skitter_recrawl_lag_seconds": "7200+0x{n}"},
    "SkitterNotFresh": {'skitter_freshness_budget_left_ratio{class="news"}': "-0.5+0x{n}"},
    "SkitterRenderQueueOld": {"skitter_render_queue_age_seconds": "7200+0x{n}"},
    "SkitterSinkBehind": {'skitter_sink_lag_seconds{sink="pg"}': "900+0x{n}"},
    "SkitterBucketBehind": {'skitter_bucket_waiting_bytes{node="0"}': "3000000000+0x{n}"},
    "SkitterPluginFails": {'skitter_plugin_calls_total{plugin="p",result="error"}': "0+60x{n}"},
}


DAILY = ("SkitterShutOut", "SkitterTrapSpike")


def played(faults: dict[str, str], fires: str | None, minutes: int) -> dict[str, object]:
    """Returns a test of promtool: these faults on top of a crawl that is well, and which one alert is to fire."""
    series = {**WELL, **faults}
    values = [{"series": name, "values": told.format(n=minutes, late=minutes - NEW)} for name, told in series.items()]
    asked = [
        {
            "eval_time": f"{minutes}m",
            "expr": f'count(ALERTS{{alertstate="firing",alertname="{name}"}}) or vector(0)',
            "exp_samples": [{"labels": "{}", "value": int(name == fires)}],
        }
        for name in NAMES
    ]
    return {"name": fires or "well", "interval": "1m", "input_series": values, "promql_expr_test": asked}


@pytest.mark.parametrize("name", made())
def test_what_is_shipped_is_what_the_code_says(name: str) -> None:
    assert (OPS / name).read_text(encoding="utf-8") == made()[name], "run `make ops`"


def test_the_rules_are_rules() -> None:
    done = subprocess.run(
        [promtool(), "check", "rules", str(OPS / "alerts.yml")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_fault() -> None:
    assert list(FAULTS) == NAMES


@pytest.mark.slow
def test_every_alert_fires_with_its_fault_and_no_other_beside_it(tmp_path: Path) -> None:
    tests = [played({}, None, LONG), *(played(FAULTS[name], name, LONG if name in DAILY else SHORT) for name in NAMES)]
    whole = {"rule_files": [str(OPS / "alerts.yml")], "evaluation_interval": "5m", "tests": tests}
    (tmp_path / "tests.yml").write_text(json.dumps(whole), encoding="utf-8")  # which is YAML too
    done = subprocess.run(
        [promtool(), "test", "rules", str(tmp_path / "tests.yml")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


@pytest.mark.parametrize("text", [alert.when for alert in ALERTS] + [made()["grafana/skitter.json"]])
def test_every_metric_that_is_asked_for_exists(text: str) -> None:
    asked = {
        name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count")
        for name in re.findall(r"skitter_\w+", text)
    }
    assert asked
    assert asked <= METRICS


def test_every_alert_has_its_runbook_and_every_runbook_its_alert() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "runbooks").glob("*.md")} - {"README"}
    assert pages == {alert.runbook for alert in ALERTS}
