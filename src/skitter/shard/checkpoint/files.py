"""The files of a store on disk: what is in each, read once, and read and written in pieces."""

from __future__ import annotations

import hashlib
from pathlib import Path

from skitter.shard.checkpoint.manifest import CheckpointFile

PIECE = 8 * 1024**2
_LEFT_OUT = ("LOCK", "LOG")
"""RocksDB makes these itself, and they say nothing of the store."""


class Digests:
    """Digests of files that never change; those that were read before are known."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int, int], str] = {}

    def listed(self, folder: Path) -> list[CheckpointFile]:
        """Returns the files of a snapshot."""
        paths = sorted(path for path in folder.iterdir() if path.is_file() and path.name not in _LEFT_OUT)
        known, self._known = self._known, {}
        return [self._one(path, known) for path in paths]

    def _one(self, path: Path, known: dict[tuple[int, int, int, int], str]) -> CheckpointFile:
        about = path.stat()
        # A table in a snapshot is a link to the one in the store: the same file, in every snapshot of it.
        mark = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
        self._known[mark] = digest = known.get(mark) or digest_of(path)
        return CheckpointFile(path.name, about.st_size, digest)


def digest_of(path: Path) -> str:
    """Returns the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def piece_of(path: Path, at: int) -> bytes:
    """Returns a piece of a file, nothing at its end."""
    with path.open("rb") as file:
        file.seek(at)
        return file.read(PIECE)
