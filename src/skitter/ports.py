"""The seams: what a node asks of the parts that touch the world, and what they promise it.

`node/build.py` chooses who keeps these promises in a real crawl, `sim/build.py` who does in a simulated one. For each
port there is one contract test in `tests/ports/`, which the real part and its twin in memory both pass.

Expected failures are values. MachineError means that the disk or the bus gave way; nothing else is raised on purpose.
Every port is for one event loop: its methods are called there and nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Annotated, Any, Protocol, TypeAlias, runtime_checkable

from msgspec import Meta, Struct

from skitter.errors import MachineError
from skitter.messages import Discovered, Failure, Fetched, Headers, Lease, Link, Rendering, Stored, Verdict
from skitter.reading.seen import Document, SeenPage, SeenUrl

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


# Browsers


class Wanted(Struct, frozen=True):
    """What a page in a browser asks for: its own document first, then its scripts and data."""

    url: str
    method: str = "GET"
    kind: str = "document"  # as the browser calls it, in lower case: document, script, fetch, xhr, image …
    headers: Headers = ()
    body: bytes = b""


class Given(Struct, frozen=True):
    """What it is given: an answer, be it a redirect; or a refusal, in a word."""

    status: int = 0
    headers: Headers = ()
    body: bytes = b""
    refusal: str = ""


Give: TypeAlias = Callable[[Wanted], Awaitable[Given]]
"""The only way out of a browser: whoever has the page rendered answers for each of its requests, as late as it must."""


class Rendered(Struct, frozen=True):
    """What a page came to in a browser."""

    dom: bytes  # the document as it stands, in UTF-8
    url: str  # where it is now: scripts may have moved it on
    is_settled: bool = True  # False: the time ran out, and this is how far it came
    seconds: float = 0.0  # from the first request to the last look
    cost: float = 0.0  # CPU seconds of the browser, as far as they can be told
    asked: int = 0  # requests that it made, its document included
    refused: int = 0  # of these


class Renderer(Protocol):
    """Runs pages in a browser that reaches nothing but through `Give`."""

    @property
    def trouble(self) -> str:
        """Why nothing can be rendered for now, in a sentence for the operator; empty if it can."""
        ...

    async def render(self, url: str, give: Give) -> Rendered | Failure:
        """Returns what the page at `url` came to. A browser that dies or hangs is a failure, and the next one is new.

        Cancelled, it leaves nothing of the page behind. It ends by itself within `render.total_timeout`, not counting
        the time that `give` takes.
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


class Snapshot(Struct, frozen=True):
    """A page as it stood in a browser, and what came of that."""

    dom: bytes
    url: str  # where it was by then
    rendering: Rendering


class Capture(Struct, frozen=True):
    """One fetch, answered or not, with what the page says and what we think of it."""

    fetched: Fetched
    verdict: Verdict = Verdict()
    links: Sequence[Link] = ()
    refused: Mapping[int, str] = {}  # why links were not followed, by their place among the links: see `Reason`
    title: str = ""
    lang: str = ""
    encoding: str = ""  # the character encoding the page was read with
    simhash: int | None = None  # of what the page says
    earlier: Earlier | None = None  # what a 304 (Not Modified) says is still the same
    received: int | None = None  # bytes of the payload as it came, if not all of them are kept
    fields: Mapping[str, str] = {}  # what plug-ins found in the page
    snapshot: Snapshot | None = None  # of a page that was rendered: title, links and all else are of this


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
    """One of the receiver's hosts is wanted for a request that is not of its own queue.

    `href` is what is to be asked for, if robots.txt has a say in it. The receiver's own answer may then be less than
    nothing: FORBIDDEN, or UNKNOWN if it has no robots.txt that holds. Whoever has read it `knows` better then.
    """

    host: str
    href: str = ""
    knows: bool = False


FORBIDDEN, UNKNOWN = -1.0, -2.0


class Release(Struct, frozen=True, array_like=True, tag="release"):
    """The request that a host was reserved for went out at this time, and this went wrong with it, if anything did."""

    host: str
    began: float
    failure: Failure | None = None
    origin: str = ""  # whose robots.txt it was for, if it was for one of that host's
    crawl_delay: float | None = None  # and what that asks for
    took: float = 0.0  # seconds, see `Fetched`


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


# Sinks: where rows about what was fetched go, beside the archive


