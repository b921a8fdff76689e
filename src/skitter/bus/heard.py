"""Why Kafka does not answer, as far as its client has heard: a wrong password is said to it, not to who waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException

TELLING = (KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._RESOLVE)
"""What says more than that nobody is there."""


class Heard:
    """What the client of Kafka was told of itself."""

    def __init__(self) -> None:
        self._why = ""

    def __repr__(self) -> str:
        return f"<Heard: {self._why or 'nothing'}>"

    def settings(self, client: Mapping[str, Any]) -> dict[str, Any]:
        """Returns settings with which a client tells us, and not the terminal."""
        return dict(client) | {"log_level": 0, "error_cb": self._note}

    def why(self, error: KafkaException) -> str:
        """Returns why something failed. The client must have been polled since."""
        said: str = error.args[0].str()
        return f"{self._why}; {said}" if self._why else said

    def _note(self, error: KafkaError) -> None:
        if error.code() in TELLING:
            self._why = error.str()
