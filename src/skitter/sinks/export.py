"""What a crawl has stored so far, brought to a sink once. Killed at any moment, the same command goes on.

An export to the address of one of the crawl's own sinks, of the same tables, goes on where that one is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from xxhash import xxh3_64_hexdigest

from skitter import __version__
from skitter.errors import OperatorError, SinkError
from skitter.folder.atomic import write_whole
from skitter.ports import Sink
from skitter.settings import Settings
from skitter.sinks.address import SinkAddress
from skitter.sinks.feed import Feed
from skitter.sinks.kept import Bookmarks, crawl_id, folder_of, held
from skitter.sinks.opening import Place, opened_sink
from skitter.sinks.source import MANY as SOME
from skitter.sinks.source import ArchiveSource, Source
from skitter.sinks.text import TABLE as TEXT
from skitter.sinks.text import TextSource

PATIENCE = 30.0
"""Seconds that a sink may be away before we give up."""
MANIFEST, EXPORTS = "manifest.json", "exports.jsonl"
MANY = 20_000
"""Captures in a batch for Parquet: each batch is a file."""


class Order(Struct, frozen=True):
    """What is to be exported. `out` is the folder of Parquet files, if that is what is wanted."""

    address: SinkAddress
    since: datetime | None = None
    despite: Sequence[str] = ()
    out: Path | None = None

    @property
    def is_text(self) -> bool:
        """Whether it is about the text table."""
        return TEXT in self.address.tables

    @property
    def name(self) -> str:
        """What its bookmark is called: that of a live sink, if it brings the same."""
        if not self.is_text and self.since is None:
            return self.address.name
        terms = f"{self.since} {sorted(self.despite)}"
        return f"{self.address.name}-{xxh3_64_hexdigest(terms.encode())}"


class PartFile(Struct, frozen=True):
    """A file that an export wrote."""

    name: str
    rows: int
    sha256: str


class Exported(Struct, frozen=True):
    """What an export came to; also what its manifest says."""

    version: int
    skitter: str
    crawl: str
    to: str
    tables: Sequence[str]
    since: str | None
    despite: Sequence[str]  # signals of sites that were passed over, by the operator's word
    at: float
    rows: int  # of this run
    kept_back: int  # texts that their sites keep back, of all runs
    kept_back_by: dict[str, int]
    files: Sequence[PartFile] = ()


def export(
    directory: Path,
    archive: Path,
    settings: Settings,
    order: Order,
    *,
    on_batch: Callable[[int], None] = lambda _: None,
    patience: float = PATIENCE,
) -> Exported:
    """Brings what is in `archive`, the folder of the crawl in `directory` or one made of it and its bucket.

    SinkError if the sink is away for longer than `patience`, or refuses us; OperatorError for what can't be.
    """
    sources: list[TextSource] = []

    def source(bookmark: bytes | None) -> Source:
        if not order.is_text:
            tables, since = order.address.tables, order.since
            return ArchiveSource(archive, bookmark, tables, since, many=SOME if order.out is None else MANY)
        sources.append(TextSource(archive, bookmark, order.despite, order.since))
        return sources[-1]

    is_stream = order.address.target == "jsonl:-"
    with held(directory, order.name):
        kept = None if is_stream else Bookmarks(directory, order.name)
        feed = Feed(str(order.address), _sink(directory, settings, order), source, kept, time.time)
        try:
            _feed(feed, on_batch, patience)
        finally:
            feed.close()
    last = sources[-1] if sources else None
    done = Exported(
        1,
        __version__,
        crawl_id(directory),
        str(order.address),
        order.address.tables,
        None if order.since is None else order.since.isoformat(),
        sorted(set(order.despite)),
        time.time(),
        feed.rows,
        0 if last is None else last.rows_kept_back,
        {} if last is None else dict(last.kept_back),
        [] if order.out is None else _files(order.out),
    )
    _write_manifest(directory, order, done)
    return done


def _sink(directory: Path, settings: Settings, order: Order) -> Sink:
    if order.out is not None:
        from skitter.sinks.parquet import ParquetSink

        return ParquetSink(order.out, order.address.tables)
    is_live = order.name == order.address.name
    return opened_sink(order.address, Place(directory, settings, "archive" if is_live else order.name))


def _feed(feed: Feed, on_batch: Callable[[int], None], patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            if not feed.step():
                return
        except SinkError as error:
            wait = feed.failed(error)
            if error.kind == "refused" or time.monotonic() + wait > until:
                raise
            time.sleep(wait)
        else:
            until = time.monotonic() + patience
            on_batch(feed.rows)


def _files(out: Path) -> list[PartFile]:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    return [
        PartFile(
            path.relative_to(out).as_posix(), pq.read_metadata(path).num_rows, sha256(path.read_bytes()).hexdigest()
        )
        for path in sorted(out.glob("*/part-*.parquet"))
    ]


def _write_manifest(directory: Path, order: Order, done: Exported) -> None:
    """Writes what was exported, and on what terms: beside the files, and always as a line in the crawl's folder."""
    told = msgspec.json.encode(done)
    with (folder_of(directory) / EXPORTS).open("ab") as file:
        file.write(told + b"\n")
    if order.out is not None:
        write_whole(order.out / MANIFEST, msgspec.json.format(told) + b"\n")


def require_signals(names: Collection[str], known: Collection[str]) -> None:
    """Raises for a signal that nobody knows."""
    for name in names:
        if name not in known:
            raise OperatorError("--despite", name, f"must be one of {', '.join(known)}")
