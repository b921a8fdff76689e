"""The seams: what a node asks of the parts that touch the world, and what they promise it.

`node/build.py` chooses who keeps these promises in a real crawl, `sim/build.py` who does in a simulated one. For each
port there is one contract test in `tests/ports/`, which the real part and its twin in memory both pass.

Expected failures are values. MachineError means that the disk or the bus gave way; nothing else is raised on purpose.
Every port is for one event loop: its methods are called there and nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol, TypeAlias

from msgspec import Struct

from skitter.errors import MachineError
from skitter.messages import Discovered, Failure, Fetched, Lease, Link, Reason, Stored, Verdict

# Names


class Resolved(Struct, frozen=True, gc=False):
    """The addresses of a name, those to try first in front, and until when they hold.

    While no name server can say, that may be over.
    """

    addresses: tuple[str, ...]
    expires: float


Resolution: TypeAlias = Resolved | Failure


class ResolverStatistics(Struct, frozen=True):
    """Counted since the start, but for `kept` and `in_flight`, which are of this moment."""

    asked: int = 0
    hits: int = 0
    joined: int = 0  # asked for a name while a question for it was under way
    unknown: int = 0
    failed: int = 0
    kept: int = 0
    in_flight: int = 0
    told: int = 0  # learnt from another node of the machine, or from an earlier run
    stale: int = 0  # no server could say: an answer was used that had ended
    unanswered: int = 0  # questions that a server left unanswered, though another may have answered


class Resolver(Protocol):
    """Turns names into addresses. Whether we may connect to them is not asked here."""

    def resolve_nowait(self, name: str) -> Resolution | None:
        """Returns what is known of `name`; None: it has to be asked for."""
        ...

    async def resolve(self, name: str) -> Resolution:
        """Returns the addresses of `name`, or why there are none."""
        ...

    def statistics(self) -> ResolverStatistics:
        """Returns the counts so far."""
        ...


# Requests


class Fetcher(Protocol):
    """Makes one request: no redirects, no cookies, no second try."""

    async def fetch(self, lease: Lease, addresses: Sequence[str]) -> Fetched:
        """Returns what came back from the first of `addresses` that can be reached, or why nothing did.

        Cancelled, it leaves no request under way. It ends by itself within `fetch.total_timeout`.
        """
        ...


# The archive


class Earlier(Struct, frozen=True):
    """The capture that a later one repeats: where it was, when its request began, and how its records know it."""

    url: str
    at: float
    payload_digest: str = ""  # as WARC-Payload-Digest says it
    record: str = ""  # as WARC-Record-ID says it
    file: str = ""  # the WARC file that holds its payload, and where in it the record begins
    offset: int = 0


class Capture(Struct, frozen=True):
    """One fetch, answered or not, with what the page says and what we think of it."""

    fetched: Fetched
    verdict: Verdict = Verdict()
    links: Sequence[Link] = ()
    refused: Mapping[int, Reason] = {}  # why links were not followed, by their place among the links
    title: str = ""
    lang: str = ""
    encoding: str = ""  # the character encoding the page was read with
    simhash: int | None = None  # of what the page says
    earlier: Earlier | None = None  # what a 304 (Not Modified) says is still the same


class ArchiveStatistics(Struct, frozen=True):
    """Counts since the archive was opened; `waiting` is of this moment."""

    captures: int = 0
    responses: int = 0
    revisits: int = 0
    failures: int = 0  # fetches without an answer
    bytes_received: int = 0  # payloads, before compression
    bytes_written: int = 0
    batches: int = 0
    syncs: int = 0
    sealed: int = 0
    recovered: int = 0
    troubles: int = 0
    indexes_made: int = 0
    indexes_failed: int = 0
    waiting: int = 0
    sent_bytes: int = 0  # of WARC files that became safe in a bucket
    unsent_bytes: int = 0  # of this moment


class Archive(Protocol):
    """Keeps what was fetched, for ever."""

    async def append(self, capture: Capture) -> Stored:
        """Returns where the capture is, once our death can't lose it any more. MachineError if it can't be written."""
        ...

    def is_writable(self) -> bool:
        """Whether captures are taken. If not, lease nothing more and `wait_writable`."""
        ...

    @property
    def trouble(self) -> MachineError | None:
        """Why captures are not taken, in a sentence for the operator; None if they are."""
        ...

    async def wait_writable(self) -> None:
        """Returns when captures are taken again."""
        ...

    def statistics(self) -> ArchiveStatistics:
        """Returns the counts so far."""
        ...


# Between nodes


class Links(Struct, frozen=True, array_like=True, tag="links"):
    """Links for one of the receiver's shards, in batches: each a list of `Discovered`, encoded by its sender."""

    shard: int
    batches: Sequence[bytes]


class Reserve(Struct, frozen=True, array_like=True, tag="reserve"):
    """One of the receiver's hosts is wanted for a request that is not of its own queue."""

    host: str


class Release(Struct, frozen=True, array_like=True, tag="release"):
    """The request that a host was reserved for went out at this time, and this went wrong with it, if anything did."""

    host: str
    began: float
    failure: Failure | None = None


