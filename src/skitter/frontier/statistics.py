"""What a node's frontier holds, at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct

from skitter.frontier.tally import Tallied
from skitter.messages import State
from skitter.schedule.freshness import Freshness
from skitter.shard.seen import SeenStatistics

if TYPE_CHECKING:  # whoever only reads the numbers must not wait for the store
    from skitter.frontier.host import Host
    from skitter.frontier.window import Window
    from skitter.shard.writer import Shard


class Shared(Struct, frozen=True):
    """How the requests to pages are shared between discovery and refresh, by purpose, since the node was started."""

    share: float = 0.0  # of refresh, now
    leased: dict[str, int] = {}
    gained: dict[str, float] = {}  # the importance of pages that were new, or said something new


class FrontierStatistics(Struct, frozen=True):
    """What a node's frontier holds."""

    states: dict[str, int]
    hosts: int  # in memory
    stages: dict[str, int]
    next_at: float | None  # when the next host is ready
    next_due: float | None  # when the next retry or re-crawl is due
    seen: SeenStatistics
    waiting: bool  # some hosts are yet to be brought in
    by_shard: dict[int, dict[str, int]] = {}  # the states again, for each open shard
    recrawl_lag: float = 0.0  # for how long the re-crawl that has waited longest has been due
    tallied: Tallied = Tallied()
    freshness: Freshness = Freshness()
    shared: Shared = Shared()
    to_render: int = 0  # pages that wait for a browser
    render_age: float = 0.0  # for how long the one of them that is next has waited
    margin: float | None = None  # the least that the turn of a host came after its delay was over, of late


_NAMES = [(state.value, state) for state in State]


def gathered(
    shards: Mapping[int, Shard],
    window: Window,
    leased: Collection[Host],
    seen: SeenStatistics,
    tallied: Tallied,
    now: float,
    freshness: Freshness,
    shared: Shared,
    to_render: tuple[int, float] = (0, 0.0),
    margin: float | None = None,
) -> FrontierStatistics:
    """Returns what the parts of a frontier hold together."""
    by_shard = _states_by_shard(shards, leased)
    states: Counter[State] = Counter()
    for counts in by_shard.values():
        states.update(counts)
    due = min((shard.due.first for shard in shards.values()), default=float("inf"))
    late = min((shard.oldest_late() for shard in shards.values()), default=float("inf"))
    return FrontierStatistics(
        _named(states),
        len(window),
        {stage.value: number for stage, number in Counter(map(attrgetter("stage"), window)).items()},
        window.ready.next_at(),
        None if due == float("inf") else due,
        seen,
        window.has_room_and_waiting(),
        {number: _named(counts) for number, counts in by_shard.items()},
        max(0.0, now - late),
        tallied,
        freshness,
        shared,
        *to_render,
        margin,
    )


def _states_by_shard(shards: Mapping[int, Shard], leased: Collection[Host]) -> dict[int, Counter[State]]:
    """Returns the counts of each shard. On disk a leased URL is queued: a lease needs no write."""
    found = {number: shard.counts() for number, shard in shards.items()}
    for host in leased:
        if host.taken is not None:
            found[host.shard.number][State.QUEUED] -= 1
            found[host.shard.number][State.LEASED] += 1
    return found


def _named(counts: Counter[State]) -> dict[str, int]:
    return {name: counts.get(state, 0) for name, state in _NAMES}
