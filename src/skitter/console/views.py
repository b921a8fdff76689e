"""What is seen of a crawl: frozen, typed, and the same in JSON as on the dashboard. Times are seconds since 1970. Pure.

What is looked at live says so by its own time; what is made at intervals says how old it is (`as_of`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from skitter.inspection.domains import DomainLook
from skitter.inspection.judged import JudgedHost
from skitter.inspection.status import Status
from skitter.messages import Reason, State
from skitter.node.status import HostLine
from skitter.supervisor.lastrun import Note
from skitter.supervisor.nodelines import NodeLine


class Live(Struct, frozen=True):
    """A run at one moment: a second or two old while it runs. What is counted is counted since it began."""

    began: float
    at: float
    ended: str | None  # why; None: it has not, or had no time to say so
    nodes: int
    ready: int  # nodes that have reported, and live
    pages: int
    requests: int
    received: int  # bytes
    page_rate: float  # a second, of late
    byte_rate: float
    in_flight: int
    urls: Mapping[str, int]  # by state
    failures: Mapping[str, int]  # by kind
    statuses: Mapping[int, int]
    stages: Mapping[str, int]  # hosts in memory, by what they are at
    busiest: Sequence[HostLine]
    troubles: Sequence[str]  # why something stands still
    fresh: float | None  # the share of copies that say what the site says now
    margin: float | None  # the least that the turn of a host came after its delay was over, of late
    late: float  # for how long the re-crawl that has waited longest has been due
    to_render: int
    notes: Sequence[Note] = ()  # the last ones
    skipped: Mapping[str, int] = {}  # URLs, by reason
    refused: Mapping[str, int] = {}  # links, by why they were not followed
    traps: Mapping[str, int] = {}  # corners closed, by why
    lines: Sequence[NodeLine] = ()


class Health(Struct, frozen=True):
    """Is it well? One sentence, with the reason."""

    level: str  # well, watch or ill
    sentence: str
    reasons: Sequence[str] = ()


class Overview(Struct, frozen=True):
    """How a crawl stands. `live` is of this moment; `standing` counts every host, and is made at intervals."""

    crawl: str  # its name
    directory: str
    version: str
    now: float
    running: bool
    health: Health
    live: Live | None  # None: it never ran
    standing: Status | None  # None: it is being made for the first time
    as_of: float | None  # of `standing`


class CrawlLine(Struct, frozen=True):
    """A crawl that is served here."""

    crawl: str
    directory: str
    created: float
    running: bool
    seeds: int


class HostRow(Struct, frozen=True):
    """A line of the table of hosts. Its fields are the columns that it can be sorted by."""

    host: str
    standing: str
    next_at: float | None
    queued: int
    done: int  # with those that are to be seen again
    failed: int
    skipped: int
    dead: int
    delay: float
    delay_because: str
    health: float
    requests: int
    pages: int
    failures: int
    last_request: float | None
    worth: float | None


class HostsPage(Struct, frozen=True):
    """Some lines of the table of hosts, in order; `cursor` leads to the next ones."""

    hosts: Sequence[HostRow]
    cursor: str | None  # None: that was all
    matching: int  # hosts that the search finds
    known: int
    as_of: float


class RobotsText(Struct, frozen=True):
    """A robots.txt as we have it."""

    origin: str
    access: str
    status: int
    fetched_at: float
    read_at: float | None
    good_until: float
    crawl_delay: float | None
    text: str  # the rules that are kept, as they were read


class HostView(Struct, frozen=True):
    """One host, as of now: what it waits for, what was learnt of it, its robots.txt and its domain."""

    judged: JudgedHost
    domain: DomainLook | None
    robots: Sequence[RobotsText]
    next_urls: Sequence[str]  # the first ones of its queue
    as_of: float


class UrlRow(Struct, frozen=True):
    """A URL that was found by its beginning."""

    url: str
    state: State
    reason: Reason | None
    priority: float
    due: float | None
    last_fetched: float | None
    last_status: int


class UrlsPage(Struct, frozen=True):
    """URLs that begin alike. There may be more behind `cursor` even if a page has none: a page looks at so many."""

    urls: Sequence[UrlRow]
    cursor: str | None
    as_of: float


class Series(Struct, frozen=True):
    """Numbers over time, in columns as long as `at`: what was counted, a second; all else, as it stood then.

    None: not known, as between two runs.
    """

    every: float  # seconds between two moments, about
    at: Sequence[float]
    columns: Mapping[str, Sequence[float | None]]


class Event(Struct, frozen=True):
    """What is told to those who listen: `live` (a Live), `note` (a Note), `act` (an Entry of the log of changes)."""

    kind: str
    body: Any


class SettingLine(Struct, frozen=True):
    """A setting that can be changed while a crawl runs."""

    key: str
    value: Any
    default: Any
    meaning: str


class Entry(Struct, frozen=True):
    """A line of the log of changes: who did what, when, and what was and is then."""

    at: float
    who: str
    what: str
    target: str
    before: Any = None
    after: Any = None


class Complaint(Struct, frozen=True):
    """That somebody asked us about a host, and what was done at once."""

    at: float
    who: str  # who wrote it down
    host: str
    text: str
    act: str  # none, slow or block
