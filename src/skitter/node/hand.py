"""The page in our hands, on file: if reading it kills the process, the next one knows which page it was.

    DIR/run/node-N.hand     held(1) shard(2) fingerprint(16)

It is written before a page is read and blanked after. Reading never waits, so that a node has one page in its hands at
the most. The system keeps what was written when the process dies; nothing here has to outlive the machine.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from skitter.errors import MachineError

_MARK = struct.Struct(">?H16s")
_EMPTY = bytes(_MARK.size)


class Hand:
    """The file of one node, open."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def left(self) -> tuple[int, bytes] | None:
        """Returns shard and fingerprint of the page that is held: at a start, by the process that died."""
        raw = os.pread(self._fd, _MARK.size, 0)
        held, shard, fingerprint = _MARK.unpack(raw.ljust(_MARK.size, b"\0"))
        return (shard, fingerprint) if held else None

    def drop(self) -> None:
        """Holds nothing any more."""
        self._write(_EMPTY)

    @contextlib.contextmanager
    def holding(self, place: tuple[int, bytes] | None) -> Iterator[None]:
        """Holds the page at `place`, a shard and a fingerprint, while it is read."""
        if place is None:
            yield
            return
        self._write(_MARK.pack(True, *place))
        try:
            yield
        finally:
            self.drop()

    def _write(self, mark: bytes) -> None:
        # A disk that fails is for the archive and the frontier to say: no page is to blame for it.
        with contextlib.suppress(OSError):
            os.pwrite(self._fd, mark, 0)


@contextlib.contextmanager
def opened_hand(directory: Path, node: int) -> Iterator[Hand]:
    """Yields the hand of a node. MachineError if its file can't be opened."""
    path = directory / "run" / f"node-{node}.hand"
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        remedy = "Mend the disk, then start the same command again: nothing that was settled is lost."
        raise MachineError(f"a node's file can't be opened ({error.strerror})", str(path), remedy) from error
    try:
        yield Hand(fd)
    finally:
        os.close(fd)
