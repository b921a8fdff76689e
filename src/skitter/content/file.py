"""One WARC file, read into the tables `text` and `images`. They are there whole, or not at all; `text` is named last.

The file is gone through once, record by record. A snapshot follows its answer, and what a site says of all its pages
comes before them; what it said in earlier files is found by the captures tables.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import Struct, structs

from skitter.content.answer import answer_in
from skitter.content.capture import Row, Seen, image_row, text_row, told_by
from skitter.content.documents.document import Limits, Reader, Told
from skitter.content.optout import OptOut, opt_out
from skitter.content.site import ROBOTS, TDMREP, Said, Sites
from skitter.errors import MachineError
from skitter.messages import Errand, Headers
from skitter.settings import Settings
from skitter.store.index.contents import SCHEMAS
from skitter.store.index.entries import Entry, entry_of
from skitter.store.index.facts import DROPPED, without_links
from skitter.store.index.parquet import Table
from skitter.store.index.paths import content_paths, index_paths, temporary
from skitter.store.warc.dates import from_warc_date
from skitter.store.warc.follow import wholes
from skitter.store.warc.original import whole_answer
from skitter.store.warc.reader import Reader as WarcReader
from skitter.store.warc.reader import Record
from skitter.store.warc.records import RENDERED
from skitter.store.warc.repair import damaged, whole_records
from skitter.url.keys import host_of, origin_of

if TYPE_CHECKING:  # few crawls have any
    from skitter.plugins.steps import Looked

READ = frozenset({Errand.PAGE, Errand.RENDER, Errand.FEED, ""})
"""Errands whose answers are documents; nothing is known of an answer whose metadata a crash took."""
GROUP, GROUP_BYTES = 2000, 32 * 1024**2
_HTTP = ("http://", "https://")


class Rules(NamedTuple):
    """What reading depends on beside the archive."""

    settings: Settings
    readers: Mapping[str, Reader]
    looked: Callable[[Seen, Told], Looked] | None = None  # asks page filters again; None: as was said in the crawl

    @property
    def limits(self) -> Limits:
        """How much is read of a document, and how well."""
        parse = self.settings.parse
        return Limits(self.settings.content.text, parse.max_html, parse.max_text)


class Made(Struct, frozen=True):
    """What came of one file."""

    file: str
    text: int = 0
    images: int = 0
    trouble: str = ""  # why nothing did


def make_contents(directory: Path, path: Path, out: Path, rules: Rules) -> Made:
    """Writes the tables of the WARC file at `path`, of the crawl in `directory`, into `out`.

    MachineError if it is damaged; FileNotFoundError if it is gone.
    """
    finals = content_paths(out, path.name)
    for place in finals.values():
        place.parent.mkdir(parents=True, exist_ok=True)
    tables = {name: _Rows(Table(temporary(place), SCHEMAS[name])) for name, place in finals.items()}
    try:
        for name, row, size in _rows(directory, path, rules):
            tables[name].add(row, size)
        for table in tables.values():
            table.close()
    except BaseException as error:
        for name, table in tables.items():
            table.drop()
            temporary(finals[name]).unlink(missing_ok=True)
        if isinstance(error, ValueError):
            raise damaged(path, 0, f"a record is not as Skitter writes it: {error}") from error
        raise
    for place in finals.values():
        temporary(place).rename(place)
    return Made(path.name, tables["text"].count, tables["images"].count)


class _Rows:
    """A table that is written in groups by what is in them, since a row may be a byte or a megabyte."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._bytes = self._held = 0
        self.count = 0

    def add(self, row: Row, size: int) -> None:
        self._table.extend([row])
        self.count, self._bytes, self._held = self.count + 1, self._bytes + size, self._held + 1
        if self._bytes >= GROUP_BYTES or self._held >= GROUP:
            self._table.flush()
            self._bytes = self._held = 0

    def close(self) -> None:
        self._table.close()

    def drop(self) -> None:
        with contextlib.suppress(OSError, MachineError):
            self._table.drop()


def _rows(directory: Path, path: Path, rules: Rules) -> Iterator[tuple[str, Row, int]]:
    settings = rules.settings
    sites = Sites(directory, settings.identity.robots_token, settings.robots.max_bytes)
    sites.look_up(path.name, _origins(directory, path))
    for seen in _captures(directory / "warc", path, sites):
        yield from _of(seen, sites, rules)