Frame: TypeAlias = Links | Reserve | Release
FrameHandler: TypeAlias = Callable[[Frame], Awaitable[float]]
"""What a node does with a frame: it returns 0 when that is done and durable, else how long to wait."""


class Bus(Protocol):
    """Carries frames between nodes. One may be lost, or arrive twice; its answer may be lost."""

    async def send(self, node: int, frame: Frame) -> float | None:
        """Returns the other node's answer, None if it could not be had: the frame may have arrived all the same."""
        ...

    def receiving(self, answer: FrameHandler) -> AbstractAsyncContextManager[None]:
        """Hands what other nodes send to `answer`, while it is open."""
        ...


# The stores of shards


class Batch(Protocol):
    """Changes that are written together or not at all."""

    def put(self, key: bytes, value: bytes) -> None:
        """Adds an entry, or replaces it."""
        ...

    def delete(self, key: bytes) -> None:
        """Removes an entry, if it is there."""
        ...

    def is_empty(self) -> bool:
        """Whether nothing was put or deleted."""
        ...


class ShardStore(Protocol):
    """Entries in the order of their keys. One writer; what `write` returned for survives our death."""

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of an entry. MachineError if the store is damaged or can't be read."""
        ...

    def get_many(self, keys: list[bytes]) -> list[bytes | None]:
        """Returns the values of entries, in the order of their keys. MachineError as `get`."""
        ...

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries that start with `prefix`, in order: all, or those whose key comes after `after`.

        They are those of the moment in which it was called. MachineError if the store is damaged or can't be read.
        """
        ...

    def batch(self) -> Batch:
        """Returns an empty batch."""
        ...

    def write(self, batch: Batch) -> None:
        """Writes all of `batch`, at once or not at all. MachineError if it can't; then none of it is there."""
        ...

    async def sync(self) -> None:
        """Returns when what was written before survives a power cut too. MachineError if it can't be."""
        ...

    async def compact(self) -> None:
        """Returns when what was deleted or replaced takes no room any more. MachineError if it can't be."""
        ...

    def read_beside(self, name: str) -> bytes | None:
        """Returns a file that lies beside the store, None if there is none."""
        ...

    def write_beside(self, name: str, content: bytes) -> bool:
        """Writes a file beside the store, which may be lost or torn; False if it could not be."""
        ...

    def close(self) -> None:
        """Lets go of the store. Whoever opens it next sees what was written."""
        ...


class Stores(Protocol):
    """All stores of a crawl, as far as this node may open them; and the memory that those which are open share."""

    def is_made(self, shard: int) -> bool:
        """Whether the shard's store was ever opened by anybody."""
        ...

    def open(self, shard: int) -> ShardStore:
        """Returns the store of a shard, made if there is none. MachineError if it is damaged or another has it open."""
        ...

    def room(self) -> float:
        """Returns how many bytes are free where the stores are; infinity if nobody can say."""
        ...

    def take_memory(self, size: int) -> bool:
        """Takes so many bytes for a filter; False if filters have had their part."""
        ...

    def give_memory_back(self, size: int) -> None:
        """Undoes `take_memory`."""
        ...


# The engine of a fleet

LOG, LINKS = "log", "links"
"""The topics with a partition for each shard: what the shard holds, and what others have for it."""


class Broker(Protocol):
    """Partitions that only grow, and a group whose members share the shards. One member's way to both."""

    async def append(self, topic: str, partition: int, record: bytes) -> int | None:
        """Returns the offset of a record that no broker's death can lose; None: nobody can say.

        Then it may be there, or come to be there at any time, or never. Offsets count on by one.
        """
        ...

    async def read(self, topic: str, partition: int, start: int, end: int) -> Sequence[tuple[int, bytes]]:
        """Returns records from `start` on, with their offsets: some, and at least one, of those before `end`.

        They must have been written. MachineError if they are gone.
        """
        ...

    def follow(self, partition: int, start: int, take: Callable[[int, bytes], None]) -> None:
        """Hands the links of a shard to `take`, from `start` on and as they come, each with its offset."""
        ...

    def unfollow(self, partition: int) -> None:
        """Ends `follow`."""
        ...

    def wanted(self) -> frozenset[int]:
        """Returns the shards that the group wants us to own. Whether we do, and another does not, the log says."""
        ...

    def given_up(self, shards: Collection[int]) -> None:
        """Tells the group that we own nothing but `shards` any more: others may take the rest."""

    def leave(self) -> None:
        """Leaves the group; nothing is wanted of us any more, and no links come. Records can be appended as before."""


# Blobs: what lies in a bucket


class Blob(Struct, frozen=True):
    """What is known of a blob without its content."""

    key: str
    size: int
    changed: float


class GrowingBlob(Protocol):
    """A blob that is sent while it is made. Nobody sees any of it before it is complete. BlobsError as in `Blobs`."""

    async def append(self, content: bytes) -> None:
        """Adds to its end, and returns when the next may come: memory is bounded by a few parts."""
        ...

    async def complete(self) -> None:
        """Returns when the whole of it is there, for good."""
        ...

    async def abandon(self) -> None:
        """Gives it up. What was there under its key before, is still; this raises nothing."""
        ...


