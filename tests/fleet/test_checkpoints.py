"""Checkpoints of a fleet's shards: taken while it crawls, logs trimmed behind them, and a node with nothing goes on."""

from __future__ import annotations

import contextlib
from itertools import count
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from skitter.ports import LOG
from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import served
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import DELAY, judge_log, missed
from tests.servers.kafka import Broker
from tests.servers.s3 import S3Server

_names = count()


def begins(bootstrap: str, fleet: str, shards: int) -> list[int]:
    """Returns where the logs of a fleet begin."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "looks"})
    with contextlib.closing(consumer):
        places = [TopicPartition(f"{fleet}.{LOG}", shard) for shard in range(shards)]
        return [consumer.get_watermark_offsets(place, timeout=30)[0] for place in places]


@pytest.mark.slow
def test_a_node_with_nothing_goes_on_from_checkpoints_where_logs_were_trimmed(
    broker: Broker, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"checkpoints{next(_names)}"
    for key, value in s3.environment.items():
        monkeypatch.setenv(key, value)
    settings = WorldSettings(seed=5, hosts=20, pages_per_host=20)
    with served(tmp_path, settings) as web, contextlib.closing(Fleet(tmp_path, broker.bootstrap, name, 2)) as fleet:
        web.seeds = web.world.homes()
        fleet.add(f'checkpoints = "s3://{s3.bucket}/{name}"\ncheckpoint_seconds = 1')
        fleet.init(web, DELAY)
        fleet.start("a")
        wait_for(lambda: all(begins(broker.bootstrap, name, 2)), 60, fleet.logs)
        fleet.kill("a", disk=True)
        fleet.start("b")
        wait_for(lambda: not missed(web), 90, fleet.logs)
        assert fleet.leave("b") == 0, fleet.logs()
        judge_log(web)
