"""A host while it is in memory: where it is in its life, and the first few URLs of its queue.

                 ┌────────────────────────────────────────────────────────────────┐
    new ─→ resolving ─→ rest ─→ ready ─┬─→ robots ─→ rest …
                          ▲            ├─→ leased ─→ rest, or asleep if it is backing off
                          │            └─→ idle (nothing queued) ─→ rest (something was)
                          └── paused ◄── (any that holds no lease)

A host that holds a lease (`robots` or `leased`) is off the ready heap: that is what keeps us to one request at a time.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from skitter.frontier.domain import Domain
from skitter.frontier.lane import Lane
from skitter.judge.host import NOTHING_JUDGED, HostJudgement
from skitter.messages import Lease
from skitter.schedule.budget import Name, class_of_host
from skitter.schedule.priority import rank_of
from skitter.schedule.shares import Purpose
from skitter.shard import keys
from skitter.shard.records import HostRecord, UrlRecord


class Stage(StrEnum):
    """Where a host is in its life."""

    NEW = "new"
    RESOLVING = "resolving"
    REST = "rest"
    ASLEEP = "asleep"
    PAUSED = "paused"
    READY = "ready"
    ROBOTS = "robots"
    LEASED = "leased"
    IDLE = "idle"


class Event(StrEnum):
    """What happens to a host."""

    BROUGHT_IN = "brought_in"
    RESTS = "rests"
    FALLS_ASLEEP = "falls_asleep"
    PAUSED = "paused"
    RIPE = "ripe"  # its time has come
    ROBOTS_LEASED = "robots_leased"
    PAGE_LEASED = "page_leased"
    EMPTIED = "emptied"


# Waiting comes in three kinds, and from each a host may go to each: the records change while it waits.
WAITING = (Stage.REST, Stage.ASLEEP, Stage.PAUSED)
_WAITS = {Event.RESTS: Stage.REST, Event.FALLS_ASLEEP: Stage.ASLEEP, Event.PAUSED: Stage.PAUSED}
_MAY_WAIT = (*WAITING, Stage.RESOLVING, Stage.READY, Stage.ROBOTS, Stage.LEASED, Stage.IDLE)

STEPS: dict[tuple[Stage, Event], Stage] = {
    (Stage.NEW, Event.BROUGHT_IN): Stage.RESOLVING,
    **{(stage, event): after for stage in _MAY_WAIT for event, after in _WAITS.items()},
    **{(stage, Event.RIPE): Stage.READY for stage in (*WAITING, Stage.IDLE)},
    (Stage.READY, Event.ROBOTS_LEASED): Stage.ROBOTS,
    (Stage.READY, Event.PAGE_LEASED): Stage.LEASED,
    (Stage.READY, Event.EMPTIED): Stage.IDLE,
}


RESERVABLE = (Stage.REST, Stage.ASLEEP, Stage.IDLE)


class Taken(NamedTuple):
    """The URL that is out on lease: its place in the queue, and its record, which nobody changes meanwhile."""

    entry: bytes
    url: UrlRecord


class Host:
    """One host of the window. `lanes` are the heads of its two queues, by purpose."""

    __slots__ = (
        "_came_as",
        "at",
        "domain",
        "due",
        "is_active",
        "judged",
        "lanes",
        "lease",
        "owed",
        "record",
        "shard",
        "stage",
        "taken",
        "ticket",
    )

    def __init__(
        self, domain: Domain, record: HostRecord, front_class: int = 0, judged: HostJudgement = NOTHING_JUDGED
    ) -> None:
        self.domain = domain
        self.shard = domain.shard
        self._came_as = front_class
        self.record = record
        self.judged = judged
        self.stage = Stage.NEW
        self.at = 0.0
        self.due = 0.0  # when its delay was over as it was leased: no request may have begun before
        self.ticket = 0  # of its valid entry in the ready heap
        self.lanes = (Lane(), Lane())
        self.owed = 0.0  # of a request, to refresh
        self.is_active = False  # it counts among the hosts that its domain has in memory
        self.lease: Lease | None = None
        self.taken: Taken | None = None

    def __repr__(self) -> str:
        held = "+".join(f"{len(lane.urls)}{' and more' if lane.more else ''}" for lane in self.lanes)
        return f"<Host {self.record.host}: {self.stage}, at {self.at:.3f}, {held} in memory>"

    def step(self, event: Event) -> None:
        """Moves on in the host's life; a step that is not in the table is a bug."""
        self.stage = STEPS[self.stage, event]

    def front_class(self) -> int:
        """Returns the class of its best URL, or the one it was brought in with if none is in memory."""
        best = [lane.urls[0] for lane in self.lanes if lane.urls]
        if not best:
            return self._came_as
        return class_of_host(self.domain.record, keys.entry_priority(min(best)), self.record.worth)

    def purpose(self) -> Purpose:
        """Returns what it is in memory for: discovery, if as far as is known it has anything of that."""
        return Purpose.DISCOVERY if self.lanes[Purpose.DISCOVERY].may_have_any else Purpose.REFRESH

    def rank(self) -> int:
        """Returns where it stands among the hosts of its domain, for when it waits to be brought in again."""
        is_single = self.record.name is not Name.KNOWN
        return rank_of(self.front_class(), is_single=is_single, purpose=self.purpose())

    def offer(self, queue_key: bytes, fingerprint: bytes, limit: int) -> None:
        """Takes note of a URL that was added to one of its queues."""
        self.lanes[keys.queue_of(queue_key)].offer(keys.queue_entry(queue_key, fingerprint), limit)

    def give_back(self) -> None:
        """Puts what was taken back at its place."""
        if self.taken is not None:
            self.lanes[keys.queue_of(self.taken.url.queue)].give_back(self.taken.entry)
        self.taken = None