class Blobs(Protocol):
    """Blobs below one prefix, by key: `warc/2026/11/18/a.warc.gz`. What was put is there, whole, for whoever asks next.

    Tries that fail for the moment are repeated with growing waits for a while; then BlobsError is raised, and `kind`
    says whether the same may work later (`away`) or somebody has to do something first (`denied`, `missing`).
    No error names a credential.
    """

    async def put(self, key: str, content: bytes) -> None:
        """Returns when the blob is there; one with that key is replaced."""
        ...

    async def create(self, key: str, content: bytes) -> bool:
        """Puts a blob unless there is one with that key; whether what is there now is what was given."""
        ...

    def begin(self, key: str, tags: Mapping[str, str] | None = None) -> GrowingBlob:
        """Returns a blob to append to; once complete it replaces one with that key. Tags are for the bucket's rules."""
        ...

    async def get(self, key: str) -> bytes | None:
        """Returns the content of a blob, None if there is none."""
        ...

    async def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """Returns so much of a blob as there is from `start` on, None if there is no blob."""
        ...

    async def find(self, key: str) -> Blob | None:
        """Returns what is known of a blob, None if there is none."""
        ...

    def list(self, folder: str) -> AsyncIterator[Blob]:
        """Yields the blobs below a folder (`warc`, or nothing: all), in the order of their keys."""
        ...

    async def delete(self, key: str) -> None:
        """Returns when there is no blob with that key."""
        ...


# The operator, and a death that must be remembered


class Seeds(Struct, frozen=True, tag="seeds", tag_field="do"):
    """Offer these URLs."""

    seeds: Sequence[Discovered]


class Pause(Struct, frozen=True, tag="pause", tag_field="do"):
    """Leave a host alone."""

    host: str


class Resume(Struct, frozen=True, tag="resume", tag_field="do"):
    """Take a host up again."""

    host: str


class Rate(Struct, frozen=True, tag="rate", tag_field="do"):
    """Visit a host with this delay, as agreed with it; None: as everyone."""

    host: str
    delay: float | None


class Refuse(Struct, frozen=True, tag="refuse", tag_field="do"):
    """Do not use what was learnt about a piece of a host's URLs; or use it again."""

    host: str
    name: str
    is_refused: bool = True


class Revive(Struct, frozen=True, tag="revive", tag_field="do"):
    """Try dead URLs of a shard again, or those that were purged, of one host or of all."""

    shard: int
    host: str | None = None
    is_purged: bool = False
    at: float = 0.0  # when it was said: done again after a kill, it leaves what was given up since as it is


class Recrawl(Struct, frozen=True, tag="recrawl", tag_field="do"):
    """See pages of a shard again now: one URL, by its fingerprint, those of a host, or all."""

    shard: int
    host: str | None = None
    fingerprint: bytes = b""
    at: float = 0.0  # when it was said: done again after a kill, it leaves what was fetched since as it is


class Allow(Struct, frozen=True, tag="allow", tag_field="do"):
    """Vouch for a domain, whatever was thought of it."""

    domain: str


class Block(Struct, frozen=True, tag="block", tag_field="do"):
    """Fetch nothing more of a domain."""

    domain: str


class Boost(Struct, frozen=True, tag="boost", tag_field="do"):
    """Fetch so many pages of a domain before all others."""

    domain: str
    pages: int


class HostRank(Struct, frozen=True, array_like=True):
    """What the look at the whole graph found of a host: with an `original`, it is a mirror of that one."""

    host: str
    worth: float
    original: str = ""  # scheme, name and port
    agreed: int = 0  # paths that say the same on both
    differed: int = 0


class Ranks(Struct, frozen=True, tag="ranks", tag_field="do"):
    """What domains are worth, by the look at the whole graph, and what it found of hosts."""

    worths: Sequence[tuple[str, float]] = ()
    hosts: Sequence[HostRank] = ()


Instruction: TypeAlias = Seeds | Pause | Resume | Rate | Refuse | Revive | Recrawl | Allow | Block | Boost | Ranks


class Inbox(Protocol):
    """The operator's instructions. Each stays until it is `done`; to carry one out twice is harmless."""

    def pending(self, shards: Collection[int]) -> Iterator[tuple[str, Instruction]]:
        """Yields those for `shards`, each with its name, oldest first. MachineError at one that can't be read."""
        ...

    def done(self, name: str) -> None:
        """Forgets an instruction that is carried out, and durably so."""
        ...

    def seeds(self) -> Sequence[str] | None:
        """Returns all seeds of the crawl if they changed since the last call, else None."""
        ...


class CrashMarker(Protocol):
    """Remembers, past our death, which page was being read."""

    def holding(self, shard: int, fingerprint: bytes) -> AbstractContextManager[None]:
        """Remembers the page while it is read."""
        ...

    def left(self) -> tuple[int, bytes] | None:
        """Returns shard and fingerprint of the page that the process before us died with."""
        ...

    def drop(self) -> None:
        """Remembers nothing any more."""
        ...
