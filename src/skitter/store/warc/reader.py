"""Reads WARC files strictly: one whole record in each gzip member, and nothing between them.

For our own use (repair, indexes, audit, why). A file may be torn or foreign, so nothing in it is trusted: whatever is
wrong ends the reading, and `broken` then says where and why. `end` is where the last whole record ends.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from hashlib import new as new_hash
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib
from isal.igzip_lib import IsalError

MAX_RECORD = 1024**3 + 64 * 1024**2
"""More than the largest body (1 GiB) with its heads: a member that unpacks to more is not a record of ours."""

_FIRST_SLICE, _SLICE = 4 * 1024, 64 * 1024  # most members are small, and what is fed beyond their end is copied
_DAMAGED: type[Exception] = IsalError  # type: ignore[assignment]  # its stub calls the class an instance
_PIECE = 1024**2
_MAGIC = b"\x1f\x8b\x08"
_MUST = ("warc-type", "warc-record-id", "warc-date", "content-length")
_VERSION = re.compile(rb"WARC/1\.[01]\r\n")
_LENGTH = re.compile("[0-9]{1,20}")  # more digits are no length, and Python refuses to read thousands of them


class Record(NamedTuple):
    """A record and where its gzip member lies in the file. The names of `fields` are in lower case."""

    offset: int
    length: int
    fields: dict[str, str]
    block: bytes

    @property
    def kind(self) -> str:
        """The WARC-Type."""
        return self.fields["warc-type"]


class Broken(NamedTuple):
    """Where a file stops being valid. `torn`: it ends in the middle of a record, as after a crash."""

    offset: int
    why: str
    torn: bool


class Reader:
    """The records of one file, once, from `start` (where a member must begin)."""

    def __init__(self, path: Path, start: int = 0, *, verify: bool = True, max_record: int = MAX_RECORD) -> None:
        self.path = path
        self.end = start
        self.broken: Broken | None = None
        self._verify = verify
        self._max_record = max_record

    def __iter__(self) -> Iterator[Record]:
        with self.path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            while self.end < size:
                try:
                    found = read_record(file.fileno(), self.end, verify=self._verify, max_record=self._max_record)
                except _BrokenError as error:
                    self.broken = Broken(self.end, error.why, error.torn)
                    return
                self.end += found.length
                yield found

    def __repr__(self) -> str:
        return f"<Reader {self.path.name} end={self.end} broken={self.broken}>"


def read_record(fd: int, offset: int, *, verify: bool, max_record: int = MAX_RECORD) -> Record:
    """Returns the record whose member begins at `offset`; raises an error that says why there is none."""
    raw, length = _unpack(fd, offset, max_record)
    fields, start = _parse_head(raw)
    size = int(fields["content-length"])
    block = raw[start : start + size]
    if raw[start + size :] != b"\r\n\r\n":
        raise _BrokenError("the member does not end with its record")
    if verify and not is_digest_right(fields.get("warc-block-digest"), block):
        raise _BrokenError("the block does not match WARC-Block-Digest")
    return Record(offset, length, fields, block)


def read_head(fd: int, offset: int) -> dict[str, str] | None:
    """Returns the fields of the record whose member begins at `offset`, None if no record begins there.

    Whether the rest of it is whole is not looked at. Fields that take more than some KB are not read.
    """
    for size in (_FIRST_SLICE // 4, _FIRST_SLICE):  # nearly all heads are in the first
        try:
            raw = zlib.decompressobj(31).decompress(os.pread(fd, size, offset), 4 * size)
            return _parse_head(raw)[0]
        except (zlib.error, _BrokenError):
            continue
    return None


def has_record_after(path: Path, offset: int) -> bool:
    """Whether a whole record begins anywhere after `offset`: then what is broken there is not just the tail."""
    with path.open("rb") as file:
        return any(_is_record(file.fileno(), at) for at in _beginnings(file.fileno(), offset + 1))


def is_digest_right(said: str | None, block: bytes) -> bool:
    """Whether `block` has the digest that a field says, if it says one in hex and by a name that we know."""
    name, _, value = (said or "").partition(":")
    if name not in ("sha256", "sha1", "md5") or len(value) != 2 * new_hash(name).digest_size:
        return True
    return new_hash(name, block).hexdigest() == value.lower()


def _beginnings(fd: int, at: int) -> Iterator[int]:
    """Yields every place from `at` on where a gzip member may begin."""
    while piece := os.pread(fd, _PIECE, at):
        yield from (at + found.start() for found in re.finditer(re.escape(_MAGIC), piece))
        # The next piece overlaps, so that a beginning on the seam is whole in one of the two.
        at += max(len(piece) - len(_MAGIC) + 1, 1)


def _is_record(fd: int, offset: int) -> bool:
    try:
        read_record(fd, offset, verify=False)
    except _BrokenError:
        return False
    return True


class _BrokenError(Exception):
    def __init__(self, why: str, *, torn: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.torn = torn


def _unpack(fd: int, offset: int, max_record: int) -> tuple[bytes, int]:
    """Returns what the member at `offset` holds, and the member's length."""
    magic = os.pread(fd, 3, offset)
    if magic != _MAGIC[: len(magic)]:
        raise _BrokenError("no gzip member begins here")
    unpack, room, at = isal_zlib.decompressobj(31), max_record, offset
    pieces: list[bytes] = []
    try:
        while not unpack.eof:
            fresh = unpack.unconsumed_tail or os.pread(fd, _SLICE if pieces else _FIRST_SLICE, at)
            if not fresh:
                raise _BrokenError("the file ends in the middle of a record", torn=True)
            at += 0 if unpack.unconsumed_tail else len(fresh)
            pieces.append(unpack.decompress(fresh, room + 1))
            room -= len(pieces[-1])
            if room < 0:
                raise _BrokenError(f"the record unpacks to more than {max_record} bytes")
    except _DAMAGED as error:
        raise _BrokenError(f"the gzip member is damaged ({error})") from None
    return b"".join(pieces), at - len(unpack.unused_data) - offset


def _parse_head(raw: bytes) -> tuple[dict[str, str], int]:
    """Returns the fields of a record and where its block begins."""
    version = _VERSION.match(raw)
    end = raw.find(b"\r\n\r\n")
    if version is None or end < 0:
        raise _BrokenError("the member does not hold a WARC record")
    fields = {}
    for line in raw[version.end() : end].decode("utf-8", "replace").split("\r\n"):
        name, colon, value = line.partition(":")
        if not colon:
            raise _BrokenError(f"a line of the record's head is no field: {line[:60]!r}")
        fields[name.lower()] = value.strip()
    missing = [name for name in _MUST if name not in fields]
    if missing or not _LENGTH.fullmatch(fields["content-length"]):
        raise _BrokenError(f"the record's head lacks {', '.join(missing) or 'a length'}")
    return fields, end + 4
