"""What an operator, a clock, a broker or a bucket may get wrong: said in words, and nothing is lost."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import Web, served
from tests.fleet.archived import answered, indexed
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker
from tests.servers.proxy import proxied
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.slow
HOSTS, PAGES, DELAY = 8, 12, 0.3
SHIFTED = "import time\nreal = time.time\ntime.time = lambda: real() + {seconds}\n"
_names = count()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with served(tmp_path, WorldSettings(seed=9, hosts=HOSTS, pages_per_host=PAGES), "plain") as web:
        web.seeds = web.world.homes()
        yield web


@pytest.fixture
def fleet(tmp_path: Path, broker: Broker) -> Iterator[Fleet]:
    with contextlib.closing(Fleet(tmp_path, broker.bootstrap, f"mistakes{next(_names)}", 2)) as fleet:
        yield fleet


def ended(fleet: Fleet, name: str) -> tuple[int, str]:
    """Returns how a node ended by itself, and what it said."""
    return fleet.nodes[name].wait(90), (fleet.folder / f"{name}.log").read_text()


def settings_of(bootstrap: str, topic: str, **settings: str) -> None:
    """Changes settings of a topic."""
    entries = [
        ConfigEntry(name.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
        for name, value in settings.items()
    ]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)
    for changed in admin.incremental_alter_configs([resource]).values():
        changed.result(30)


def test_a_node_that_is_drained_leaves_and_may_come_back(fleet: Fleet, web: Web) -> None:
    fleet.init(web, DELAY)
    fleet.start("a", "b")
    wait_for(lambda: fleet.held("a") and fleet.held("b"), 60, fleet.logs)
    assert fleet.run("drain", "a").stdout == "told a to leave\n"
    assert ended(fleet, "a")[0] == 0
    wait_for(lambda: fleet.held("b") == 2, 60, fleet.logs)
    assert [node["name"] for node in fleet.standing()["nodes"]] == ["b"]
    fleet.start("a")
    wait_for(lambda: fleet.held("a"), 60, fleet.logs)
    wait_for(lambda: len(answered(web.requests())) >= HOSTS * PAGES, 60, fleet.logs)
    assert answered(web.requests()).total() == len(answered(web.requests())), "nothing was fetched twice"


@pytest.mark.parametrize(("seconds", "words"), [(7200, "s ahead of the brokers'"), (-7200, "s behind the brokers'")])
def test_a_clock_that_is_two_hours_off_is_refused(
    fleet: Fleet, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, words: str
) -> None:
    fleet.init(web, DELAY)
    (tmp_path / "shifted").mkdir()
    (tmp_path / "shifted" / "sitecustomize.py").write_text(SHIFTED.format(seconds=seconds), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "shifted"), os.environ.get("PYTHONPATH", "")]))
        fleet.start("a")
    code, said = ended(fleet, "a")
    assert code == 2, said
    assert words in said
    assert "must be within 60 s of theirs" in said
    assert not web.requests()


def test_a_bucket_with_another_crawl_is_refused(
    fleet: Fleet, web: Web, broker: Broker, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in s3.environment.items():
        monkeypatch.setenv(key, value)
    address = f"s3://{s3.bucket}/{fleet.name}"
    fleet.init(web, DELAY, "--set", f"bucket.address={address}")
    fleet.start("a")
    wait_for(lambda: fleet.held("a"), 60, fleet.logs)
    (tmp_path / "other").mkdir()
    with contextlib.closing(Fleet(tmp_path / "other", broker.bootstrap, f"{fleet.name}-other", 2)) as other:
        other.init(web, DELAY, "--set", f"bucket.address={address}")
        other.start("b")
        code, said = ended(other, "b")
    assert code == 2, said
    assert f"bucket.address = '{address}': holds another crawl" in said


def test_a_log_that_takes_no_large_records_ends_a_node_in_words(fleet: Fleet, web: Web, broker: Broker) -> None:
    fleet.init(web, DELAY)
    settings_of(broker.bootstrap, f"{fleet.name}.log", max_message_bytes="300")
    fleet.start("a")
    code, said = ended(fleet, "a")
    assert code == 2, "it looks before it begins"
    assert f"max.message.bytes of topic {fleet.name}.log = '300': must be 67108864" in said
    settings_of(broker.bootstrap, f"{fleet.name}.log", max_message_bytes="67108864")
    fleet.start("a")
    wait_for(lambda: web.requests(), 60, fleet.logs)
    settings_of(broker.bootstrap, f"{fleet.name}.log", max_message_bytes="300")
    code, said = ended(fleet, "a")
    assert code == 4, said
    assert "as too large: " in said
    settings_of(broker.bootstrap, f"{fleet.name}.log", max_message_bytes="67108864")
    fleet.start("a")
    wait_for(lambda: len(answered(web.requests())) >= HOSTS * PAGES, 60, fleet.logs)


def test_a_broker_that_is_away_and_a_bucket_that_says_slow_down_cost_time_alone(
    fleet: Fleet, web: Web, broker: Broker, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxied(s3.port) as proxy:
        for key, value in (s3.environment | {"AWS_ENDPOINT_URL": proxy.endpoint}).items():
            monkeypatch.setenv(key, value)
        address = f"s3://{s3.bucket}/{fleet.name}"
        pairs = (f"bucket.address={address}", "bucket.roll_seconds=1", "bucket.buffer_seconds=3")
        fleet.init(web, DELAY, *(text for pair in pairs for text in ("--set", pair)))
        fleet.start("a")
        wait_for(lambda: len(web.requests()) > 2 * HOSTS, 60, fleet.logs)
        proxy.fault = 503
        broker.pause()
        wait_for(lambda: "Kafka does not answer: nothing is fetched until it does" in fleet.logs(), 60, fleet.logs)
        broker.go_on()
        wait_for(lambda: "it asks us to slow down" in fleet.logs(), 120, fleet.logs)
        proxy.fault = 500
        wait_for(lambda: "it has an error of its own" in fleet.logs(), 120, fleet.logs)
        proxy.fault = 0
        wait_for(lambda: "Kafka answers again" in fleet.logs(), 60, fleet.logs)
        wait_for(lambda: len(answered(web.requests())) >= HOSTS * PAGES, 120, fleet.logs)
        wait_for(lambda: set(answered(web.requests())) <= indexed(address), 60, fleet.logs)
        assert fleet.leave("a") == 0, fleet.logs()
