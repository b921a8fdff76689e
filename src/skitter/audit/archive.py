"""Reads each WARC file once, from end to end: checks its records, and hands on what they tell of requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from skitter.audit.answer import payload_of
from skitter.audit.exchange import ANSWERS, Exchange, exchanges, faults_of
from skitter.audit.host import Source
from skitter.audit.promise import Promise, promise_of
from skitter.audit.report import Breach, Tally, Violation
from skitter.audit.sorting import Held, Reference, SortedVisits
from skitter.audit.visit import key_of, visits_of
from skitter.errors import MachineError
from skitter.messages import Errand
from skitter.store.index.facts import Facts, decode, without_links
from skitter.store.warc.file import OPEN
from skitter.store.warc.reader import Reader, Record, has_record_after, is_digest_right
from skitter.store.warc.records import RENDERED

KINDS = frozenset({"warcinfo", "request", "response", "revisit", "metadata", "resource"})
STEP = 16 * 1024**2
"""Progress is told after this many bytes, and at the end of each file."""


class ArchiveReading:
    """Fills a visits and a tally from files, and counts."""

    def __init__(
        self,
        visits: SortedVisits,
        tally: Tally,
        *,
        digests: bool,
        on_read: Callable[[int], None],
        only: str | None = None,
    ) -> None:
        self._only = only  # the host whose requests count
        self._visits = visits
        self._tally = tally
        self._digests = digests
        self._on_read = on_read
        self.sources: list[Source] = []
        self.notes: list[str] = []
        self.records = self.requests = self.robots = self.size = 0

    def read(self, path: Path) -> None:
        """Reads one file. MachineError if the disk does not let us."""
        name = path.name.removesuffix(OPEN)
        self.sources.append(Source(name, Promise()))
        reader = Reader(path, verify=False)
        try:
            last: Exchange | None = None
            for exchange in exchanges(self._checked(reader)):
                if last is not None:
                    self._take(last)
                last = exchange
            if last is not None:
                self._take(last, is_last=True)
            self._end(path, reader)
        except OSError as error:
            raise MachineError(f"A WARC file can't be read ({error})", str(path), "Make it readable.") from error

    def _checked(self, reader: Reader) -> Iterator[Record]:
        """Yields the records of a file that belong to exchanges, after a look at each."""
        told, answer = 0, None
        for at, record in enumerate(reader):
            self.records += 1
            if record.kind not in KINDS:
                self._note(Breach.MISMATCHED, record, f"a record of a kind that is never written: {record.kind[:40]}")
            answer = record if record.kind in ANSWERS else answer
            if record.kind == "resource" and not _is_of(record, answer):
                self._note(Breach.MISMATCHED, record, "a snapshot of another page than the one before it")
            if self._digests:
                self._check_digests(record)
            if at == 0:
                self._open(record)
            elif record.kind == "warcinfo":
                self._note(Breach.MISMATCHED, record, "settings change in the middle of the file")
            yield record
            if reader.end - told >= STEP:
                self._on_read(reader.end - told)
                told = reader.end
        self.size += reader.end
        self._on_read(reader.end - told)

    def _open(self, first: Record) -> None:
        promise = promise_of(first.block) if first.kind == "warcinfo" else None
        if promise is None:
            self._note(Breach.NO_SETTINGS, first, "its first record has no readable `configuration`")
        else:
            self.sources[-1] = self.sources[-1]._replace(promise=promise)

    def _check_digests(self, record: Record) -> None:
        if not is_digest_right(record.fields.get("warc-block-digest"), record.block):
            self._note(Breach.BAD_DIGEST, record, "WARC-Block-Digest")
        if record.kind == "response":
            payload = payload_of(record.block)
            if not is_digest_right(record.fields.get("warc-payload-digest"), payload):
                self._note(Breach.BAD_DIGEST, record, "WARC-Payload-Digest")

    def _take(self, exchange: Exchange, *, is_last: bool = False) -> None:
        if is_last and exchange.metadata is None:
            self.notes.append(
                f"{self.sources[-1].name}: its last request is told of in part only, as after a crash; "
                "its delay is proved, its robots.txt is not"
            )
        else:
            for fault in faults_of(exchange):
                self._note(Breach.MISMATCHED, exchange.first, fault)
        if exchange.answer is not None:
            self._place(exchange.answer)
        facts = self._facts(exchange)
        try:
            visits = visits_of(exchange, facts, len(self.sources) - 1, self.sources[-1].promise)
        except ValueError as error:
            self._note(Breach.MISMATCHED, exchange.first, str(error))
            return
        if self._only is not None:
            visits = [visit for visit in visits if visit.host == self._only]
        for visit in visits:
            self._visits.put(visit)
        if not visits:
            return
        self.requests += visits[0].reached
        self.robots += visits[0].reached and visits[0].errand == Errand.ROBOTS

    def _facts(self, exchange: Exchange) -> Facts:
        if exchange.metadata is None:
            return Facts()
        try:
            # The links are most of the block and come last; nothing here depends on them.
            facts = decode(without_links(exchange.metadata.block))
        except ValueError as error:
            self._note(Breach.MISMATCHED, exchange.metadata, f"the metadata record can't be read ({error})")
            return Facts()
        if exchange.request is None and exchange.answer is None and not facts.failure:
            self._note(Breach.MISMATCHED, exchange.metadata, "there is neither a request nor a failure")
        return facts

    def _place(self, answer: Record) -> None:
        """Takes note of where an answer is, and of what it refers to."""
        fields, file = answer.fields, len(self.sources) - 1
        said = fields.get("warc-payload-digest")
        digest = key_of(said) if said else None
        record = key_of(fields["warc-record-id"]) if answer.kind == "response" else None
        capture = _capture_key(fields.get("warc-target-uri"), fields["warc-date"])
        self._visits.hold(Held(record, capture, digest, file, answer.offset))
        if answer.kind == "revisit":
            refers = fields.get("warc-refers-to")
            earlier = _capture_key(fields.get("warc-refers-to-target-uri"), fields.get("warc-refers-to-date"))
            self._visits.refer(Reference(key_of(refers) if refers else None, earlier, digest, file, answer.offset))

    def _end(self, path: Path, reader: Reader) -> None:
        """Takes note of how the reading of a file ended."""
        broken = reader.broken
        if broken is None:
            return
        is_growing = path.name.endswith(OPEN) and (broken.torn or not has_record_after(path, broken.offset))
        if is_growing:
            self.notes.append(
                f"{path.name}: is being written, or was left open; what follows offset {broken.offset} is no record yet"
            )
            return
        why = f"{broken.why}; what follows was not read"
        self._tally.add(Violation(Breach.DAMAGED, self.sources[-1].name, broken.offset, why))

    def _note(self, kind: Breach, record: Record, why: str) -> None:
        url = record.fields.get("warc-target-uri")
        urls = [] if url is None else [url]
        self._tally.add(Violation(kind, self.sources[-1].name, record.offset, why, urls=urls))


def _capture_key(url: str | None, date: str | None) -> int:
    return key_of(f"{date} {url}")


def _is_of(snapshot: Record, answer: Record | None) -> bool:
    """Whether a snapshot says that it is of this answer."""
    if answer is None or snapshot.fields.get("warc-refers-to") != answer.fields["warc-record-id"]:
        return False
    return snapshot.fields.get("warc-target-uri") == f"{RENDERED}{answer.fields.get('warc-target-uri')}"
