"""A Kafka broker for tests."""

from __future__ import annotations

from pathlib import Path

from skitter.servers.kafka import KafkaServer
from tests.servers.jars import CACHE


class Broker(KafkaServer):
    """As `skitter.servers.kafka`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, CACHE)
