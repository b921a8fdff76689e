"""The topics of a fleet: what they must be like, so that nothing in them is lost; made, and checked at each start."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic, OffsetSpec, ResourceType  # type: ignore[attr-defined]
from msgspec import Struct

from skitter.bus.heard import Heard
from skitter.errors import MachineError, OperatorError
from skitter.ports import LINKS, LOG

CRAWL, NODES = "crawl", "nodes"
"""What the crawl is (its routes, seeds and settings), and how its nodes are: the newest of each key is kept."""

PAGES = "pages"
"""An event for each page that was stored, for others: kept for a while, and of no use to nodes."""
DAY_MS = 24 * 3600 * 1000

MAX_BYTES = 64 * 1024**2
"""Bytes of the largest record."""
ANSWERS_IN = 15.0
REMEDY = "See that the brokers are up and can be reached."


def topic_name(fleet: str, topic: str) -> str:
    """Returns what a topic of a fleet is called on its brokers."""
    return f"{fleet}.{topic}"


class Admin(AdminClient):
    """A client for what operators do. It knows why it can't."""

    def __init__(self, client: Mapping[str, Any]) -> None:
        self._heard = Heard()
        super().__init__(self._heard.settings(client))

    def why(self, error: KafkaException) -> str:
        """Returns why something failed."""
        self.poll(0)
        return self._heard.why(error)


class Wanted(Struct, frozen=True):
    """What a topic must be like."""

    partitions: int
    settings: Mapping[str, str]


FOR_EVER = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
NEWEST = {"cleanup.policy": "compact"}
LARGE = {"max.message.bytes": str(MAX_BYTES)}
WHY = {
    "cleanup.policy": "else records that are needed are removed",
    "retention.ms": "else records that are needed are removed when they are old",
    "retention.bytes": "else records that are needed are removed when there are many",
    "max.message.bytes": "else a large commit is refused",
    "min.insync.replicas": "else a record may be on one broker only, and be lost with it",
    "message.timestamp.type": "else nobody can tell whose clock is wrong",
    "unclean.leader.election.enable": "else a broker that lacks records may come to decide what there is",
}


def wanted(shards: int, replication: int, pages_days: float = 0.0) -> dict[str, Wanted]:
    """Returns what the topics of a fleet must be like. `pages_days`: how long events of pages are kept; 0: none are."""
    safe = {"min.insync.replicas": str(min(2, replication)), "unclean.leader.election.enable": "false"}
    kept = {"cleanup.policy": "delete", "retention.ms": str(int(pages_days * DAY_MS))}
    return {
        **({PAGES: Wanted(shards, {**kept, **safe})} if pages_days else {}),
        LOG: Wanted(shards, {**FOR_EVER, **LARGE, **safe}),
        LINKS: Wanted(shards, {**FOR_EVER, **LARGE, **safe}),
        CRAWL: Wanted(1, {**NEWEST, **LARGE, **safe}),
        NODES: Wanted(1, {**NEWEST, **safe, "message.timestamp.type": "LogAppendTime"}),
    }


def make_topics(
    client: Mapping[str, Any], fleet: str, shards: int, replication: int, pages_days: float = 0.0
) -> list[str]:
    """Makes the topics that are not there yet, and returns their names. MachineError if that can't be."""
    admin = Admin(client)
    there = _there(admin)
    missing = {
        topic_name(fleet, topic): one
        for topic, one in wanted(shards, replication, pages_days).items()
        if topic_name(fleet, topic) not in there
    }
    new = [NewTopic(name, one.partitions, replication, config=dict(one.settings)) for name, one in missing.items()]
    for name, made in admin.create_topics(new).items() if new else ():
        try:
            made.result(ANSWERS_IN)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
                missing.pop(name)  # somebody made it this moment; whether it is as it must be is checked next
                continue
            raise MachineError(f"a topic can't be made ({error.args[0].str()})", name, REMEDY) from None
    until = time.monotonic() + ANSWERS_IN
    names = {topic_name(fleet, topic) for topic in wanted(shards, replication, pages_days)}
    while not names <= _there(admin).keys() and time.monotonic() < until:
        time.sleep(0.1)  # not every broker has heard of them yet
    return list(missing)


