"""Captures that go to the file in one write: their bytes, and where each will be."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from skitter.messages import Fetched, Stored
from skitter.store import records
from skitter.store.capture import Capture, Earlier
from skitter.store.dates import MICRO, to_micros
from skitter.store.digests import Place
from skitter.store.entries import Answer, Entry, answer_of
from skitter.store.facts import encode, facts_of
from skitter.store.heads import has_plain_end
from skitter.store.members import gzip_member
from skitter.store.payload import Digests, digests_of


class Batch:
    """Records for one file, from its offset `at`. Nothing is written here: `content` is what to write."""

    def __init__(self, file: str, at: int, level: int, find: Callable[[bytes], Place | None]) -> None:
        self._file = file
        self._at = at
        self.end = at  # of the file, once this is written
        self._level = level
        self._find = find
        self._members: list[bytes] = []
        self._fresh: dict[bytes, Place] = {}  # payloads of this very batch: the memory does not know them yet
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
    def places(self) -> list[tuple[bytes, Place]]:
        """What the memory of payloads is to learn once the bytes are written."""
        return list(self._fresh.items())

    def add_raw(self, raw: bytes) -> tuple[int, int]:
        """Takes one record, and returns offset and length of its member."""
        member = gzip_member(raw, self._level)
        offset = self.end
        self._members.append(member)
        self.end += len(member)
        return offset, len(member)

    def add(self, capture: Capture) -> None:
        """Takes the records of one fetch: its request if one was sent, its answer if there was one, its metadata."""
        fetched = capture.fetched
        is_answered = bool(fetched.status and fetched.response_head)
        answer_id = records.new_id() if is_answered else None
        request_id = records.new_id() if fetched.request_head else None
        if request_id:
            self.add_raw(records.request(fetched, request_id, answer_id))
        written = self._add_answer(capture, answer_id) if answer_id else None
        facts = facts_of(capture, written.digests.content if written else "")
        last = self.add_raw(records.metadata(fetched, answer_id or request_id, encode(facts)))
        offset, length = written.place if written else last
        answer = written.answer if written else None
        url, address = records.target(fetched), fetched.address or ""
        self.entries.append(Entry(url, to_micros(fetched.began), address, offset, length, answer, facts))
        self.stored.append(
            Stored(facts.content_digest, self._file, offset, length, answer.revisit if answer else False)
        )

    def _add_answer(self, capture: Capture, record_id: str) -> _Written:
        fetched, digests = capture.fetched, digests_of(capture.fetched)
        repeated = self._repeated(capture, digests)
        if repeated:
            earlier, profile = repeated
            place = self.add_raw(records.revisit(fetched, record_id, earlier, profile))
            answer = answer_of(fetched.response_head, earlier.payload_digest, "", revisit=True)
        else:
            raw = records.response(fetched, record_id, digests.payload)
            place = self.add_raw(raw)
            answer = _response_answer(fetched, digests)
            self._learn(fetched, record_id, digests, place[0])
        return _Written(digests, place, answer)

    def _repeated(self, capture: Capture, digests: Digests) -> tuple[Earlier, str] | None:
        if capture.fetched.status == 304 and capture.earlier:
            return capture.earlier, records.NOT_MODIFIED
        if digests.key is None:
            return None
        place = self._fresh.get(digests.key) or self._find(digests.key)
        if place is None:
            return None
        earlier = Earlier(place.url, place.micros / MICRO, place.payload_digest, place.record, place.file, place.offset)
        return earlier, records.SAME_PAYLOAD

    def _learn(self, fetched: Fetched, record_id: str, digests: Digests, offset: int) -> None:
        if digests.key and has_plain_end(fetched.response_head):
            began = to_micros(fetched.began)
            self._fresh[digests.key] = Place(
                records.target(fetched), began, digests.payload, record_id, self._file, offset
            )


class _Written(Struct, frozen=True):
    digests: Digests
    place: tuple[int, int]
    answer: Answer


def _response_answer(fetched: Fetched, digests: Digests) -> Answer:
    is_plain = has_plain_end(fetched.response_head)
    block = fetched.response_head if is_plain else fetched.response_head + fetched.payload
    answer = answer_of(block, digests.payload if is_plain else "", fetched.truncated or "", revisit=False)
    return answer._replace(payload_length=len(fetched.payload)) if is_plain else answer
