"""A shard is split while its fleet crawls, and a domain is moved; nodes are killed in the middle of it.

Nothing is lost, no page is in two shards, and no host is asked too soon, by the server's own log. The simulator kills
at every step of it (`tests/sim/test_fleet.py`); this is the same with real processes.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from skitter.bus.table import Table
from skitter.bus.topics import CRAWL
from skitter.fleet.facts import routes_in
from skitter.simweb.settings import WorldSettings
from skitter.url.keys import host_of, name_of
from skitter.url.routes import Routes
from tests.faults.crawler import Web, served
from tests.faults.verdict import repeated
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import DELAY, Logs, judge_log, missed
from tests.servers.kafka import Broker

_names = count()


def routes_of(broker: Broker, name: str) -> Routes:
    """Where the fleet's nodes say that slots are."""
    with contextlib.closing(Table({"bootstrap.servers": broker.bootstrap}, name, CRAWL)) as table:
        table.refresh()
        return routes_in(table)


@pytest.mark.slow
def test_a_shard_is_split_and_a_domain_moved_while_nodes_are_killed(broker: Broker, tmp_path: Path) -> None:
    name = f"splitting{next(_names)}"
    settings = WorldSettings(seed=5, hosts=20, pages_per_host=16)
    with served(tmp_path, settings) as web, contextlib.closing(Fleet(tmp_path, broker.bootstrap, name, 2)) as fleet:
        web.seeds = web.world.homes()
        fleet.init(web, DELAY)
        fleet.start("a", "b")
        wait_for(lambda: len(web.requests()) > 30, 40, fleet.logs)
        said = fleet.run("split", "0", "--wait", "0").stdout
        assert "made shard 2" in said
        time.sleep(0.3)
        fleet.kill("a")
        fleet.start("a")
        wait_for(lambda: 2 in routes_of(broker, name).table, 60, fleet.logs)
        here = {host for site in web.seeds if routes_of(broker, name).shard_of(host := host_of(site)) == 2}
        assert here, "half of the hosts have gone there"
        domain = name_of(f"http://{min(here)}/")
        fleet.run("move", domain, "--to", "1", "--wait", "0")
        fleet.kill("b")
        fleet.start("b")
        wait_for(lambda: routes_of(broker, name).shard_of(domain) == 1, 60, fleet.logs)
        wait_for(lambda: not missed(web), 90, fleet.logs)
        for node in "ab":
            assert fleet.leave(node) == 0, fleet.logs()
        _judge(broker, fleet, web)
        assert "must be one of this fleet's shards, 0 to 2" in fleet.run("split", "7", expected=2).stderr


def _judge(broker: Broker, fleet: Fleet, web: Web) -> None:
    judge_log(web)
    logs = Logs(broker.bootstrap, fleet.name, 3)
    assert len({url.href for url in logs.urls}) == len(logs.urls)
    routes = routes_of(broker, fleet.name)
    shards = {url.href: shard for shard, some in logs.by_shard.items() for url in some}
    assert {href: shard for href, shard in shards.items() if routes.shard_of(host_of(href)) != shard} == {}
    assert all(logs.by_shard[shard] for shard in range(3))
    # Two kills: of each host at most one page for each.
    again = Counter(host_of(request.url) for request in repeated(web.requests()))
    assert all(times <= 2 for times in again.values()), again
