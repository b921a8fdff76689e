"""Mends what a crash left: an open file is cut to its last whole record and sealed.

After `kill -9` at most the last record is torn. After a power cut everything since the last sync may be. Damage with
whole records behind it is neither: cutting there would destroy them, so it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from skitter.errors import MachineError
from skitter.store.disk import Disk
from skitter.store.warc.file import OPEN
from skitter.store.warc.reader import Reader, Record, has_record_after


class Recovered(Struct, frozen=True):
    """A file that an earlier run left open: how long it is now, and how much was cut off and why."""

    file: str
    end: int
    lost: int = 0
    why: str = ""

    def __str__(self) -> str:
        if not self.lost:
            return f"{self.file}: was left open, is whole ({self.end} bytes), sealed."
        return (
            f"{self.file}: was left open, cut to its last whole record at {self.end} ({self.lost} bytes: {self.why})."
        )


def seal_left_open(disk: Disk, path: Path, start: int = 0) -> Recovered:
    """Cuts and seals a file whose name ends in `.open`; it is known to be whole up to `start`.

    A file without a whole record is removed. MachineError if the damage is not at the tail, or the disk fails.
    """
    try:
        return _seal(disk, path, start)
    except OSError as error:
        remedy = "Make the disk writable and start again: nothing was lost by this."
        raise MachineError(f"A WARC file can't be repaired ({error})", str(path), remedy) from error


def whole_records(path: Path, start: int = 0, *, verify: bool = True) -> Iterator[Record]:
    """Yields the records of a sealed file. MachineError, with the place, if it is not whole."""
    reader = Reader(path, start, verify=verify)
    yield from reader
    if reader.broken:
        raise damaged(path, reader.broken.offset, reader.broken.why)


def damaged(path: Path, offset: int, why: str) -> MachineError:
    """Returns the error that says where a file is damaged."""
    remedy = "Restore the file from a copy, or move it out of the archive; what is before that offset is good."
    return MachineError(f"A WARC file is damaged at offset {offset} ({why})", str(path), remedy)


def _seal(disk: Disk, path: Path, start: int) -> Recovered:
    size = path.stat().st_size
    found = find_end(path, start if start <= size else 0, size)
    fd = disk.open(path)
    try:
        if found.lost:
            disk.truncate(fd, found.end)
        disk.fsync(fd)
    finally:
        disk.close(fd)
    if found.end:
        disk.rename(path, path.with_name(found.file))
    else:
        disk.remove(path)
    disk.sync_folder(path.parent)
    return found


def find_end(path: Path, start: int, size: int) -> Recovered:
    """Returns what cutting the file would keep and lose. MachineError if whole records follow the damage."""
    name = path.name.removesuffix(OPEN)
    reader = Reader(path, start, verify=False)  # the checksum of each gzip member is enough to find a torn one
    for _ in reader:
        pass
    if not reader.broken:
        return Recovered(name, reader.end)
    if not reader.broken.torn and has_record_after(path, reader.broken.offset):
        raise damaged(path, reader.broken.offset, reader.broken.why)
    return Recovered(name, reader.end, size - reader.end, reader.broken.why)
