"""The memory of bodies: which one the archive holds, and where, so that it is stored once by all nodes together.

Whoever has bodies to store claims them first. A claim is given to one node at a time, and while it is held nobody else
learns or stores that body. The answer is where the body is, if a hint leads to it. The WARC files are the truth: a hint
is followed to its record, and if that is not there, or was left by a node that died, the body is not known.
So the memory may be lost, be out of date or be damaged: it costs space and nothing else.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from skitter.errors import MachineError
from skitter.store.bodies.claims import Claims
from skitter.store.bodies.table import BodySlot, BodyTable, stripe_of
from skitter.store.warc.dates import from_warc_date
from skitter.store.warc.file import OPEN
from skitter.store.warc.places import relative_path
from skitter.store.warc.reader import read_head
from skitter.store.warc.sha256 import sha256

if TYPE_CHECKING:
    from skitter.store.bodies.heads import Heads


class StoredBody(Struct, frozen=True):
    """Where a body is: the response record that holds it."""

    url: str
    micros: int  # when its request began
    payload_digest: str
    record: str
    file: str
    offset: int


Known: TypeAlias = Mapping[bytes, StoredBody | None]
"""What was found out of bodies: where each is, or None: it is ours to store. Those that another node is storing at this
moment are not in it."""


class Bodies:
    """One node's access to the memory in `directory`/bodies. MachineError if it can't be read or written.

    `heads` are for an archive whose files leave for a bucket.
    """

    def __init__(self, directory: Path, heads: Heads | None = None) -> None:
        self._folder = directory / "bodies"
        self._heads = heads
        self._warc = str(directory / "warc")
        self._ours: set[bytes] = set()  # what was claimed
        with self._as_machine_error():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._claims = Claims(self._folder / "claims")
            self._table = BodyTable(self._folder)

    def claim(self, keys: Iterable[bytes]) -> Known:
        """Returns what is known of the bodies with these keys; what nobody has is ours until `release`."""
        known: dict[bytes, StoredBody | None] = {}
        with self._as_machine_error():
            for key in keys:
                is_ours = self._claims.take(stripe_of(key))  # before the look, or another could store it in between
                hint = self._table.find(key, is_claimed=is_ours)
                place = None if hint is None else self._place(hint)
                if is_ours:
                    self._ours.add(key)
                if is_ours or place is not None:
                    known[key] = place
        return known

    def remember(self, places: Iterable[tuple[bytes, StoredBody]]) -> None:
        """Keeps where bodies are, now that they are stored. One that was stored without a claim stays unknown."""
        ours = [(key, place) for key, place in places if key in self._ours]
        with self._as_machine_error():
            for key, place in ours:
                self._table.add(key, BodySlot(place.file, place.offset, _mark_of(place.record)))
        if self._heads is not None and ours:
            heads = [(one.offset, (one.url, one.micros, one.payload_digest, one.record)) for _, one in ours]
            self._heads.remember(ours[0][1].file, heads)  # a batch goes into one file

    def release(self) -> None:
        """Gives up the claims."""
        self._ours.clear()
        self._table.forget()
        with self._as_machine_error():
            self._claims.drop()

    def close(self) -> None:
        """Gives up what it holds."""
        self._claims.close()
        self._table.close()
        if self._heads is not None:
            self._heads.close()

    def _place(self, hint: BodySlot) -> StoredBody | None:
        fields = self._fields_at(hint)
        if fields is None:
            return self._shipped_place(hint)
        return _place_of(hint, fields)

    def _shipped_place(self, hint: BodySlot) -> StoredBody | None:
        head = None if self._heads is None else self._heads.find(hint.file, hint.offset)
        if head is None or _mark_of(head[3]) != hint.record:
            return None
        return StoredBody(*head, hint.file, hint.offset)

    def _fields_at(self, hint: BodySlot) -> dict[str, str] | None:
        """Returns the fields of the record that a hint leads to."""
        path = relative_path(hint.file)
        for place in (path + OPEN, path, hint.file):  # in this order, since it may be sealed between two looks
            try:
                fd = os.open(f"{self._warc}/{place}", os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                # What a dead node left open is to be repaired, which may cut this record off.
                if not place.endswith(OPEN) or _has_writer(fd):
                    return read_head(fd, hint.offset)
            finally:
                os.close(fd)
        return None

    @contextmanager
    def _as_machine_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            remedy = "Make room or mend the disk. That folder may be removed: what is known only there is stored again."
            raise MachineError(f"The memory of stored bodies failed ({error})", str(self._folder), remedy) from error

    def __repr__(self) -> str:
        return f"<Bodies {self._folder} {self._claims} {self._table}>"


def _place_of(hint: BodySlot, fields: Mapping[str, str]) -> StoredBody | None:
    """Returns the place of the record with these fields, None if it is not the one that is meant."""
    record, url, digest = (fields.get(f"warc-{name}", "") for name in ("record-id", "target-uri", "payload-digest"))
    if _mark_of(record) != hint.record or fields["warc-type"] != "response" or not digest:
        return None
    try:
        return StoredBody(url, from_warc_date(fields["warc-date"]), digest, record, hint.file, hint.offset)
    except ValueError:
        return None


def _mark_of(record: str) -> bytes:
    return sha256(record.encode())[:6]


def _has_writer(fd: int) -> bool:
    """Whether a file is open in the hands of a node that lives, which locks what it writes (`disk.RealDisk`)."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
