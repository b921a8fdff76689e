"""Answers that the nodes of a machine share, in a SQLite file, also with those of the next run.

They are hints: whatever goes wrong with the file, names are asked for as if it were empty, and that is counted. What
was learnt is written by a thread, in batches, and lost with us if we die before.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeAlias

FLUSH_AFTER = 1.0
"""Seconds until what was learnt is written, along with what else is learnt meanwhile."""
TRIM_EVERY = 600.0
_BUSY = 0.05
"""Seconds to wait for another writer: rather do without than wait."""
_VERSION = 1  # 0 is a new file
_MAKE = (
    "PRAGMA journal_mode = WAL",
    "CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, addresses TEXT, since REAL, until REAL) WITHOUT ROWID",
    f"PRAGMA user_version = {_VERSION}",
)
_GET = "SELECT addresses, since, until FROM names WHERE name = ?"
_PUT = "INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?)"
_TRIM = "DELETE FROM names WHERE until < ?"
_SHRINK = (
    "DELETE FROM names WHERE name IN"
    " (SELECT name FROM names ORDER BY until LIMIT max(0, (SELECT count(*) FROM names) - ?))"
)

Row: TypeAlias = tuple[str, str, float, float]


class Known(NamedTuple):
    """The addresses of a name, since when and until when they hold."""

    addresses: tuple[str, ...]
    since: float
    until: float


class SharedAnswers:
    """The answers in `file`, at most `size` of them; those that ended more than `stale` ago are forgotten."""

    def __init__(self, file: Path, size: int, stale: float) -> None:
        self._file = file
        self._size = size
        self._stale = stale
        self._learnt: dict[str, Known] = {}
        self._flushing: asyncio.Task[None] | None = None
        self._trimmed = 0.0
        self.troubles = 0
        self._reader = self._opened()

    def get(self, name: str) -> Known | None:
        """Returns what is known of `name`, though it may be over."""
        if name in self._learnt or self._reader is None:
            return self._learnt.get(name)
        try:
            row = self._reader.execute(_GET, (name,)).fetchone()
            return None if row is None else Known(tuple(row[0].split()), float(row[1]), float(row[2]))
        except (sqlite3.Error, AttributeError, TypeError, ValueError):
            self.troubles += 1
            return None

    def put(self, name: str, known: Known) -> None:
        """Tells the others, soon."""
        if self._reader is None:
            return
        self._learnt[name] = known
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush_soon())

    async def close(self) -> None:
        """Writes what was learnt last, if it can be."""
        if self._flushing is not None:
            self._flushing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._flushing
        await self._flush()
        if self._reader is not None:
            self._reader.close()

    async def _flush_soon(self) -> None:
        await asyncio.sleep(FLUSH_AFTER)
        self._flushing = None
        await self._flush()

    async def _flush(self) -> None:
        learnt, self._learnt = self._learnt, {}
        if learnt:
            rows = [(name, " ".join(known.addresses), known.since, known.until) for name, known in learnt.items()]
            await asyncio.to_thread(self._write, rows)

    def _write(self, rows: list[Row]) -> None:
        try:
            with closing(_connected(self._file)) as db, db:
                db.executemany(_PUT, rows)
                self._trim(db, max(since for _, _, since, _ in rows))
        except sqlite3.Error:
            self.troubles += 1

    def _trim(self, db: sqlite3.Connection, now: float) -> None:
        if not self._trimmed <= now < self._trimmed + TRIM_EVERY:
            self._trimmed = now
            db.execute(_TRIM, (now - self._stale,))
            db.execute(_SHRINK, (self._size,))

    def _opened(self) -> sqlite3.Connection | None:
        """Returns a connection to read by. A file that is none of ours, or damaged, is replaced: it held hints."""
        for _ in range(2):
            try:
                return _made(self._file)
            except sqlite3.OperationalError:  # another writes it just now, or the folder can't be written
                self.troubles += 1
            except sqlite3.DatabaseError:
                self.troubles += 1
                _remove(self._file)
        return None


def _remove(file: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            file.with_name(file.name + suffix).unlink()


def _connected(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=_BUSY)
    db.execute("PRAGMA synchronous = OFF")
    return db


def _made(file: Path) -> sqlite3.Connection:
    """Returns a connection to the file, which is made if it is not there. DatabaseError if it is none of ours."""
    db = _connected(file)
    try:
        _check_version(db)
        for line in _MAKE:
            db.execute(line)
        db.execute(_GET, ("",)).fetchone()
    except BaseException:
        db.close()
        raise
    return db


def _check_version(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise sqlite3.DatabaseError(f"version {version}")
