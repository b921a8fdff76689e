"""Reports of nodes, added up."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.frontier.statistics import FrontierStatistics
from skitter.messages import State
from skitter.node.counters import Counters
from skitter.node.status import HostLine, NodeStatus
from skitter.shard.seen import SeenStatistics
from skitter.supervisor.progress import Progress


def report(node: int, pages: int, *, queued: int = 0, done: int = 0, **changes: object) -> NodeStatus:
    counted = structs.replace(
        Counters().counted(),
        pages=pages,
        requests=pages,
        received=10 * pages,
        statuses={200: pages},
        failures={"gone": 1},
    )
    states = {state.value: 0 for state in State} | {"queued": queued, "done": done}
    seen = SeenStatistics(0, 0, 0)
    frontier = FrontierStatistics(states, 3, {"rest": 3}, None, None, seen, False)
    hosts = [HostLine(f"h{node}.org", 10 * node + pages, 1.0, "rest")]
    status = NodeStatus(node, counted, frontier, 2, False, 0, 0, None, 0, hosts)
    return structs.replace(status, **changes)


def test_the_sum_of_two_nodes() -> None:
    progress = Progress(2, began=100.0)
    progress.take([report(0, 5, queued=7), report(1, 3, queued=1, done=2)])
    snapshot = progress.snapshot(110.0)
    assert (snapshot.nodes, snapshot.ready, snapshot.seconds) == (2, 2, 10.0)
    assert (snapshot.counted.pages, snapshot.counted.received) == (8, 80)
    assert snapshot.counted.statuses == {200: 8}
    assert snapshot.counted.failures == {"gone": 2}
    assert (snapshot.states["queued"], snapshot.states["done"], snapshot.discovered, snapshot.left) == (8, 2, 10, 8)
    assert (snapshot.in_flight, snapshot.hosts, snapshot.stages) == (4, 6, {"rest": 6})
    assert [host.host for host in snapshot.busiest] == ["h1.org", "h0.org"]


def test_what_a_dead_node_had_counted_is_kept() -> None:
    progress = Progress(2, began=0.0)
    progress.take([report(0, 50), report(1, 5)])
    progress.take([report(1, 6)])  # node 0 is silent: it stands as it last did
    assert progress.snapshot(1.0).counted.pages == 56
    progress.take([report(0, 1), report(1, 6)])
    assert progress.snapshot(2.0).counted.pages == 57
    progress.take([report(0, 4), report(1, 6)])
    assert progress.snapshot(3.0).counted.pages == 60


def test_rates_are_of_the_last_seconds_only() -> None:
    progress = Progress(1, began=0.0)
    for second in range(21):
        progress.take([report(0, min(second, 10), queued=100 - second)])
        snapshot = progress.snapshot(float(second))
    assert snapshot.page_rate == 0.0
    assert snapshot.growth == pytest.approx(-1.0)
    progress.take([report(0, 60, queued=80)])
    assert progress.snapshot(21.0).page_rate == pytest.approx(50 / 10, abs=1.0)


def test_troubles_name_their_node_and_the_next_turn_is_the_earliest() -> None:
    progress = Progress(2, began=0.0)
    late = structs.replace(report(1, 0).frontier, next_at=50.0, next_due=40.0)
    progress.take([report(0, 0, trouble="the disk is full"), report(1, 0, frontier=late)])
    snapshot = progress.snapshot(1.0)
    assert snapshot.troubles == ["node 0: the disk is full"]
    assert snapshot.next_at == 40.0
