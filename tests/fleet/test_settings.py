"""Settings that the operator gives a fleet while its nodes run."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import served
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker


@pytest.mark.slow
def test_nodes_take_what_can_be_taken_of_other_settings_and_say_what_was_not(tmp_path: Path, broker: Broker) -> None:
    with (
        served(tmp_path, WorldSettings(seed=9, hosts=4, pages_per_host=4), "plain") as web,
        contextlib.closing(Fleet(tmp_path, broker.bootstrap, "settings", 2)) as fleet,
    ):
        web.seeds = web.world.homes()
        fleet.init(web, 500.0)  # of each host, little more than its robots.txt is asked for
        fleet.start("a")
        wait_for(lambda: web.requests() and fleet.held("a") == 2, 60, fleet.logs)
        fleet.init(web, 0.2, "--set", "fetch.connect_timeout=3")
        wait_for(lambda: "settings: politeness.delay is 0.2 now, it was 500.0" in fleet.logs(), 60, fleet.logs)
        assert "settings: fetch.connect_timeout = 3.0 is not taken while the crawl runs" in fleet.logs()
        wait_for(lambda: len(web.requests()) > 12, 60, fleet.logs)  # three of each host: by the old delay, much later
        kept = (fleet.directory("a") / "skitter.toml").read_text(encoding="utf-8")
        assert "delay = 0.2" in kept
        assert "connect_timeout = 3" not in kept
        assert fleet.leave("a") == 0, fleet.logs()
