"""What a node and its supervisor say to each other: JSON lines, the start and commands down, status up."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from skitter.frontier.statistics import FrontierStatistics
from skitter.node.counters import Counted
from skitter.schedule.modes import Mode
from skitter.settings import Settings

GRANT = 256
"""Pages granted to a node at a time, at most, when their number is limited."""

LOW = GRANT // 4
"""Pages left of the grants with which a node asks for more."""


class NodeStart(Struct, frozen=True):
    """Which node to be, for which crawl."""

    directory: str
    number: int
    nodes: int
    settings: Settings
    seeds: Sequence[str]  # for the scope
    budget: int | None = None
    has_desk: bool = False  # workers elsewhere may have leases of it
    mode: Mode = Mode.AS_SET


class Command(Struct, frozen=True):
    """From the supervisor: more pages that may be fetched, or an end."""

    grant: int = 0
    reclaim: bool = False  # give back what is left of the grants
    stop: bool = False
    ask: int = 0  # how do things stand? The number of the question
    allowed: int = 0  # requests that may have been made in all, when their rate is limited
    settings: Settings | None = None  # from now on
    mode: Mode | None = None  # from now on


class HostLine(Struct, frozen=True):
    """A line of the list of busiest hosts."""

    host: str
    rate: float  # requests a second, of late
    delay: float
    stage: str
    quota_used: int = 0  # requests today
    quota_allowed: int = 0


class NodeStatus(Struct, frozen=True):
    """From a node: twice a second, when it was asked, and when it runs short of work or grants."""

    node: int
    counted: Counted
    frontier: FrontierStatistics
    in_flight: int
    idle: bool  # nothing to lease, nothing under way, nothing to deliver
    sent: int  # batches of links that others have acknowledged
    received: int  # batches of links that others were told are durable
    budget: int | None  # pages that may still be leased; None: no limit
    returned: int  # of the grants, given back so far
    busiest: list[HostLine]
    trouble: str = ""  # why nothing is leased, if that is so
    notes: list[str] = []  # said once: what was recovered at the start, what was purged
    stopped: bool = False
    asked: int = 0  # the last question that this answers
    restarts: int = 0  # as the supervisor knows
    unsent: int = 0  # bytes of WARC that wait for a bucket
    mode: Mode = Mode.AS_SET
    turned_away: dict[str, float] = {}  # answers a second, of late, by which the hosts that do so most turned us away
    off: dict[str, str] = {}  # plug-ins that are switched off for a while, and why
