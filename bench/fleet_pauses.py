"""For how long shards of a fleet were nobody's, by what befell it: told by the times in their logs alone."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from confluent_kafka import Consumer, TopicPartition

from skitter.bus.topics import ends_of
from skitter.ports import LOG
from skitter.shard.log import codec
from skitter.shard.log.codec import Take, Unreadable, Written
from skitter.shard.log.ownership import Standing, after

BEFORE = 1.5
"""Seconds that the last record of a tenure may be older than what ended it: so long an owner is silent at the most."""

BROKER, LEAVING = "broker", ("leave", "rolling restart")


class Fault(NamedTuple):
    """What befell the fleet, from when to when."""

    what: str
    began: float
    ended: float


class Pause(NamedTuple):
    """A shard between two tenures: its last record, the next `take`, and the first change of whoever worked on next.

    A shard is opened with a change of its own, when nobody has to be waited for any more and its log is replayed.
    """

    since: float
    taken: float
    until: float
    is_released: bool

    @property
    def seconds(self) -> float:
        """Seconds until the next owner may fetch."""
        return self.until - self.since


def pauses_by_fault(bootstrap: str, fleet: str, shards: int, faults: Sequence[Fault]) -> dict[str, list[Pause]]:
    """Returns for how long shards were nobody's, by what had befallen the fleet then."""
    found: defaultdict[str, list[Pause]] = defaultdict(list)
    client = {"bootstrap.servers": bootstrap}
    for shard, end in enumerate(ends_of(client, fleet, LOG, shards)):
        for pause in _pauses(_records(client, f"{fleet}.{LOG}", shard, end)):
            found[cause_of(pause, faults)].append(pause)
    return dict(found)


def cause_of(pause: Pause, faults: Sequence[Fault]) -> str:
    """Returns what a pause is put down to. Where the broker was away meanwhile, that is what it waited for."""
    if any(one.what == BROKER and one.began < pause.until and pause.since < one.ended for one in faults):
        return f"while the broker was away ({'released' if pause.is_released else 'not released'})"
    earlier = [one for one in faults if one.began <= pause.since + BEFORE]
    last = earlier[-1] if earlier else Fault("start", 0.0, 0.0)
    if not pause.is_released:
        return f"after: {last.what}"
    is_leaving = last.what in LEAVING and pause.since <= last.ended
    return f"after: {last.what}" if is_leaving else "released for a node that comes"


def spread(pauses: Sequence[Pause]) -> str:
    """Returns how long they are, in words, and how long it took until somebody took the shard."""
    ordered, taken = (
        sorted(some) for some in zip(*((one.seconds, one.taken - one.since) for one in pauses), strict=True)
    )
    place = int(0.9 * (len(ordered) - 1))
    return (
        f"{len(ordered)}: median {median(ordered):.1f} s, nine in ten within {ordered[place]:.1f} s, longest "
        f"{ordered[-1]:.1f} s; of that until it was taken {median(taken):.1f}, {taken[place]:.1f}, {taken[-1]:.1f} s"
    )


def _pauses(records: Sequence[tuple[float, bytes]]) -> Iterator[Pause]:
    standing, last, pause = Standing(), 0.0, None
    for at, raw in records:
        record = codec.decode(raw)
        assert not isinstance(record, Unreadable)
        if isinstance(record, Take) and last and pause is None:
            pause = Pause(last, at, at, not standing.owner)
        standing, counts = after(standing, record)
        last = at if counts else last
        if pause is not None and counts and isinstance(record, Written) and record.changes:
            yield pause._replace(until=at)
            pause = None


def _records(client: dict[str, str], topic: str, partition: int, end: int) -> list[tuple[float, bytes]]:
    consumer = Consumer(client | {"group.id": "torture", "enable.auto.commit": False})
    with contextlib.closing(consumer):
        consumer.assign([TopicPartition(topic, partition, 0)])
        found: list[tuple[float, bytes]] = []
        while len(found) < end:
            some = consumer.consume(500, 1.0)
            found += [(message.timestamp()[1] / 1000, message.value() or b"") for message in some]
        return found
