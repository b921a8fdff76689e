"""Visits put in order, however many there are, and a memory of which payload is where.

A temporary SQLite database on disk: it sorts by merging runs, so that memory stays within `CACHE` while the disk takes
about 250 bytes for each request and 50 for each answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import NamedTuple, Self

from skitter.audit.visit import Visit

CACHE = 32 * 1024**2
BATCH = 10_000

_COLUMNS = ", ".join(Visit._fields)
_ORDER = "host, began, file, offset"


class Held(NamedTuple):
    """An answer: keys of its record's id, of its URL and date, and of its payload's digest, and where it is."""

    record: int | None  # None for a revisit: it has no payload to refer to
    capture: int
    digest: int | None
    file: int
    offset: int


class Reference(NamedTuple):
    """A revisit record: what it says of the answer that it repeats, and where it is itself."""

    record: int | None
    capture: int
    digest: int | None
    file: int
    offset: int


class SortedVisits:
    """Takes visits and answers in any order. Use it in `with`: it removes its files at the end."""

    def __enter__(self) -> Self:
        self._folder = TemporaryDirectory(prefix="skitter-audit-")
        self._base = sqlite3.connect(Path(self._folder.name) / "visits", isolation_level=None)
        for line in (
            # Nothing here has to outlive us.
            "PRAGMA journal_mode = OFF",
            "PRAGMA synchronous = OFF",
            "PRAGMA locking_mode = EXCLUSIVE",
            "PRAGMA temp_store = FILE",
            f"PRAGMA cache_size = -{CACHE // 1024}",
            f"CREATE TABLE visits ({_COLUMNS})",
            f"CREATE TABLE held ({', '.join(Held._fields)})",
            f"CREATE TABLE referred ({', '.join(Reference._fields)})",
            "BEGIN",
        ):
            self._base.execute(line)
        self._pending: dict[str, list[tuple[object, ...]]] = {"visits": [], "held": [], "referred": []}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()
        self._folder.cleanup()

    def put(self, visit: Visit) -> None:
        """Takes a visit."""
        self._add("visits", visit)

    def hold(self, held: Held) -> None:
        """Takes an answer that others may refer to."""
        self._add("held", held)

    def refer(self, reference: Reference) -> None:
        """Takes a revisit record."""
        self._add("referred", reference)

    def settle(self) -> None:
        """Ends the taking: what follows may be asked now."""
        for table in self._pending:
            self._flush(table)
        self._base.execute("CREATE INDEX by_record ON held (record)")
        if self._base.execute("SELECT 1 FROM referred WHERE record IS NULL LIMIT 1").fetchone():
            self._base.execute("CREATE INDEX by_capture ON held (capture)")

    def by_host(self) -> Iterator[tuple[str, Iterator[Visit]]]:
        """Yields each host with its visits in order of time."""
        rows = self._base.execute(f"SELECT {_COLUMNS} FROM visits ORDER BY {_ORDER}")  # noqa: S608 (our own names)
        yield from groupby(map(Visit._make, rows), key=attrgetter("host"))

    def find(self, record: int) -> Held | None:
        """Returns the response record with this key."""
        columns = ", ".join(Held._fields)
        found = self._base.execute(f"SELECT {columns} FROM held WHERE record = ? LIMIT 1", (record,))  # noqa: S608
        return next(map(Held._make, found), None)

    def dangling(self) -> Iterator[Reference]:
        """Yields the revisits that refer to nothing, or to another payload."""
        columns = ", ".join(Reference._fields)
        # A 304 names URL and date of what has not changed; what repeats a payload names its record.
        for test in ("record IS NOT NULL AND held.record = of.record", "record IS NULL AND held.capture = of.capture"):
            condition, _, match = test.partition(" AND ")
            yield from map(
                Reference._make,
                self._base.execute(
                    f"SELECT {columns} FROM referred AS of WHERE of.{condition} AND NOT EXISTS (SELECT 1 FROM held "  # noqa: S608
                    f"WHERE {match} AND (of.digest IS NULL OR held.digest = of.digest)) ORDER BY file, offset"
                ),
            )

    def _add(self, table: str, row: tuple[object, ...]) -> None:
        pending = self._pending[table]
        pending.append(row)
        if len(pending) >= BATCH:
            self._flush(table)

    def _flush(self, table: str) -> None:
        rows: Iterable[tuple[object, ...]] = self._pending[table]
        if self._pending[table]:
            marks = ", ".join("?" * len(self._pending[table][0]))
            self._base.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
        self._pending[table] = []
