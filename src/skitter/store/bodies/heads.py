"""What is known of bodies whose WARC files have left for a bucket: DIR/bodies/heads-NODE.sqlite, one for each node.

A hint is followed to its record, and that is in the bucket now: so the few fields of it that a revisit needs are kept
here. They count once their file is safe, and up to the size that it has there: what a repair cut off is not in it.
Whatever goes wrong here, the body is not known and is stored again: it costs space and nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from skitter.store.warc.file import node_of

_BUSY = 0.05
"""Seconds to wait for another: rather store a body again."""

_VERSION = 1  # 0 is a new file
_MAKE = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = OFF",  # after a power cut some are not known
    "CREATE TABLE IF NOT EXISTS files (number INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER)",
    "CREATE TABLE IF NOT EXISTS heads (file INTEGER, offset INTEGER, url TEXT, micros INTEGER, digest TEXT,"
    " record TEXT, PRIMARY KEY (file, offset)) WITHOUT ROWID",
    f"PRAGMA user_version = {_VERSION}",
)
_NUMBER = "INSERT INTO files (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = name RETURNING number"
_ADD = "INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?)"
_SAFE = "INSERT INTO files (name, size) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET size = excluded.size"
_FIND = (
    "SELECT url, micros, digest, record FROM heads JOIN files ON number = file"
    " WHERE name = ? AND offset = ? AND size > offset"
)

Head = tuple[str, int, str, str]
"""URL, when its request began, payload digest, record id."""


class Heads:
    """One node's access to what all have kept. Its methods are for one thread, but for `note_safe`; none raises."""

    def __init__(self, folder: Path, node: str) -> None:
        self._folder = folder
        self._node = node
        self._mine: sqlite3.Connection | None = None
        self._open: dict[str, sqlite3.Connection] = {}  # those of all nodes, to read
        self._number = ("", 0)  # of the file that is being written
        self.troubles = 0

    def remember(self, file: str, heads: Iterable[tuple[int, Head]]) -> None:
        """Keeps what is known of bodies in `file`, which is one of ours."""
        try:
            if self._mine is None:
                self._mine = _opened(self._path(self._node))
            with self._mine as kept:
                number = self._number_of(kept, file)
                kept.executemany(_ADD, [(number, offset, *head) for offset, head in heads])
        except sqlite3.Error:
            self.troubles += 1

    def find(self, file: str, offset: int) -> Head | None:
        """Returns what is known of a body in a file that is safe in the bucket."""
        node = node_of(file)
        try:
            if node is None or (node not in self._open and not self._path(node).exists()):
                return None
            if node not in self._open:
                self._open[node] = _opened(self._path(node))
            found: Head | None = self._open[node].execute(_FIND, (file, offset)).fetchone()
        except sqlite3.Error:
            self.troubles += 1
            return None
        return found

    def note_safe(self, file: str, size: int) -> None:
        """Makes what is known of a file count: it is in the bucket, with this size. Any thread may say so."""
        node = node_of(file)
        if node is not None and self._path(node).exists():
            with suppress(sqlite3.Error), closing(_opened(self._path(node), busy=5.0)) as kept, kept:
                kept.execute(_SAFE, (file, size))

    def close(self) -> None:
        """Lets go of the files."""
        for one in (self._mine, *self._open.values()):
            if one is not None:
                one.close()

    def _number_of(self, kept: sqlite3.Connection, file: str) -> int:
        if self._number[0] != file:
            self._number = (file, int(kept.execute(_NUMBER, (file,)).fetchone()[0]))
        return self._number[1]

    def _path(self, node: str) -> Path:
        return self._folder / f"heads-{node}.sqlite"


def _opened(path: Path, busy: float = _BUSY) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    # The archive opens it on one thread, uses it on another and closes it on a third, one after the other.
    kept = sqlite3.connect(path, timeout=busy, check_same_thread=False)
    try:
        _make(kept)
    except BaseException:
        kept.close()
        raise
    return kept


def _make(kept: sqlite3.Connection) -> None:
    (version,) = kept.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise sqlite3.DatabaseError(f"it is of version {version}")
    for step in _MAKE if version == 0 else _MAKE[1:2]:
        kept.execute(step)
