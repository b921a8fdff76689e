"""The nodes of a run, each in a line; and one that is down counts as not ready to those who look."""

from __future__ import annotations

from pathlib import Path

from skitter.console.health import health
from skitter.console.lately import live_of
from skitter.frontier.statistics import FrontierStatistics
from skitter.node.counters import Counters
from skitter.node.status import NodeStatus
from skitter.shard.seen import SeenStatistics
from skitter.supervisor.lastrun import read_last_run, write_last_run
from skitter.supervisor.nodelines import lines_of
from skitter.supervisor.progress import Progress


def status(node: int, restarts: int = 0) -> NodeStatus:
    seen = SeenStatistics(*(0 for _ in SeenStatistics.__struct_fields__))
    by_shard = {node: {"queued": 7, "done": 1}, node + 2: {"done": 3}}
    frontier = FrontierStatistics({}, 4, {}, None, None, seen, False, by_shard)
    return NodeStatus(node, Counters().counted(), frontier, 5, False, 0, 0, None, 0, [], "no disk", restarts=restarts)


def test_a_line_has_every_shard_that_a_node_owns() -> None:
    first, second = lines_of([status(0), status(1, restarts=2)], {0})
    assert (first.is_up, first.queued, first.in_flight, first.trouble) == (True, {0: 7, 2: 0}, 5, "no disk")
    assert (second.is_up, second.restarts) == (False, 2)


def test_a_node_that_is_down_is_trouble_until_it_reports_again(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    progress = Progress(2, 0.0)
    reports = [status(0), status(1)]
    progress.take(reports)
    for alive, level, ready in (({0}, "ill", 1), ({0, 1}, "ill", 2)):
        write_last_run(tmp_path, progress.snapshot(10.0), lines=lines_of(reports, alive))
        run = read_last_run(tmp_path)
        assert run is not None
        live = live_of(run)
        assert live.ready == ready
        found = health(live, 10.0, is_running=True)
        assert found.level == level  # by what it says of its disk
        assert ("1 of 2 nodes are being started." in found.reasons) is (ready == 1)
