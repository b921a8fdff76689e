"""The tables that a sink may ask for, and the rows of one fetch in them. Pure.

Columns are called as in the Parquet tables of the archive, the key first. A fetch with an answer is a row of
`captures`, one without is a row of `failures`; its links are rows of `links`, and a robots.txt that was
read is one of `robots`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from skitter.ports import Rows
from skitter.url.keys import host_of, origin_of

if TYPE_CHECKING:  # whoever only asks which tables there are need not load the archive
    from skitter.store.index.entries import AnswerEntry, Entry

MICRO = 1_000_000
Row: TypeAlias = tuple[Any, ...]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Fetch(Struct, frozen=True):
    """One fetch as the archive has it: what rows are made of."""

    entry: Entry
    file: str
    host: str
    at: datetime
    body: Callable[[], str]  # its text, if it is a robots.txt that was read


class SinkTable(Struct, frozen=True):
    """A table: its columns, how many of them say which row it is, and what rows a fetch has in it."""

    columns: Sequence[str]
    keys: int
    rows: Callable[[Fetch], Iterator[Row]]


def _captures(fetch: Fetch) -> Iterator[Row]:
    entry, facts = fetch.entry, fetch.entry.facts
    answer = entry.answer
    if answer is None:
        return
    yield (
        entry.url,
        fetch.at,
        fetch.host,
        facts.errand or None,
        facts.depth,
        facts.parent or None,
        answer.status,
        answer.mime or None,
        facts.encoding or None,
        facts.lang or None,
        facts.title or None,
        _received(entry, answer),
        facts.content_length,
        facts.content_digest or None,
        answer.payload_digest or None,
        answer.revisit,
        answer.truncated or None,
        facts.insecure,
        facts.failure or None,
        facts.verdict or None,
        list(facts.reasons),
        facts.duplicate_of or None,
        facts.simhash,
        len(facts.links),
        facts.rendered or None,
        _seconds(entry),
        entry.address or None,
        fetch.file,
        entry.offset,
        entry.length,
    )


def _failures(fetch: Fetch) -> Iterator[Row]:
    entry, facts = fetch.entry, fetch.entry.facts
    if entry.answer is None:
        yield (
            entry.url,
            fetch.at,
            fetch.host,
            facts.errand or None,
            facts.depth,
            facts.tries,
            facts.failure or None,
            facts.failure_detail or None,
            _seconds(entry),
            entry.address or None,
            fetch.file,
            entry.offset,
            entry.length,
        )


def _links(fetch: Fetch) -> Iterator[Row]:
    url, at, facts = fetch.entry.url, fetch.at, fetch.entry.facts
    depth = None if facts.depth is None else facts.depth + 1
    for place, (target, tag, kind, nofollow, anchor) in enumerate(facts.links):
        yield url, at, place, target, tag, kind, nofollow, anchor or None, facts.refused.get(place), depth


def _robots(fetch: Fetch) -> Iterator[Row]:
    entry = fetch.entry
    if entry.facts.errand == "robots" and entry.answer is not None and not entry.facts.failure:
        body = None if entry.answer.revisit else fetch.body()  # a revisit: it is as it was
        yield origin_of(entry.url), fetch.at, fetch.host, entry.answer.status, body


_WHERE = ("seconds", "address", "warc_file", "warc_offset", "warc_length")

TABLES: Mapping[str, SinkTable] = {
    "captures": SinkTable(
        (
            *("url", "fetched_at", "host", "errand", "depth", "parent", "status", "mime", "encoding", "lang", "title"),
            *("bytes", "content_bytes", "digest", "payload_digest", "revisit", "truncated", "insecure", "failure"),
            *("verdict", "reasons", "duplicate_of", "simhash", "outlinks", "rendered", *_WHERE),
        ),
        2,
        _captures,
    ),
    "failures": SinkTable(
        ("url", "fetched_at", "host", "errand", "depth", "tries", "failure", "detail", *_WHERE), 2, _failures
    ),
    "links": SinkTable(
        ("source", "fetched_at", "place", "target", "tag", "kind", "nofollow", "anchor", "refused", "depth"), 3, _links
    ),
    "robots": SinkTable(("origin", "fetched_at", "host", "status", "body"), 2, _robots),
}
USUAL = ("captures", "failures")
"""What a sink gets that does not say what it wants."""


def fetch_of(entry: Entry, file: str, body: Callable[[], str] = str) -> Fetch:
    """Returns a fetch to make rows of."""
    at = _EPOCH + timedelta(microseconds=entry.micros)
    return Fetch(entry, file, entry.facts.host or host_of(entry.url), at, body)


def rows_of(fetches: Sequence[Fetch], tables: Collection[str]) -> Iterator[Rows]:
    """Yields the rows of some fetches, table by table; tables that are not of fetches are left out."""
    for name, table in TABLES.items():
        if name in tables:
            rows = [row for fetch in fetches for row in table.rows(fetch)]
            if rows:
                yield Rows(name, table.columns, table.keys, rows)


def _received(entry: Entry, answer: AnswerEntry) -> int:
    return answer.payload_length if entry.facts.received is None else entry.facts.received


def _seconds(entry: Entry) -> float | None:
    return None if entry.facts.micros is None else entry.facts.micros / MICRO
