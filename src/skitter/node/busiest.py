"""The busiest hosts of a node, as they are shown."""

from __future__ import annotations

from skitter.frontier.frontier import Frontier
from skitter.frontier.host import Host
from skitter.node.rates import HostRates
from skitter.node.status import HostLine
from skitter.settings import DAY

BUSIEST = 10


def busiest(frontier: Frontier, rates: HostRates, now: float) -> list[HostLine]:
    """Returns the hosts in memory with the most requests of late."""
    in_memory = (frontier.host(name) for name in rates.busiest(BUSIEST, now))
    hosts = [host for host in in_memory if host is not None]
    return [_line(host, frontier, rates, now) for host in hosts]


def _line(host: Host, frontier: Frontier, rates: HostRates, now: float) -> HostLine:
    record = host.record
    rate, delay = rates.of(record.host, now), frontier.delay_of(host)
    used = record.quota_used if record.quota_day == int(now // DAY) else 0
    return HostLine(record.host, rate, delay, host.stage.value, used, frontier.quota_of(host))
