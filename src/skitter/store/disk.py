"""What the archive needs of a disk. Tests swap it for one that fails on command."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Protocol

Buffer = bytes | memoryview


class Disk(Protocol):
    """Files by descriptor. Every function raises OSError as the operating system does.

    `write` may write less than it was given. Only what `fsync` returned for survives a power cut; a name survives one
    only after `sync_folder`.
    """

    def create(self, path: Path) -> int: ...

    def open(self, path: Path) -> int: ...

    def write(self, fd: int, part: Buffer, at: int) -> int: ...

    def truncate(self, fd: int, size: int) -> None: ...

    def fsync(self, fd: int) -> None: ...

    def close(self, fd: int) -> None: ...

    def rename(self, path: Path, new: Path) -> None: ...

    def remove(self, path: Path) -> None: ...

    def sync_folder(self, path: Path) -> None: ...


class RealDisk:
    """The disk of this machine."""

    def create(self, path: Path) -> int:
        """Returns a descriptor of a new file; FileExistsError if the name is taken.

        It is locked until it is closed, or its process dies: so others see whether somebody writes to it.
        """
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        fcntl.flock(fd, fcntl.LOCK_EX)
        return fd

    def open(self, path: Path) -> int:
        """Returns a descriptor of a file that is there."""
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def write(self, fd: int, part: Buffer, at: int) -> int:
        """Writes at a place in the file and returns how many bytes were taken."""
        return os.pwrite(fd, part, at)

    def truncate(self, fd: int, size: int) -> None:
        """Cuts the file to `size`."""
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        """Returns when the file's bytes are on the disk."""
        os.fsync(fd)

    def close(self, fd: int) -> None:
        """Gives the descriptor back."""
        os.close(fd)

    def rename(self, path: Path, new: Path) -> None:
        """Gives the file a new name, at once or not at all."""
        path.rename(new)

    def remove(self, path: Path) -> None:
        """Removes the file."""
        path.unlink()

    def sync_folder(self, path: Path) -> None:
        """Returns when the names in the folder are on the disk."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
