"""The page that is being read, on file: if reading it kills the process, the next one knows which page it was.

    DIR/run/node-N.reading     held(1) shard(2) fingerprint(16)

It is written before a page is read and blanked after. Reading never waits, so that a node reads one page at a time. The
file is mapped into memory: a note costs no call of the system, which keeps what was written when the process dies.
Nothing here has to outlive the machine.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from skitter.errors import MachineError
from skitter.frontier.frontier import Frontier
from skitter.messages import State
from skitter.ports import CrashMarker

_PLACE = struct.Struct(">H16s")
_SIZE = 1 + _PLACE.size
_HELD, _NOTHING = 1, 0


class FileMarker:
    """The file of one node, mapped. See `ports.CrashMarker`."""

    def __init__(self, page: mmap.mmap) -> None:
        self._page = page

    def left(self) -> tuple[int, bytes] | None:
        """Returns shard and fingerprint of the page that is held: at a start, by the process that died."""
        shard, fingerprint = _PLACE.unpack_from(self._page, 1)
        return (shard, fingerprint) if self._page[0] == _HELD else None

    def drop(self) -> None:
        """Holds nothing any more."""
        self._page[0] = _NOTHING

    def holding(self, shard: int, fingerprint: bytes) -> Self:
        """Holds a page while it is read: `with marker.holding(…)`."""
        _PLACE.pack_into(self._page, 1, shard, fingerprint)
        self._page[0] = _HELD  # last: whoever finds it set finds a whole place
        return self

    def __enter__(self) -> None:
        return

    def __exit__(self, *_: object) -> None:
        self.drop()


@contextlib.contextmanager
def opened_crash_marker(directory: Path, node: int) -> Iterator[FileMarker]:
    """Yields the marker of a node. MachineError if its file can't be opened."""
    path = directory / "run" / f"node-{node}.reading"
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            # Written, not only made longer: a page of the file that has no place on a full disk could not be touched.
            os.pwrite(fd, os.pread(fd, _SIZE, 0).ljust(_SIZE, b"\0"), 0)
            page = mmap.mmap(fd, _SIZE)
        finally:
            os.close(fd)
    except OSError as error:
        remedy = "Mend the disk, then start the same command again: nothing that was settled is lost."
        raise MachineError(f"a node's file can't be opened ({error.strerror})", str(path), remedy) from error
    with page:
        yield FileMarker(page)


def counted_crash(marker: CrashMarker, frontier: Frontier) -> list[str]:
    """Counts it against the page that was being read when the last process died, and returns what to say of it."""
    left = marker.left()
    url = None if left is None else frontier.count_crash(*left)
    marker.drop()
    if url is None or url.failure is None:
        return []
    so = "it is given up" if url.state is State.DEAD else "it is tried again"
    return [f"{url.href} was being read when the node died ({url.failure.detail}): {so}."]
