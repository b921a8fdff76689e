"""The busiest hosts of a node, as they are shown."""

from __future__ import annotations

import heapq

from skitter.frontier.frontier import Frontier
from skitter.frontier.host import Host
from skitter.node.status import HostLine
from skitter.settings import DAY

BUSIEST = 10


def busiest(frontier: Frontier, daily_quota: int, now: float) -> list[HostLine]:
    """Returns the hosts in memory with the most requests."""
    hosts = heapq.nlargest(BUSIEST, frontier.hosts(), key=lambda host: host.record.requests)
    return [_line(host, frontier.delay_of(host.record.host), daily_quota, now) for host in hosts]


def _line(host: Host, delay: float, daily_quota: int, now: float) -> HostLine:
    record = host.record
    used = record.quota_used if record.quota_day == int(now // DAY) else 0
    allowed = daily_quota if record.quota_allowed is None else record.quota_allowed
    return HostLine(record.host, record.requests, delay, host.stage.value, used, allowed)
