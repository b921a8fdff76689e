"""The nodes of a run, each in a line, for those who look. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from skitter.messages import State
from skitter.node.status import NodeStatus


class NodeLine(Struct, frozen=True):
    """One node. What is counted is counted since the run began, over all its lives."""

    number: int
    is_up: bool
    restarts: int
    pages: int
    requests: int
    failures: int
    in_flight: int
    hosts: int  # in memory
    trouble: str
    queued: dict[int, int]  # URLs, by shard; every shard that it owns is in it


def lines_of(reports: Iterable[NodeStatus], alive: Collection[int]) -> list[NodeLine]:
    """Returns a line for each node that has ever reported."""
    return [
        NodeLine(
            one.node,
            one.node in alive,
            one.restarts,
            one.counted.pages,
            one.counted.requests,
            sum(one.counted.failures.values()),
            one.in_flight,
            one.frontier.hosts,
            one.trouble,
            {shard: states.get(State.QUEUED.value, 0) for shard, states in sorted(one.frontier.by_shard.items())},
        )
        for one in reports
    ]
