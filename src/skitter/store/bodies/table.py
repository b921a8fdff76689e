"""A table on disk of where bodies are, which all nodes of a machine read and write.

It is a hash table in files that grow fourfold from one to the next. A body has one bucket in each; a hint goes into the
first of its buckets that has a free slot. So whoever meets a free slot has seen all there is to see.

What it says are hints: a slot may be lost or out of date, and whoever follows one looks whether the record is there.
That is why nothing here is logged, synced or checked. Whoever adds holds the claim on `stripe_of` the key; bodies of
one bucket are of one stripe, so a bucket has one writer at a time.
"""

from __future__ import annotations

import os
import re
from calendar import timegm
from functools import lru_cache
from pathlib import Path
from struct import Struct
from time import strptime
from typing import Final

from msgspec import Struct as Record

from skitter.store.warc.dates import MICRO, timestamp14
from skitter.store.warc.file import PREFIX, SUFFIX, warc_name

VERSION = 1
SLOTS = 16
STRIPES = 2**13
BUCKETS: Final[tuple[int, ...]] = tuple(STRIPES * 4**number for number in range(8))
"""Of each file. The first has 131,072 slots in 4 MB; two are full after 655,360 bodies, all after 2.8 billion."""

_SLOT = Struct("<12sIHQ6s")  # key, when the file was begun, its node, its number and the offset, the record
_BUCKET = SLOTS * _SLOT.size
_KEY = 12
_OFFSET_BITS = 40
_NAME = re.compile(rf"{PREFIX}-(\d{{14}})-n(\d+)-(\d{{5,}}){re.escape(SUFFIX)}")


class BodySlot(Record, frozen=True):
    """Where a body should be: a WARC file, an offset, and the first bytes of the id of the record that is meant."""

    file: str
    offset: int
    record: bytes


def stripe_of(key: bytes) -> int:
    """Returns the number that is to be claimed before a hint for `key` is added."""
    return _number(key) % STRIPES


class BodyTable:
    """The table in `folder`. Every method raises OSError as the operating system does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: list[int] = []
        self._seen: dict[tuple[int, int], int] = {}  # buckets, by file and place: how much of each is used

    def find(self, key: bytes, *, is_claimed: bool = False) -> BodySlot | None:
        """Returns the last hint that was added for `key`, which is a digest of 32 bytes.

        If whoever asks holds the claim, nobody else fills the buckets: `add` does not look again, until `forget`.
        """
        number, tag, found = _number(key), key[:_KEY], None
        for fd, buckets in zip(self._files, BUCKETS, strict=False):
            place = number % buckets * _BUCKET
            bucket = os.pread(fd, _BUCKET, place)
            if (at := bucket.rfind(tag)) >= 0 and at % _SLOT.size == 0:
                found = _unpack(bucket, at)
            used = _used(bucket)
            if is_claimed:
                self._seen[fd, place] = used
            if used < _BUCKET:
                return found
        return self.find(key, is_claimed=is_claimed) if self._open_next(os.O_RDWR) else found

    def add(self, key: bytes, hint: BodySlot) -> None:
        """Adds a hint, if there is room, and if its file has a name as nodes give it."""
        number, slot = _number(key), _pack(key, hint)
        if not slot:
            return
        for fd, buckets in zip(self._files, BUCKETS, strict=False):
            place = number % buckets * _BUCKET
            used = self._seen.pop((fd, place), None)  # of use once: then there is one more in it
            if used is None:
                used = _used(os.pread(fd, _BUCKET, place))
            if used < _BUCKET:
                os.pwrite(fd, slot, place + used)
                return
        if self._open_next(os.O_RDWR | os.O_CREAT):
            self.add(key, hint)

    def forget(self) -> None:
        """Looks again from now on, since claims were given up."""
        self._seen.clear()

    def close(self) -> None:
        """Gives up what it holds."""
        while self._files:
            os.close(self._files.pop())

    def _open_next(self, flags: int) -> bool:
        """Whether there is one more file, now open."""
        if len(self._files) == len(BUCKETS):
            return False
        try:
            fd = os.open(self._folder / f"hints-{VERSION}-{len(self._files)}", flags | os.O_CLOEXEC, 0o644)
        except FileNotFoundError:
            return False
        self._files.append(fd)
        return True

    def __repr__(self) -> str:
        return f"<BodyTable {self._folder} files={len(self._files)}>"


def _number(key: bytes) -> int:
    return int.from_bytes(key[_KEY : _KEY + 8], "little")


def _used(bucket: bytes) -> int:
    """Returns where the first slot begins that is free with all after it."""
    # As one number: its highest bit is in the last byte that is not zero. To strip zeros takes twice as long.
    return -(-int.from_bytes(bucket, "little").bit_length() // (8 * _SLOT.size)) * _SLOT.size


def _pack(key: bytes, hint: BodySlot) -> bytes:
    """Returns a slot, nothing if the hint does not fit into one."""
    numbers = _numbers(hint.file)
    if numbers is None or hint.offset >= 1 << _OFFSET_BITS:
        return b""
    began, node, serial = numbers
    return _SLOT.pack(key[:_KEY], began, node, serial << _OFFSET_BITS | hint.offset, hint.record)


def _unpack(bucket: bytes, at: int) -> BodySlot | None:
    if len(bucket) < at + _SLOT.size:
        return None
    _, began, node, where, record = _SLOT.unpack_from(bucket, at)
    return BodySlot(_name(began, node, where >> _OFFSET_BITS), where & ((1 << _OFFSET_BITS) - 1), record)


@lru_cache(maxsize=64)
def _numbers(file: str) -> tuple[int, int, int] | None:
    """Returns what tells a WARC file from all others: when it was begun, its node and its number there."""
    found = _NAME.fullmatch(file)
    if found is None:
        return None
    began, node, serial = timegm(strptime(found[1], "%Y%m%d%H%M%S")), int(found[2]), int(found[3])
    is_small = began < 1 << 32 and node < 1 << 16 and serial < 1 << 24
    return (began, node, serial) if is_small else None


@lru_cache(maxsize=64)
def _name(began: int, node: int, serial: int) -> str:
    return warc_name(timestamp14(began * MICRO), f"n{node}", serial)
