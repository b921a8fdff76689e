"""One WARC file while it is written: good up to `end`, whatever happens."""

from __future__ import annotations

import re
from pathlib import Path

from skitter.store.disk import Disk

OPEN = ".open"
SUFFIX = ".warc.gz"
PREFIX = "skitter"


def warc_name(timestamp: str, node: str, serial: int) -> str:
    """Returns the name of a WARC file: when it was begun, by which node, and its number there."""
    return f"{PREFIX}-{timestamp}-{node}-{serial:05d}{SUFFIX}"


def node_of(name: str) -> str | None:
    """Returns the node that wrote a file of this name (of the archive, or of an index of it), None if it is not one."""
    found = re.match(rf"{PREFIX}-\d{{14}}-(.+)-\d{{5,}}\.", name)
    return found[1] if found is not None else None


class WarcFile:
    """A file that grows by whole records. Its name ends in `.open` until it is sealed."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self._fd = disk.create(path.with_name(path.name + OPEN))
        self.path = path  # the name that it will have
        self.end = 0  # of the last whole record
        self.synced = 0  # what survives a power cut
        self.is_torn = False  # there may be bytes after `end` that could not be cut off

    def write(self, part: bytes) -> None:
        """Writes `part` at the end, all of it or none. OSError if it can't: the file is then cut back."""
        assert not self.is_torn, f"{self.path} is to be repaired before it is written to"
        try:
            self._write_all(memoryview(part))
        except OSError:
            self._cut_back()
            raise
        self.end += len(part)

    def sync(self) -> None:
        """Returns when everything written so far is on the disk. OSError if nobody can say so."""
        if self.synced < self.end:
            self._disk.fsync(self._fd)
            self.synced = self.end

    def seal(self) -> None:
        """Gives the file its final name; from now on it never changes."""
        self.sync()
        self._disk.rename(self.open_path, self.path)
        self._disk.sync_folder(self.path.parent)
        self._disk.close(self._fd)

    def abandon(self) -> None:
        """Leaves the file as it is, under its `.open` name, for `repair`."""
        self._disk.close(self._fd)

    @property
    def open_path(self) -> Path:
        """The name that it has until it is sealed."""
        return self.path.with_name(self.path.name + OPEN)

    def _write_all(self, view: memoryview) -> None:
        at = self.end
        while view:
            taken = self._disk.write(self._fd, view, at)
            if taken <= 0:
                raise OSError(f"{self.open_path}: the disk takes no more bytes")
            view, at = view[taken:], at + taken

    def _cut_back(self) -> None:
        try:
            self._disk.truncate(self._fd, self.end)
        except OSError:
            self.is_torn = True

    def __repr__(self) -> str:
        return f"<WarcFile {self.path.name} end={self.end} synced={self.synced}{' torn' if self.is_torn else ''}>"
