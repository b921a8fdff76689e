"""Captures that go to the file in one write: their bytes, and where each will be."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from skitter.messages import Stored
from skitter.ports import Capture, Earlier
from skitter.store.bodies.memory import StoredBody
from skitter.store.index.entries import AnswerEntry, Entry, answer_of
from skitter.store.index.facts import encode_apart, facts_of
from skitter.store.warc import records
from skitter.store.warc.dates import MICRO
from skitter.store.warc.members import gzip_member
from skitter.store.warc.payload import Digests, digests_of

Member: TypeAlias = tuple[int, int]
"""Offset and length of a record in the file."""


class Batch:
    """Records for one file, from its offset `at`. Nothing is written here: `content` is what to write."""

    def __init__(self, file: str, at: int, level: int, find: Callable[[bytes], StoredBody | None]) -> None:
        self._file = file
        self._at = at
        self.end = at  # of the file, once this is written
        self._level = level
        self._find = find
        self._members: list[bytes] = []
        self._fresh: dict[bytes, StoredBody] = {}  # payloads of this very batch: the memory does not know them yet
        self.originals: set[str] = set()  # the files that hold what was found
        self.stored: list[Stored] = []
        self.entries: list[Entry] = []

    def follows(self, file: str, end: int) -> bool:
        """Whether the batch belongs at the end of this file."""
        return (file, end) == (self._file, self._at)

    @property
    def content(self) -> bytes:
        """The bytes to write at the batch's offset."""
        return b"".join(self._members)

    @property
    def places(self) -> list[tuple[bytes, StoredBody]]:
        """What the memory of payloads is to learn once the bytes are written."""
        return list(self._fresh.items())

    def add_raw(self, raw: bytes) -> Member:
        """Takes one record, and returns offset and length of its member."""
        member = gzip_member(raw, self._level)
        offset = self.end
        self._members.append(member)
        self.end += len(member)
        return offset, len(member)

    def add(self, capture: Capture, digests: Digests | None = None) -> None:
        """Takes the records of one fetch: its request if one was sent, its answer if there was one, its metadata.

        `digests` are its digests, if somebody knows them already.
        """
        fetched, event = capture.fetched, records.event_of(capture.fetched)
        is_answered = bool(fetched.status and fetched.response_head)
        request_id, answer_id, own_id, snapshot_id = records.new_ids()
        known = (digests or digests_of(fetched)) if is_answered else None
        facts = facts_of(capture, known.content if known else "")
        # Made before anything is compressed, which leaves less of it in the processor's caches: 1 to 3 µs a page.
        concurrent = answer_id if is_answered else request_id if fetched.request_head else None
        metadata = records.metadata(event, own_id, concurrent, encode_apart(facts))
        if fetched.request_head:
            self.add_raw(records.request(event, request_id, answer_id if is_answered else None))
        answer, place = self._add_answer(capture, event, answer_id, known) if known else (None, None)
        last = self.add_raw(metadata)
        if capture.snapshot is not None and is_answered:
            dom = capture.snapshot.dom
            self.add_raw(records.resource(event, snapshot_id, answer_id, dom, facts.rendered_digest))
        offset, length = place or last
        self.entries.append(Entry(event.target, event.micros, fetched.address or "", offset, length, answer, facts))
        is_revisit = answer is not None and answer.revisit
        self.stored.append(Stored(facts.content_digest, self._file, offset, length, is_revisit))

    def _add_answer(
        self, capture: Capture, event: records.Event, record_id: str, digests: Digests
    ) -> tuple[AnswerEntry, Member]:
        repeated = self._repeated(capture, digests)
        if repeated:
            earlier, profile = repeated
            place = self.add_raw(records.revisit(event, record_id, earlier, profile))
            answer = _revisit_answer(event, earlier)
        else:
            place = self.add_raw(records.response(event, record_id, digests.payload))
            answer = _response_answer(event, digests)
            self._learn(event, record_id, digests, place[0])
        return answer, place

    def _repeated(self, capture: Capture, digests: Digests) -> tuple[Earlier, str] | None:
        if capture.fetched.status == 304 and capture.earlier:
            return capture.earlier, records.NOT_MODIFIED
        if digests.key is None:
            return None
        place = self._fresh.get(digests.key) or self._find(digests.key)
        if place is None:
            return None
        self.originals.add(place.file)
        earlier = Earlier(place.url, place.micros / MICRO, place.payload_digest, place.record, place.file, place.offset)
        return earlier, records.SAME_PAYLOAD

    def _learn(self, event: records.Event, record_id: str, digests: Digests, offset: int) -> None:
        if digests.key and event.is_plain:
            place = StoredBody(event.target, event.micros, digests.payload, record_id, self._file, offset)
            self._fresh[digests.key] = place


def _response_answer(event: records.Event, digests: Digests) -> AnswerEntry:
    fetched, truncated = event.fetched, event.fetched.truncated or ""
    if event.is_plain:
        return AnswerEntry(event.status, event.mime, digests.payload, len(fetched.payload), truncated, revisit=False)
    return answer_of(fetched.response_head + fetched.payload, "", truncated, revisit=False)


def _revisit_answer(event: records.Event, earlier: Earlier) -> AnswerEntry:
    if event.is_plain:
        return AnswerEntry(event.status, event.mime, earlier.payload_digest, 0, "", revisit=True)
    return answer_of(event.fetched.response_head, earlier.payload_digest, "", revisit=True)
