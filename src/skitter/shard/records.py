"""The records of a shard's store: what is kept of a URL, of a host and of a robots.txt.

A record is a version byte and then MessagePack of the fields in order. Fields are only ever added at the end.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from skitter.judge.dust import Rule
from skitter.judge.host import HostJudgement
from skitter.judge.mirror import Mirror
from skitter.messages import Errand, Failure, Reason, State
from skitter.politeness.delay import Pace
from skitter.politeness.troubles import NO_TROUBLES, Troubles
from skitter.robots.answer import Access
from skitter.schedule.bringing import Brought
from skitter.schedule.budget import DomainRecord, Name
from skitter.schedule.change import Change
from skitter.schedule.claims import Claim
from skitter.schedule.freshness import Sampled
from skitter.schedule.policy import Place, Watch
from skitter.schedule.share import Share
from skitter.shard.keys import VERSION


class HostFlag(IntEnum):
    """Bits of a host record."""

    NONE = 0
    PAUSED = 1


class RenderNote(Struct, frozen=True, array_like=True):
    """What is known of a page in browsers."""

    why: str  # it needs one
    waiting: bytes = b""  # its key in the list of pages to be rendered, while it waits there
    since: float = 0.0  # when it was put there
    is_next: bool = False  # its next visit is a rendering
    tries: int = 0  # failed ones so far
    at: float | None = None  # these of the last one that did not fail, see messages.Rendering
    words: int = 0
    links: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    asked: int = 0
    refused: int = 0
    is_settled: bool = True
    failure: str = ""  # why the last one failed, if it did


class UrlRecord(Struct, frozen=True, array_like=True):
    """What is known of one URL."""

    href: str
    host: str
    state: State
    first_seen: float
    depth: int
    priority: float
    parent: str | None = None
    errand: Errand = Errand.PAGE
    queue: bytes = b""  # its key in the host's queue while it is queued
    due: float | None = None  # when it is due again: a retry or a re-crawl
    tries: int = 0
    failure: Failure | None = None  # the last one
    reason: Reason | None = None
    last_fetched: float | None = None  # these of the last capture: a try that failed leaves them as they are
    last_status: int = 0
    digest: str | None = None
    file: str | None = None
    offset: int = 0
    etag: str | None = None
    last_modified: str | None = None
    sitemap_modified: float | None = None
    watch: Watch | None = None  # what its visits have told, while it is to be seen again; None of lists
    chain: tuple[str, ...] = ()
    crashes: int = 0  # times in a row that the process died in the middle of reading it
    failed_at: float | None = None  # these of the last try, if that failed; None: it did not
    failed_status: int = 0  # 0: there was no answer
    failed_file: str | None = None  # where that is in the archive, if somebody was asked
    failed_offset: int = 0
    late: float | None = None  # since when its re-crawl is due, while it is queued for that
    reasons: tuple[Reason, ...] = ()  # what there was to say against its last capture, with what speaks for it
    evidence: dict[Reason, str] = {}
    duplicate_of: str | None = None  # the page that says the same
    canonical: str | None = None  # the page that it says it is a copy of
    sketch: bytes = b""  # these two of what its last capture says, while it is to be seen again
    simhash: int = 0
    change: Change | None = None  # what the last visit found; None until it was seen again
    brought: Brought | None = None  # the new links of its visits, if it is a list
    is_check: bool = False  # it was drawn by lot, and is queued to see whether our copy is fresh
    claim: Claim | None = None  # how often its site says that it changes
    render: RenderNote | None = None  # of one that needs a browser, or was in one


class HostRecord(Struct, frozen=True, array_like=True):
    """What is known of one host."""

    host: str
    first_seen: float
    last_request: float = 0.0
    pace: Pace = Pace()
    troubles: Troubles = NO_TROUBLES
    health: float = 1.0
    agreed_delay: float | None = None  # by the operator, with the host
    quota_day: int = 0
    quota_used: int = 0
    requests: int = 0
    pages: int = 0
    failures: int = 0
    crawl_delays: dict[str, float] = {}  # what the robots.txt of each origin asks for
    flags: int = 0
    burden: float = 0.0  # CPU seconds that reading its last page took, if they were many
    good: int = 0  # pages that said something new
    name: Name = Name.KNOWN  # what its name is worth
    is_seed: bool = False  # one of its URLs is
    reserved_until: float = 0.0  # by when another node is done with the request that it reserved the host for
    worth: float | None = None  # by the nightly look
    place: Place | None = None  # what is known of how its pages change, once one is to be seen again
    hub: str = ""  # the WebSub hub that one of its feeds or pages names
    claims: tuple[float, ...] = ()  # how far its claims have come true, see schedule.claims
    rendered: dict[str, tuple[int, int]] = {}  # what browsers brought, by the shape of URLs, see judge.need
    took: float = 0.0  # seconds that its last answer took, see politeness.load


class RobotsRecord(Struct, frozen=True, array_like=True):
    """The robots.txt of one origin, as far as it was read."""

    access: Access
    good_until: float
    body: bytes = b""
    read_at: float | None = None
    failures: int = 0
    fetched_at: float = 0.0
    status: int = 0
    cut: bool = False  # the body is not whole
    failure: Failure | None = None  # why the last request for it brought no answer
    etag: str | None = None  # these two of the body, if it came from the origin itself: to ask whether it has changed
    last_modified: str | None = None


class DustRecord(Struct, frozen=True, array_like=True):
    """What of the URLs of a host makes no difference."""

    rules: tuple[Rule, ...]


class Meta(Struct, frozen=True, array_like=True):
    """Facts about a shard."""

    shard: int
    shards: int
    created: float
    opened: int = 0  # how often
    filter: bytes = b""  # the digest of the filter's file, if nothing was written since it was saved


Record = TypeVar("Record", bound=Struct)
_HEAD = bytes((VERSION,))


class Codec(Generic[Record]):
    """Writes and reads one type of record."""

    def __init__(self, kind: type[Record]) -> None:
        self._kind = kind
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(kind)

    def encode(self, record: Record) -> bytes:
        """Returns the bytes of `record`."""
        return _HEAD + self._encoder.encode(record)

    def decode(self, raw: bytes) -> Record:
        """Returns the record in `raw`; raises ValueError if it is not one."""
        if raw[:1] != _HEAD:
            raise ValueError(f"a {self._kind.__name__} of version {raw[:1].hex()}, not {VERSION}")
        return self._decoder.decode(memoryview(raw)[1:])


TRIMMED = UrlRecord("", "", State.DEAD, 0.0, 0, 0.0)
"""What is left of a URL that was given up long ago: that it was found, and is dead."""
TRIMMED_BYTES = _HEAD


class UrlCodec(Codec[UrlRecord]):
    """Writes and reads what is known of URLs; of a trimmed one there is the version alone."""

    def encode(self, record: UrlRecord) -> bytes:
        """Returns the bytes of `record`."""
        return TRIMMED_BYTES if record is TRIMMED else super().encode(record)

    def decode(self, raw: bytes) -> UrlRecord:
        """Returns the record in `raw`; raises ValueError if it is not one."""
        return TRIMMED if raw == TRIMMED_BYTES else super().decode(raw)


StateCounts: TypeAlias = list[int]
"""How many URLs are in each state, in the order of `State`."""


class StateCodec:
    """Writes and reads how many URLs are in each state."""

    _encoder = msgspec.msgpack.Encoder()
    _decoder = msgspec.msgpack.Decoder(list[int])

    def encode(self, counts: StateCounts) -> bytes:
        """Returns the bytes of `counts`."""
        return _HEAD + self._encoder.encode(counts)

    def decode(self, raw: bytes | None) -> StateCounts:
        """Returns the counts in `raw`, none at all if there is nothing; ValueError if it is something else."""
        if raw is None:
            return [0] * len(State)
        if raw[:1] != _HEAD:
            raise ValueError(f"counts of version {raw[:1].hex()}, not {VERSION}")
        return self._decoder.decode(memoryview(raw)[1:])

    @staticmethod
    def by_state(counts: StateCounts) -> Counter[State]:
        """Returns the counts by name."""
        return Counter(dict(zip(_STATES, counts, strict=True)))


_STATES = tuple(State)
STATES = StateCodec()
URLS = UrlCodec(UrlRecord)
HOSTS = Codec(HostRecord)
ROBOTS = Codec(RobotsRecord)
METAS = Codec(Meta)
JUDGEMENTS = Codec(HostJudgement)
DOMAINS = Codec(DomainRecord)
DUST = Codec(DustRecord)
SHARES = Codec(Share)
SAMPLE = Codec(Sampled)
MIRRORS = Codec(Mirror)