def _of(seen: Seen, sites: Sites, rules: Rules) -> Iterator[tuple[str, Row, int]]:
    if seen.is_dropped and rules.looked is None:
        return
    told = told_by(seen, rules.limits, rules.readers)
    if rules.looked is not None:
        looked = rules.looked(seen, told)
        if not looked.keep:
            return
        seen = structs.replace(seen, fields=looked.fields)
    reserved = _reserved(seen, told.metas, sites, rules)
    yield "text", text_row(seen, told, reserved), len(told.text)
    if seen.media.startswith("image/"):
        yield "images", image_row(seen, reserved), len(seen.url)


def _reserved(seen: Seen, metas: object, sites: Sites, rules: Rules) -> OptOut:
    return opt_out(
        seen.headers,
        metas,  # type: ignore[arg-type]
        rules.settings.identity.robots_token,
        url=seen.url,
        signals=sites.signals(seen.url, seen.micros),
        tdmrep=sites.tdmrep(seen.url, seen.micros),
    )


def _origins(directory: Path, path: Path) -> set[str]:
    """Returns whose documents a file holds: by its index if that is there, else by a look through all of it."""
    try:
        urls = pq.read_table(index_paths(directory, path.name)["captures"], columns=["url"], use_threads=False)["url"]
        listed = urls.to_pylist()
    except (pa.ArrowException, OSError):
        listed = [record.fields.get("warc-target-uri", "") for record in WarcReader(path, verify=False)]
    return {origin_of(url) for url in listed if url.startswith(_HTTP)}


def _captures(warc: Path, path: Path, sites: Sites) -> Iterator[Seen]:
    """Yields the documents in a file with their bodies; of what was rendered, the snapshot.

    What a site says of all its pages is noted on the way: it was asked for before them. A digest in the file's heads
    need not be compared: each gzip member has its checksum.
    """
    for whole in wholes(whole_records(path, verify=False), is_sealed=True):
        answer, metadata = whole.answer, whole.metadata
        if answer is None:
            continue
        url = answer.fields.get("warc-target-uri", "")
        told = None if metadata is None else without_links(metadata.block)
        entry = entry_of(answer, None if metadata is None else metadata._replace(block=told or b""))
        if url.endswith((ROBOTS, TDMREP)) and entry.answer is not None:
            sites.note(url, Said(entry.micros, entry.answer.status, path.name, answer.offset))
        seen = _seen(entry, answer, warc, path.name)
        if whole.snapshot is not None:
            yield from _snapshot(whole.snapshot, seen.headers if seen else (), entry, path.name)
        elif seen is not None:
            yield seen


def _seen(entry: Entry, record: Record, warc: Path, file: str) -> Seen | None:
    facts, answer = entry.facts, entry.answer
    if answer is None or facts.errand not in READ or not 200 <= answer.status < 300 or not entry.url.startswith(_HTTP):
        return None
    block = whole_answer(record, warc)
    found = None if block is None else answer_in(block, facts.content_length)
    if found is None or not found.body:
        return None
    return Seen(
        entry.url,
        facts.host or host_of(entry.url),
        entry.micros,
        answer.status,
        found.headers,
        found.body,
        file,
        entry.offset,
        entry.length,
        digest=facts.content_digest,
        size=facts.content_length,
        parent=facts.parent,
        fields=facts.fields,
        is_revisit=answer.revisit,
        is_known=answer.revisit and record.fields.get("warc-refers-to-target-uri") == entry.url,
        is_dropped=facts.verdict == DROPPED,
    )


def _snapshot(record: Record, sent: Headers, entry: Entry, file: str) -> Iterator[Seen]:
    """Yields what a browser made of a page; its headers are those of the answer."""
    fields, facts = record.fields, entry.facts
    url = fields.get("warc-target-uri", "").removeprefix(RENDERED)
    if not url.startswith(_HTTP) or not record.block:
        return
    kind = fields.get("content-type", "text/html")
    others = [(name, value) for name, value in sent if name.lower() != "content-type"]
    yield Seen(
        url,
        facts.host or host_of(url),
        from_warc_date(fields["warc-date"]),
        entry.answer.status if entry.answer is not None else 200,
        [("Content-Type", kind), *others],
        record.block,
        file,
        record.offset,
        record.length,
        digest=fields.get("warc-payload-digest", fields.get("warc-block-digest", "")),
        parent=facts.parent,
        fields=facts.fields,
        is_rendered=True,
        is_dropped=facts.verdict == DROPPED,
    )
