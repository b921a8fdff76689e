"""The servers that tests start: they are real, and keep what they were given past a power cut."""

from __future__ import annotations

import obstore
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from skitter.servers.child import free_ports
from tests.servers.kafka import Broker
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.slow


def test_free_ports_are_different() -> None:
    assert len(set(free_ports(50))) == 50


def test_a_record_that_the_broker_acknowledged_is_there_after_its_death(broker: Broker) -> None:
    client = {"bootstrap.servers": broker.bootstrap}
    admin = AdminClient(client)
    admin.create_topics([NewTopic("kept", num_partitions=2, replication_factor=1)])["kept"].result(30)
    producer = Producer({**client, "acks": "all"})
    producer.produce("kept", b"kept", partition=1)
    assert producer.flush(30) == 0
    broker.kill()
    broker.start()
    reader = Consumer({**client, "group.id": "reader", "auto.offset.reset": "earliest"})
    reader.assign([TopicPartition("kept", 1, 0)])
    message = reader.poll(30)
    reader.close()
    assert message is not None
    assert message.value() == b"kept"


def test_an_object_that_the_s3_server_took_is_there_after_its_death(s3: S3Server) -> None:
    obstore.put(s3.store(), "kept", b"kept")
    s3.kill()
    s3.start()
    assert bytes(obstore.get(s3.store(), "kept").bytes()) == b"kept"
