"""What the indexes need to know of a capture, told by the writer as it writes or read again from a WARC file.

Both ways must tell the same: an index that is made after a crash equals the one that the crash prevented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from skitter.store.index.facts import Facts, decode
from skitter.store.warc.dates import from_warc_date
from skitter.store.warc.heads import head_length, status_and_mime
from skitter.store.warc.reader import Record


class AnswerEntry(Struct, frozen=True):
    """A response or revisit record."""

    status: int
    mime: str
    payload_digest: str
    payload_length: int  # in the file: 0 for a revisit
    truncated: str
    revisit: bool


class Entry(Struct, frozen=True):
    """One fetch. `offset` and `length` are those of its answer, or of its metadata record if it had none."""

    url: str
    micros: int
    address: str
    offset: int
    length: int
    answer: AnswerEntry | None
    facts: Facts


def entries_of(records: Iterable[Record]) -> Iterator[Entry]:
    """Yields the captures that the records tell of. ValueError if a record is not as Skitter writes it.

    The metadata record follows its answer. A crash between the two leaves an answer of which nothing more is known.
    """
    answer: Record | None = None
    for record in records:
        facts = decode(record.block) if record.kind == "metadata" else Facts()
        if answer:
            is_told = answer.fields["warc-record-id"] == record.fields.get("warc-concurrent-to")
            yield _entry(answer, _answer(answer), facts if is_told else Facts())
            if is_told:
                answer = None
                continue
        if record.kind == "metadata":
            yield _entry(record, None, facts)
        answer = record if record.kind in ("response", "revisit") else None
    if answer:
        yield _entry(answer, _answer(answer), Facts())


def entry_of(answer: Record | None, metadata: Record | None) -> Entry:
    """Returns the capture that the records of one fetch tell of; one of them may be missing. ValueError as above."""
    facts = Facts() if metadata is None else decode(metadata.block)
    if answer is not None:
        return _entry(answer, _answer(answer), facts)
    assert metadata is not None
    return _entry(metadata, None, facts)


def answer_of(block: bytes, payload_digest: str, truncated: str, *, revisit: bool) -> AnswerEntry:
    """Returns what the block and two fields of a response or revisit record say."""
    length = head_length(block) or len(block)
    status, mime = status_and_mime(block[:length])
    return AnswerEntry(status, mime, payload_digest, len(block) - length, truncated, revisit)


def _entry(record: Record, answer: AnswerEntry | None, facts: Facts) -> Entry:
    fields = record.fields
    micros = from_warc_date(fields["warc-date"])
    address = fields.get("warc-ip-address", "")
    return Entry(fields.get("warc-target-uri", ""), micros, address, record.offset, record.length, answer, facts)


def _answer(record: Record) -> AnswerEntry:
    fields = record.fields
    digest, truncated = fields.get("warc-payload-digest", ""), fields.get("warc-truncated", "")
    return answer_of(record.block, digest, truncated, revisit=record.kind == "revisit")
