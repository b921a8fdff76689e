"""From the records of a file to the exchanges that they tell of: a request, its answer, and what was made of it. Pure.

The records of one exchange stand together, the metadata record last. A crash may leave the last exchange of a file
without its end; anywhere else a record that lacks the others is a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skitter.fetch.request import target_of
from skitter.store.warc.reader import Record

ANSWERS = ("response", "revisit")


class Exchange(NamedTuple):
    """The records of one request. A request that reached nobody has only its metadata."""

    request: Record | None = None
    answer: Record | None = None
    metadata: Record | None = None

    @property
    def records(self) -> list[Record]:
        """Those that are there, in the order of the file."""
        return [record for record in self if record is not None]

    @property
    def first(self) -> Record:
        """The one that stands first."""
        return self.records[0]


def exchanges(records: Iterable[Record]) -> Iterator[Exchange]:
    """Yields the exchanges. Only the last of a file may lack its end; records of other kinds belong to none."""
    open_: dict[str, Record] = {}
    for record in records:
        place = "answer" if record.kind in ANSWERS else record.kind
        if place not in Exchange._fields:
            continue
        if open_ and (place == "request" or place in open_):
            yield Exchange(**open_)
            open_ = {}
        open_[place] = record
        if place == "metadata":
            yield Exchange(**open_)
            open_ = {}
    if open_:
        yield Exchange(**open_)


def faults_of(exchange: Exchange) -> Iterator[str]:
    """Yields what shows that the records of an exchange do not belong together."""
    request, answer, metadata = exchange
    if metadata is None:
        yield "there is no metadata record"
    if answer is not None and request is None:
        yield "there is an answer, but no request"
    for name in ("warc-target-uri", "warc-date"):
        if len({record.fields.get(name) for record in exchange.records}) > 1:
            yield f"the records do not have the same {name}"
    if request is not None and answer is not None and not _names(request, answer):
        yield "the request does not name the answer"
    told = answer or request
    if metadata is not None and told is not None and not _names(metadata, told):
        yield "the metadata record is about another answer"
    if request is not None and not _is_for(request):
        yield "the request was for another URL"


def _names(record: Record, other: Record) -> bool:
    return record.fields.get("warc-concurrent-to") == other.fields["warc-record-id"]


def _is_for(request: Record) -> bool:
    """Whether the bytes that were sent ask for the URL that the record names."""
    try:
        target = target_of(request.fields.get("warc-target-uri", ""))
    except ValueError:
        return False
    lines = request.block.split(b"\r\n")
    hosts = [line.partition(b":")[2].strip() for line in lines if line[:5].lower() == b"host:"]
    words = lines[0].split(b" ")
    return words[1:2] == [target.path.encode()] and hosts == [target.authority.encode()]
