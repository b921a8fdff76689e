"""A real broker: every row is there, also after it hung in the middle."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from skitter.errors import SinkError
from skitter.sinks.feed import Feed
from skitter.sinks.kafka import KafkaSink
from skitter.sinks.kept import Bookmarks
from skitter.sinks.source import ArchiveSource
from tests.servers.kafka import Broker
from tests.sinks.archives import Archive

pytestmark = pytest.mark.slow


def servers(broker: Broker) -> str:
    return f"127.0.0.1:{broker.port}"


def made(broker: Broker, topic: str) -> str:
    admin = AdminClient({"bootstrap.servers": servers(broker)})
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    return topic


def records(broker: Broker, topic: str) -> list[tuple[bytes, bytes]]:
    """Returns key and value of all that is in a topic."""
    consumer = Consumer({"bootstrap.servers": servers(broker), "group.id": "test", "enable.auto.commit": False})
    partition = TopicPartition(topic, 0, 0)
    _, end = consumer.get_watermark_offsets(partition, timeout=30)
    consumer.assign([partition])
    found: list[tuple[bytes, bytes]] = []
    until = time.monotonic() + 60
    while len(found) < end and time.monotonic() < until:
        found += [(m.key() or b"", m.value() or b"") for m in consumer.consume(1000, 1.0) if m.error() is None]
    consumer.close()
    return found


def feed_of(archive: Archive, sink: KafkaSink) -> Feed:
    source = lambda bookmark: ArchiveSource(archive.directory, bookmark, sink.tables)  # noqa: E731
    return Feed("kafka", sink, source, Bookmarks(archive.directory, "kafka"), time.time)


def fed(feeding: Feed) -> None:
    while feeding.step():
        pass


def test_rows_equal_captures_though_the_broker_hangs(tmp_path: Path, broker: Broker) -> None:
    archive, topic = Archive(tmp_path / "crawl"), made(broker, "sink-rows")
    archive.add(700)
    sink = KafkaSink({"bootstrap.servers": servers(broker)}, topic, "kafka", ["captures", "failures"], timeout=2.0)
    feeding = feed_of(archive, sink)
    assert feeding.step()
    broker.pause()
    try:
        archive.add(300)
        with pytest.raises(SinkError) as caught:
            fed(feeding)
        assert caught.value.kind == "away"
        feeding.failed(caught.value)
    finally:
        broker.go_on()
    failures = 0
    while True:
        try:
            if not feeding.step():
                break
        except SinkError as error:
            failures += 1
            assert failures < 30, error
            feeding.failed(error)
    feeding.close()
    found = records(broker, topic)
    assert len({key for key, _ in found}) == archive.captures
    rows = [json.loads(value) for _, value in found]
    assert {row["table"] for row in rows} == {"captures", "failures"}
    assert all(json.loads(key)[1] == row["url"] for (key, _), row in zip(found, rows, strict=True))


def test_a_topic_that_is_not_there_is_said(broker: Broker, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "crawl")
    archive.add(1)
    client = {"bootstrap.servers": servers(broker), "allow.auto.create.topics": False}
    feeding = feed_of(archive, KafkaSink(client, "no-such-topic-here", "kafka", ["captures", "failures"], timeout=3.0))
    with pytest.raises(SinkError, match="Kafka"):
        feeding.step()
    feeding.close()


def test_a_setting_that_its_client_does_not_know_is_said() -> None:
    with pytest.raises(SinkError, match="takes no such setting"):
        KafkaSink({"bootstrap.servers": "a:1", "nonsense": "1"}, "t", "kafka", ["captures"]).open()
