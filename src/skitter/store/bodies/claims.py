"""Claims: which node is storing which bodies at this moment.

A claim is a lock on one byte of a file that is empty: far beyond its end there is a byte for every number. The kernel
gives a lock to one open file at a time and takes it back when the process dies, at whatever moment: no claim is ever
left behind.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from struct import Struct

_LOCK = Struct("@hhqqi4x")  # `struct flock`: kind, whence, start, length, pid


class Claims:
    """The claims of one node. Every method raises OSError as the operating system does."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.held: set[int] = set()

    def take(self, number: int) -> bool:
        """Whether `number` is claimed by us now; False if it is by another."""
        if number in self.held:
            return True
        try:
            self._ask(fcntl.F_WRLCK, number, 1)
        except (BlockingIOError, PermissionError):
            return False
        self.held.add(number)
        return True

    def drop(self) -> None:
        """Gives up every claim."""
        if self.held:
            self._ask(fcntl.F_UNLCK, 0, 0)  # a length of nothing is all there is
            self.held.clear()

    def close(self) -> None:
        """Gives up every claim, for good."""
        self.held.clear()
        os.close(self._fd)

    def _ask(self, kind: int, start: int, length: int) -> None:
        # Owned by the open file and not by the process: two archives of one process are two.
        fcntl.fcntl(self._fd, fcntl.F_OFD_SETLK, _LOCK.pack(kind, os.SEEK_SET, start, length, 0))

    def __repr__(self) -> str:
        return f"<Claims held={len(self.held)}>"