class Rows(Struct, frozen=True):
    """Rows of one table (`docs/sinks.md` has them all). Each row has the columns in their order.

    The first `keys` columns say which row it is: one that comes again has them again, and the same elsewhere.
    Texts are as the web wrote them (any sign, NUL too), times are `datetime` in UTC, digests and the like are text.
    """

    table: str
    columns: Sequence[str]
    keys: int
    rows: Sequence[tuple[Any, ...]]

    def objects(self) -> Iterator[dict[str, Any]]:
        """Yields each row as a dict."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class Sink(Protocol):
    """Takes rows to somewhere else. One thread calls it, in a process beside the crawl: it may take its time.

    It is fed from the archive, so nothing is lost while it is slow or away: after a `SinkError` it is closed, and
    opened again later (`away`: by and by; `refused`: somebody has to do something first, it is tried less often). What
    was written since the last `commit` then comes again, and after a kill it may come again though it was committed:
    the key says so. Whoever keeps the bookmark with the rows, in one step, has each of them once.
    """

    tables: Collection[str]
    """Those that it wants."""

    def open(self) -> bytes | None:
        """Makes ready, also after `close`. Returns the last bookmark (empty: none yet); None: its caller keeps it."""
        ...

    def write(self, rows: Rows) -> None:
        """Takes rows of one table. Nobody need see them before `commit`."""
        ...

    def commit(self, bookmark: bytes) -> None:
        """Returns when all that was written is there for good, and if the sink keeps bookmarks, this one with it."""
        ...

    def close(self) -> None:
        """Lets go of everything, after an error too; what was not committed is forgotten. This raises nothing."""
        ...


# Plug-ins: the operator's own code on the path of a page (docs/plugins.md)

ReasonWord: TypeAlias = Annotated[str, Meta(pattern="^[a-z0-9_.-]{0,40}$")]
"""A reason of a plug-in, in a word: `not_english`."""
FieldMap: TypeAlias = dict[
    Annotated[str, Meta(pattern="^[A-Za-z0-9_.-]{1,100}$")], Annotated[str, Meta(max_length=65_536)]
]
"""What was found in a page, by name."""


class Remark(Struct, frozen=True, forbid_unknown_fields=True):
    """What a plug-in says of a page. Not to keep a page: it is in the archive, but in no text table and no export."""

    fields: Annotated[FieldMap, Meta(max_length=64)] = {}
    follow: bool = True  # its links
    keep: bool = True
    reason: ReasonWord = ""


class Advice(Struct, frozen=True, forbid_unknown_fields=True):
    """What a plug-in says of a URL: not to fetch it, for a reason; or what its priority is multiplied by."""

    refuse: ReasonWord = ""
    weight: Annotated[float, Meta(ge=0, le=1000)] = 1.0


class Parsed(Struct, frozen=True, forbid_unknown_fields=True):
    """What a plug-in has read out of a document. Links may be relative to its URL."""

    text: str = ""
    title: Annotated[str, Meta(max_length=65_536)] = ""
    lang: Annotated[str, Meta(max_length=100)] = ""
    links: Annotated[Sequence[str], Meta(max_length=100_000)] = ()
    fields: Annotated[FieldMap, Meta(max_length=64)] = {}


@runtime_checkable
class PageFilter(Protocol):
    """Looks at each page that came with a 2xx. Made once in each process, with its options by name.

    It may take `plugins.deadline`; whatever it raises or returns wrongly costs it this page, and never the crawl.
    With `quick = True` in its class it is called in the node itself: then nothing can end it, and all waits for it.
    """

    def filter_page(self, page: SeenPage) -> Remark | None:
        """Returns what there is to say of a page, None if nothing."""
        ...


@runtime_checkable
class UrlFilter(Protocol):
    """Looks at each URL that is found, once it is allowed by all else. Made, timed and ended as a `PageFilter`."""

    def filter_url(self, url: SeenUrl) -> Advice | None:
        """Returns what there is to say of a URL, None if it is to be fetched as any other."""
        ...


@runtime_checkable
class Parser(Protocol):
    """Reads documents of types that Skitter does not read itself. Made, timed and ended as a `PageFilter`."""

    media_types: Sequence[str]  # in lower case

    def parse(self, document: Document) -> Parsed | None:
        """Returns what a document says, None if it can't be read. It never does more than that."""
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