def check_topics(client: Mapping[str, Any], fleet: str, shards: int, replication: int, pages_days: float = 0.0) -> None:
    """Returns if nothing in the topics can be lost; OperatorError for the first setting that would lose something."""
    admin = Admin(client)
    there = _there(admin)
    for topic, one in wanted(shards, replication, pages_days).items():
        name = topic_name(fleet, topic)
        if name not in there:
            raise OperatorError("topic", name, "is not there: `skitter fleet init` makes it")
        copies, settings = there[name], _settings(admin, name)
        if len(copies) < one.partitions or (len(copies) > one.partitions and topic not in (LOG, LINKS)):
            right = f"must be {one.partitions}, one for each shard, or more if some were split"
            raise OperatorError(f"partitions of topic {name}", len(copies), right)
        if min(copies) < replication:
            right = f"must be {replication} as `fleet.replication` says, else a broker's disk may take records with it"
            raise OperatorError(f"replication of topic {name}", min(copies), right)
        for key, value in one.settings.items():
            if topic == PAGES and key == "retention.ms":
                continue  # who reads them may keep them as long as they like
            if settings.get(key) != value and not _is_enough(key, settings.get(key), value):
                raise OperatorError(f"{key} of topic {name}", settings.get(key), f"must be {value}, {WHY[key]}")


def partitions_of(client: Mapping[str, Any], fleet: str) -> int:
    """Returns how many shards there are by now. MachineError if Kafka does not answer."""
    there = _there(Admin(client))
    return min(len(there.get(topic_name(fleet, topic), ())) for topic in (LOG, LINKS))


def add_partition(client: Mapping[str, Any], fleet: str, count: int) -> int:
    """Makes one more partition where each shard has one; returns its number. MachineError if it can't be.

    `count`: how many there are. Whoever was here before us and died may have made one of the two already.
    """
    admin = Admin(client)
    there = _there(admin)
    short = [name for topic in (LOG, LINKS) if len(there[name := topic_name(fleet, topic)]) <= count]
    for name, made in admin.create_partitions([NewPartitions(name, count + 1) for name in short]).items():
        try:
            made.result(ANSWERS_IN)
        except KafkaException as error:
            raise MachineError(f"a partition can't be made ({error.args[0].str()})", name, REMEDY) from None
    until = time.monotonic() + ANSWERS_IN
    while partitions_of(client, fleet) <= count and time.monotonic() < until:
        time.sleep(0.1)
    return count


def ends_of(client: Mapping[str, Any], fleet: str, topic: str, partitions: int) -> list[int]:
    """Returns the next offset of each partition of a topic. MachineError if Kafka does not answer."""
    admin = Admin(client)
    found = known_ends(admin, topic_name(fleet, topic), range(partitions), ANSWERS_IN)
    if len(found) < partitions:
        raise MachineError("Kafka does not answer", "fleet.kafka", REMEDY)
    return [found[number] for number in range(partitions)]


def known_ends(admin: AdminClient, name: str, partitions: Collection[int], seconds: float) -> dict[int, int]:
    """Returns the next offset of those partitions of a topic whose brokers answer in time."""
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    asked = {TopicPartition(name, number): latest for number in partitions}
    found: dict[int, int] = {}
    for place, answer in admin.list_offsets(asked, request_timeout=seconds).items():
        with contextlib.suppress(KafkaException, TimeoutError):
            found[place.partition] = answer.result(seconds).offset
    return found


def _is_enough(key: str, given: str | None, least: str) -> bool:
    return key in ("max.message.bytes", "min.insync.replicas") and given is not None and int(given) >= int(least)


def _there(admin: Admin) -> dict[str, Sequence[int]]:
    """Returns all topics, with how many copies each of their partitions has."""
    try:
        known = admin.list_topics(timeout=ANSWERS_IN)
    except KafkaException as error:
        raise MachineError(f"Kafka does not answer ({admin.why(error)})", "fleet.kafka", REMEDY) from None
    return {name: [len(part.replicas) for part in topic.partitions.values()] for name, topic in known.topics.items()}


def _settings(admin: AdminClient, name: str) -> dict[str, str | None]:
    resource = ConfigResource(ResourceType.TOPIC, name)
    found = admin.describe_configs([resource])[resource].result(ANSWERS_IN)
    return {key: entry.value for key, entry in found.items()}
