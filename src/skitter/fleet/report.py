"""What a node of a fleet says of itself, every few seconds, in the topic `nodes`. Pure."""

from __future__ import annotations

from msgspec import Struct


class ShardReport(Struct, frozen=True):
    """How a shard stands with the node that holds it."""

    shard: int
    left: float  # seconds of its lease
    log: int  # the next record of its log
    links: int  # the next message of its links


class NodeReport(Struct, frozen=True):
    """How a node is, as the fleet's `status` shows it."""

    name: str
    at: float
    started: float
    shards: list[ShardReport] = []
    states: dict[str, int] = {}  # of URLs, in its shards
    pages: int = 0  # since it was started, as the next two
    requests: int = 0
    lost: int = 0  # shards that another took, or whose log did not answer
    in_flight: int = 0
    trouble: str = ""
    disk: str = ""  # what tells its disk from any other, if its archive goes to a bucket
    again: int = 0  # pages queued again, since their archive file was lost
