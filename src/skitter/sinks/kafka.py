"""A Kafka topic: each row a record, its key that of the row, so that a topic which is compacted has each row once.

A record is there when all in-sync replicas have it. After a kill or a failure some come again: at least once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from skitter.errors import SinkError
from skitter.ports import Rows
from skitter.sinks.objects import key_of, objects

TIMEOUT = 30.0
"""Seconds after which a record that was not acknowledged counts as lost."""
WAITS = "It is tried again by itself, and nothing is lost: the rows are in the archive."
OTHERS = "See what it says, and mend it there: it then goes on by itself."
REFUSALS = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError._AUTHENTICATION,
        KafkaError._SSL,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError.INVALID_RECORD,
    }
)
TOO_LARGE = KafkaError.MSG_SIZE_TOO_LARGE
LARGEST = 16 * 1024**2

Headers: TypeAlias = list[tuple[str, str | bytes | None]]


class KafkaSink:
    """One topic. `client` are settings for its library: servers, TLS, passwords. See `ports.Sink`."""

    def __init__(
        self, client: Mapping[str, Any], topic: str, where: str, tables: Collection[str], timeout: float = TIMEOUT
    ) -> None:
        self.tables = tables
        self._client = dict(client)
        self._topic = topic
        self._where = where
        self._timeout = timeout
        self._producer: Producer | None = None
        self._failed: KafkaError | None = None
        self._said = ""  # by the library, of its connections

    def open(self) -> bytes | None:
        """See `ports.Sink`."""
        self._failed, self._said = None, ""
        try:
            self._producer = Producer(
                {
                    "linger.ms": 20,
                    "compression.type": "lz4",
                    "partitioner": "murmur2_random",  # by key, as clients in other languages do it
                    "message.max.bytes": LARGEST,
                    "queue.buffering.max.kbytes": 64 * 1024,
                }
                | self._client
                | {
                    "enable.idempotence": True,
                    "acks": "all",
                    "message.timeout.ms": int(1000 * self._timeout),
                    "log_level": 0,
                    "error_cb": self._note,
                }
            )
        except (KafkaException, TypeError, ValueError) as error:
            told = error.args[0].str() if isinstance(error, KafkaException) else str(error)
            raise SinkError("refused", f"Kafka's client takes no such setting ({told})", self._where, OTHERS) from error
        return None

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`."""
        producer = self._producer
        assert producer is not None, "open it first"
        headers: Headers = [("table", rows.table.encode())]
        for row, value in zip(rows.rows, objects(rows), strict=True):
            self._produce(producer, key_of(rows, row), value, headers)

    def commit(self, bookmark: bytes) -> None:  # noqa: ARG002
        """See `ports.Sink`."""
        assert self._producer is not None, "open it first"
        left = self._producer.flush(self._timeout + 1)
        if self._failed is not None:
            raise self._trouble(self._failed)
        if left:
            raise SinkError("away", f"Kafka does not answer {self._said}".strip(), self._where, WAITS)

    def close(self) -> None:
        """See `ports.Sink`."""
        producer, self._producer = self._producer, None
        if producer is not None:
            with contextlib.suppress(KafkaException):
                producer.purge()
            producer.flush(0)

    def _produce(self, producer: Producer, key: bytes, value: bytes, headers: Headers) -> None:
        while True:
            try:
                producer.produce(self._topic, value, key, headers=headers, on_delivery=self._delivered)
            except BufferError:  # as much is under way as may be: until some is there, or has failed
                producer.poll(1.0)
                if self._failed is not None:
                    raise self._trouble(self._failed) from None
            except KafkaException as error:
                raise self._trouble(error.args[0]) from error
            else:
                producer.poll(0)
                return

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None and self._failed is None:
            self._failed = error

    def _note(self, error: KafkaError) -> None:
        self._said = f"({error.str()})"
        if error.code() in REFUSALS and self._failed is None:
            self._failed = error

    def _trouble(self, error: KafkaError) -> SinkError:
        if error.code() in REFUSALS or error.code() == TOO_LARGE:
            return SinkError("refused", f"Kafka refuses rows ({error.str()})", self._where, OTHERS)
        return SinkError("away", f"Kafka can't be reached ({error.str()}) {self._said}".strip(), self._where, WAITS)

    def __repr__(self) -> str:
        return f"<KafkaSink {self._where} {'open' if self._producer is not None else 'closed'}>"
