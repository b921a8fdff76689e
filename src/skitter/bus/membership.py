"""Our membership of the group that shares the shards. For one thread.

A member has a name: who is killed and started again under it has its shards back at once. Brokers tell those of one
name apart by an id that they draw for each that comes, and turn the earlier one away. A broker that dies after it has
told us our id, and before the shards are dealt out, has not written it down: it comes back with the id of the process
that was there before us, and turns us away, though there is nobody else. So whoever is turned away comes again. A ghost
does not; another process of our name does, too, and turns us away a second time. Then it is the later of the two.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from skitter.errors import MachineError

POLL = 0.1
LEAVING = 20
"""How often we look whether we have let go of all shards when we leave: there is nothing that could take long."""
TWICE = 60.0
"""Seconds within which nobody is turned away twice by a ghost."""


class Membership:
    """One member. `wanted` are the shards that the group wants it to own.

    `let_go` returns when we own none of some shards any more: only then others may have them.
    """

    def __init__(
        self, settings: Mapping[str, Any], topic: str, name: str, let_go: Callable[[frozenset[int]], None]
    ) -> None:
        self._settings = {
            **settings,
            "partition.assignment.strategy": "cooperative-sticky",
            "enable.auto.commit": False,
            "auto.offset.reset": "latest",
        } | ({"group.instance.id": name} if name else {})
        self._topic = topic
        self._name = name
        self._let_go = let_go
        self._turned_away = float("-inf")
        self.wanted: frozenset[int] = frozenset()
        self._member = self._joined()

    def __repr__(self) -> str:
        return f"<Membership of {self._name}: {sorted(self.wanted)} wanted>"

    def mind(self) -> MachineError | None:
        """Hears what the group wants. Returns why we are no member any more, if another process has our name."""
        if not _is_fatal(self._member.poll(0)):
            return None
        before, self._turned_away = self._turned_away, time.monotonic()
        if self._turned_away < before + TWICE:
            what = f"another process has come to the fleet as {self._name}"
            remedy = "Names of nodes must differ: give one of the two another."
            return MachineError(what, str(self._settings["group.id"]), remedy)
        self.wanted = frozenset()
        self._member.close()
        self._member = self._joined()
        return None

    def leave(self) -> None:
        """Tells the group that we are gone for good: by itself, a member that has a name keeps that to itself."""
        with contextlib.suppress(KafkaException, RuntimeError):  # it is none any more
            self._member.unsubscribe()
            for _ in range(LEAVING):
                if not self._member.assignment():
                    break
                self._member.poll(POLL)
        self._member.close()

    def _joined(self) -> Consumer:
        member = Consumer(self._settings)
        member.subscribe([self._topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost)
        return member

    def _assigned(self, member: Consumer, partitions: list[TopicPartition]) -> None:
        member.incremental_assign(partitions)
        member.pause(partitions)  # others read, from where the shards' logs say
        self.wanted |= _numbers(partitions)

    def _revoked(self, member: Consumer, partitions: list[TopicPartition]) -> None:
        numbers = _numbers(partitions)
        self.wanted -= numbers
        self._let_go(numbers)
        member.incremental_unassign(partitions)

    def _lost(self, member: Consumer, partitions: list[TopicPartition]) -> None:
        self.wanted -= _numbers(partitions)
        member.incremental_unassign(partitions)


def _is_fatal(message: Message | None) -> bool:
    error = None if message is None else message.error()
    return error is not None and error.code() == KafkaError._FATAL


def _numbers(partitions: list[TopicPartition]) -> frozenset[int]:
    return frozenset(one.partition for one in partitions)
