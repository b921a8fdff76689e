"""How far the WARC file that a node writes is on the disk: repair after a crash reads on from there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from skitter.store.warc.file import node_of

_WIDTH = 128  # more than any name and number: each mark covers all of the one before


class Marks:
    """The last mark of each node, in `folder`. One that is lost or half written counts as none: it saves time only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def set(self, file: str, end: int) -> None:
        """Keeps that `file` is on the disk and whole up to `end`, if it can."""
        with suppress(OSError):
            fd = os.open(self._path(file), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.pwrite(fd, f"{file} {end}".encode().ljust(_WIDTH - 1) + b"\n", 0)
            finally:
                os.close(fd)

    def get(self, file: str) -> int:
        """Returns how far `file` is known to be whole, 0 if nothing is known."""
        try:
            words = self._path(file).read_bytes().split()
        except OSError:
            return 0
        is_whole = len(words) == 2 and words[0] == file.encode() and words[1].isdigit()
        return int(words[1]) if is_whole else 0

    def _path(self, file: str) -> Path:
        return self._folder / f"synced-{node_of(file)}"
