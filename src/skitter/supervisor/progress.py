"""The whole crawl at one moment, added up from what its nodes report. Pure: reports in, a snapshot out.

A node that died and was started again counts from zero: what it had counted before is kept and added.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct, structs

from skitter.messages import State
from skitter.node.counters import Counted, Counters
from skitter.node.status import HostLine, NodeStatus

BUSIEST = 10
WINDOW = 10.0
"""Rates are taken over the last seconds, so many."""

NOTHING = Counters().counted()


class Snapshot(Struct, frozen=True):
    """How the crawl stands. What is counted is counted since this run began."""

    at: float
    seconds: float
    nodes: int
    ready: int  # nodes that have reported
    counted: Counted
    states: dict[str, int]
    in_flight: int
    hosts: int  # in memory
    stages: dict[str, int]
    busiest: Sequence[HostLine]
    troubles: Sequence[str]
    next_at: float | None  # when the next retry or waiting host has its turn
    page_rate: float = 0.0
    byte_rate: float = 0.0
    growth: float = 0.0  # of what is left, a second; negative: it shrinks
    fresh: float | None = None  # the share of copies that say what the site says now, if pages are seen again
    late: float = 0.0  # for how long the re-crawl that has waited longest has been due
    to_render: int = 0  # pages that wait for a browser
    margin: float | None = None  # the least that the turn of a host came after its delay was over, of late

    @property
    def discovered(self) -> int:
        """How many URLs are known."""
        return sum(self.states.values())

    @property
    def left(self) -> int:
        """How many URLs are still to be fetched or to be tried again."""
        return sum(self.states.get(state, 0) for state in (State.QUEUED, State.LEASED, State.FAILED))


class Progress:
    """Adds up reports."""

    def __init__(self, nodes: int, began: float) -> None:
        self._nodes = nodes
        self._began = began
        self._last: dict[int, NodeStatus] = {}
        self._before = NOTHING  # by nodes that have died
        self._samples: deque[Snapshot] = deque()

    def take(self, statuses: Sequence[NodeStatus]) -> None:
        """Takes the last report of each node; one that is silent stands as it last did."""
        for status in statuses:
            last = self._last.get(status.node)
            if last is not None and status.counted.requests < last.counted.requests:
                self._before = added(self._before, last.counted)
            self._last[status.node] = status

    def snapshot(self, now: float) -> Snapshot:
        """Returns how things stand."""
        snapshot = self._sum(now)
        while len(self._samples) > 1 and self._samples[0].at < now - WINDOW:
            self._samples.popleft()
        if self._samples and now > self._samples[0].at:
            snapshot = _with_rates(snapshot, self._samples[0])
        self._samples.append(snapshot)
        return snapshot

    def _sum(self, now: float) -> Snapshot:
        last = self._last.values()
        counted = self._before
        states: Counter[str] = Counter({state.value: 0 for state in State})
        stages: Counter[str] = Counter()
        for status in last:
            counted = added(counted, status.counted)
            states.update(status.frontier.states)
            stages.update(status.frontier.stages)
        times = [at for s in last for at in (s.frontier.next_at, s.frontier.next_due) if at is not None]
        return Snapshot(
            now,
            now - self._began,
            self._nodes,
            len(self._last),
            counted,
            dict(states),
            sum(status.in_flight for status in last),
            sum(status.frontier.hosts for status in last),
            dict(stages),
            heapq.nlargest(BUSIEST, (host for s in last for host in s.busiest), key=attrgetter("rate")),
            [*_troubles(last)],
            min(times, default=None),
            fresh=_fresh(last),
            late=max((status.frontier.recrawl_lag for status in last), default=0.0),
            to_render=sum(status.frontier.to_render for status in last),
            margin=min((s.frontier.margin for s in last if s.frontier.margin is not None), default=None),
        )


def _fresh(statuses: Iterable[NodeStatus]) -> float | None:
    """Returns the share of copies that are fresh; None if pages are not seen again."""
    wholes = [status.frontier.freshness.whole for status in statuses]
    pages = sum(one.pages for one in wholes)
    return sum(one.fresh for one in wholes) / pages if pages else None


def _troubles(statuses: Iterable[NodeStatus]) -> Iterator[str]:
    """Yields what keeps nodes from leasing, and which plug-ins pages go without."""
    for status in statuses:
        if status.trouble:
            yield f"node {status.node}: {status.trouble}"
        for name, why in status.off.items():
            told = f"the plug-in {name} is switched off for a while, and pages go without it"
            yield f"node {status.node}: {told}: it {why}"


def added(one: Counted, other: Counted) -> Counted:
    """Returns the sum of two counts, name by name."""
    return Counted(**{name: _plus(getattr(one, name), getattr(other, name)) for name in Counted.__struct_fields__})


def _plus(one: Any, other: Any) -> Any:
    return dict(Counter(one) + Counter(other)) if isinstance(one, dict) else one + other


def _with_rates(snapshot: Snapshot, since: Snapshot) -> Snapshot:
    seconds = snapshot.at - since.at
    return structs.replace(
        snapshot,
        page_rate=max(0.0, (snapshot.counted.pages - since.counted.pages) / seconds),
        byte_rate=max(0.0, (snapshot.counted.received - since.counted.received) / seconds),
        growth=(snapshot.left - since.left) / seconds,
    )
