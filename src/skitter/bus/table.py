"""A topic of which the newest value of each key counts: small facts that all nodes of a fleet must know."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from skitter.bus.heard import Heard
from skitter.bus.topics import ANSWERS_IN, MAX_BYTES, REMEDY, topic_name
from skitter.errors import MachineError


class Table:
    """A table in Kafka, read by polling. For one thread at a time."""

    def __init__(self, client: Mapping[str, Any], fleet: str, topic: str) -> None:
        self._heard = Heard()
        self._topic = topic_name(fleet, topic)
        self._consumer = Consumer(
            self._heard.settings(client)
            | {
                "group.id": f"{fleet}.tables",  # never joined
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.message.max.bytes": MAX_BYTES,
            }
        )
        self._partition = TopicPartition(self._topic, 0, 0)
        self._consumer.assign([self._partition])
        self._next = 0
        self.rows: dict[str, bytes] = {}

    def close(self) -> None:
        """Lets go of it."""
        self._consumer.close()

    def refresh(self) -> dict[str, bytes]:
        """Reads up to what was written before this call, and returns the rows."""
        end = self._end()
        while self._next < end:
            for message in self._consumer.consume(500, 1.0):
                if message.error() is None:
                    self._take((message.key() or b"").decode(), message.value(), message.offset() or 0)
            # The last records may be gone, compacted into later ones: where we are is what counts.
            at = self._consumer.position([self._partition])[0].offset
            self._next = max(self._next, at)
        return self.rows

    def _end(self) -> int:
        until = time.monotonic() + ANSWERS_IN
        while True:
            try:
                _, end = self._consumer.get_watermark_offsets(self._partition, timeout=ANSWERS_IN)
            except KafkaException as error:
                # A topic that was made this moment has no leader yet, and one whose broker died has none for a moment.
                if time.monotonic() > until:
                    self._consumer.poll(0)  # which has us hear of it
                    why = f"Kafka does not answer ({self._heard.why(error)})"
                    raise MachineError(why, self._topic, REMEDY) from None
                time.sleep(0.2)
            else:
                return int(end)

    def _take(self, key: str, value: bytes | None, offset: int) -> None:
        self._next = offset + 1
        if value is None:
            self.rows.pop(key, None)
        else:
            self.rows[key] = value


def put(client: Mapping[str, Any], fleet: str, topic: str, rows: Mapping[str, bytes | None]) -> None:
    """Returns when the rows are safe; None removes one. MachineError if they can't be written."""
    post(client, fleet, [(topic, 0, key.encode(), value) for key, value in rows.items()])


def post(client: Mapping[str, Any], fleet: str, records: list[tuple[str, int, bytes | None, bytes | None]]) -> None:
    """Returns when records are safe, each with its topic, partition, key and value. MachineError if they can't be."""
    failed: list[str] = []
    producer = Producer(
        dict(client) | {"enable.idempotence": True, "acks": "all", "message.max.bytes": MAX_BYTES, "log_level": 0}
    )
    for topic, partition, key, value in records:
        producer.produce(
            topic_name(fleet, topic),
            value,
            key,
            partition=partition,
            on_delivery=lambda error, _: failed.append(error.str()) if error is not None else None,
        )
        producer.poll(0)
    if producer.flush(ANSWERS_IN) or failed:
        what = failed[0] if failed else "no answer in time"
        raise MachineError(f"Kafka does not take records ({what})", fleet, REMEDY)


def brokers_time(client: Mapping[str, Any], fleet: str, topic: str, key: str) -> float:
    """Returns the time of the broker, in seconds of the epoch, by a row that is removed. MachineError if none answers.

    The topic's records must have the time of the broker.
    """
    heard: list[float] = []
    producer = Producer(dict(client) | {"log_level": 0})
    producer.produce(
        topic_name(fleet, topic),
        None,
        key.encode(),
        partition=0,
        on_delivery=lambda error, message: heard.append(message.timestamp()[1] / 1000) if error is None else None,
    )
    if producer.flush(ANSWERS_IN) or not heard:
        raise MachineError("Kafka does not take records (no answer in time)", fleet, REMEDY)
    return heard[0]
