"""Many records for many partitions, from outside a fleet's nodes: sent as they come, and all safe at the end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from skitter.bus.topics import ANSWERS_IN, MAX_BYTES, REMEDY, topic_name
from skitter.errors import MachineError

AHEAD = 64 * 1024**2
"""Bytes that are on their way at a time."""
POLL = 0.1


class Poster:
    """Sends records. For one thread."""

    def __init__(self, client: Mapping[str, Any], fleet: str) -> None:
        self._fleet = fleet
        self._producer = Producer(
            dict(client)
            | {"enable.idempotence": True, "acks": "all", "message.max.bytes": MAX_BYTES, "compression.type": "lz4"}
            | {"log_level": 0}
        )
        self._under_way = self.sent = 0
        self._heard_at = time.monotonic()
        self._failed = ""

    def post(self, topic: str, partition: int, record: bytes) -> None:
        """Puts a record on its way. MachineError if one before it could not be sent."""
        while self._under_way > AHEAD:
            self._hear()
        self._under_way += len(record)

        def heard(error: KafkaError | None, _: Message) -> None:
            self._under_way -= len(record)
            self._heard_at = time.monotonic()
            self.sent += error is None
            self._failed = self._failed or ("" if error is None else error.str())

        self._producer.produce(topic_name(self._fleet, topic), record, partition=partition, on_delivery=heard)
        self._producer.poll(0)
        self._check()

    def wait_safe(self) -> None:
        """Returns when all that was posted is safe. MachineError if it can't be."""
        while len(self._producer):
            self._hear()
        self._check()

    def _hear(self) -> None:
        self._producer.poll(POLL)
        self._check()
        if time.monotonic() - self._heard_at > 2 * ANSWERS_IN and self._under_way:
            raise MachineError("Kafka does not take records (no answer in time)", self._fleet, REMEDY)

    def _check(self) -> None:
        if self._failed:
            raise MachineError(f"Kafka does not take records ({self._failed})", self._fleet, REMEDY)

    def __repr__(self) -> str:
        return f"<Poster to {self._fleet}: {self.sent} sent>"
