"""Pages whose archive file could still be lost with its node's disk, in a fleet whose archive goes to a bucket. Pure.

A commit notes, in the batch that settles pages, which file each of them is in, and on which disk that is:

    p file 0 serial(8)        disk(8), then the fingerprints of pages that were settled together

When the file is safe, all that is noted of it is removed. If its disk is lost before, these pages are to be had again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from skitter.shard import keys

DISK = 8
"""Bytes that tell a disk from any other, though its node have the same name."""
FINGERPRINT = 16
REMEMBERED = 1000


class UnsafeFile(Struct, frozen=True):
    """A file that was not safe when we last heard of it, and the disk that it is on."""

    name: str
    disk: bytes


class Unsafe:
    """What a node knows of its own archive files: which shards have pages in each, and which are safe already."""

    def __init__(self, disk: bytes) -> None:
        assert len(disk) == DISK
        self.disk = disk
        self._shards: dict[str, set[int]] = {}
        self._safe: dict[str, None] = {}  # the last ones: a page may be settled after its file is safe

    def noted(self, number: int, stored: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """Yields what is to be written down of pages that a shard settles now, by their files."""
        for name, marks in stored.items():
            if name not in self._safe:
                self._shards.setdefault(name, set()).add(number)
                yield name, self.disk + marks

    def note_safe(self, name: str) -> set[int]:
        """Takes note that a file is safe; returns the shards that have pages in it."""
        self._safe[name] = None
        if len(self._safe) > REMEMBERED:
            del self._safe[next(iter(self._safe))]
        return self._shards.pop(name, set())


def marks_in(value: bytes) -> tuple[bytes, list[bytes]]:
    """Returns the disk and the fingerprints in what was written down."""
    starts = range(DISK, len(value), FINGERPRINT)
    return value[:DISK], [value[start : start + FINGERPRINT] for start in starts]


def files_in(iterate: Callable[..., Iterator[tuple[bytes, bytes]]]) -> Iterator[UnsafeFile]:
    """Yields the files that a shard has pages in which are not safe: each once, though it have many entries."""
    after = b""
    while (found := next(iter(iterate(keys.UNSAFE, after)), None)) is not None:
        name, disk = keys.unsafe_file(found[0]), found[1][:DISK]
        yield UnsafeFile(name, disk)
        after = keys.unsafe_prefix(name) + b"\xff" * 9
