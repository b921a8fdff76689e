"""A domain outgrows its shard: its hosts are dealt out over three while its fleet crawls and nodes are killed.

Nothing is lost, no page is in two shards, and no host is asked too soon, by the server's own log. The simulator does it
at every step (`tests/sim/test_fleet.py`); this is the same with real processes.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from skitter.simweb.settings import WorldSettings
from skitter.url.keys import host_of
from tests.faults.crawler import served
from tests.faults.verdict import repeated
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import DELAY, Logs, judge_log, missed
from tests.fleet.test_splitting import routes_of
from tests.servers.kafka import Broker

DOMAIN = "sim.test"
SHARDS = 3
_names = count()


@pytest.mark.slow
def test_a_domain_is_spread_over_shards_while_nodes_are_killed(broker: Broker, tmp_path: Path) -> None:
    name = f"spreading{next(_names)}"
    settings = WorldSettings(seed=5, hosts=14, pages_per_host=10)
    with (
        served(tmp_path, settings) as web,
        contextlib.closing(Fleet(tmp_path, broker.bootstrap, name, SHARDS)) as fleet,
    ):
        web.seeds = web.world.homes()
        fleet.init(web, DELAY, "--set", "scope.suffixes=")  # so that all hosts are one domain
        fleet.start("a", "b")
        wait_for(lambda: len(web.requests()) > 30, 40, fleet.logs)
        before = routes_of(broker, name)
        assert len({before.shard_of(host_of(site)) for site in web.seeds}) == 1
        fleet.run("spread", DOMAIN, "--over", "0,1,2,0,1,2", "--wait", "0")
        fleet.kill("a")
        fleet.start("a")
        wait_for(lambda: _gone(broker, name) == 4, 60, fleet.logs)
        fleet.kill("b")
        fleet.start("b")
        wait_for(lambda: not missed(web), 90, fleet.logs)
        for node in "ab":
            assert fleet.leave(node) == 0, fleet.logs()
        judge_log(web)
        _judge_shards(broker, fleet)
        # Two kills: of each host at most one page for each.
        again = Counter(host_of(request.url) for request in repeated(web.requests()))
        assert all(times <= 2 for times in again.values()), again
        assert "is in 6 parts already" in fleet.run("spread", DOMAIN, "--over", "0,1", expected=2).stderr
        assert (
            "is a host of the domain sim.test" in fleet.run("spread", "a.sim.test", "--over", "0,1", expected=2).stderr
        )
        assert "must be numbers" in fleet.run("spread", "b.test", "--over", "0,x", expected=2).stderr


def _gone(broker: Broker, name: str) -> int:
    """How many parts of the domain have left its home."""
    routes = routes_of(broker, name)
    home = routes.shard_in(routes.slot_of(DOMAIN))
    return sum(routes.shard_of(part) != home for part in routes.names_of(DOMAIN))


def _judge_shards(broker: Broker, fleet: Fleet) -> None:
    logs, routes = Logs(broker.bootstrap, fleet.name, SHARDS), routes_of(broker, fleet.name)
    assert len({url.href for url in logs.urls}) == len(logs.urls)
    shards = {url.href: shard for shard, some in logs.by_shard.items() for url in some}
    assert {href: shard for href, shard in shards.items() if routes.shard_of(host_of(href)) != shard} == {}
    assert all(logs.by_shard[shard] for shard in range(SHARDS)), "each has some of the hosts"
