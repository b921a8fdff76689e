"""The twin of `ports.Sink`: a place in memory that takes rows, and may be away, or lose a commit's answer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

from skitter.errors import SinkError
from skitter.ports import Rows

Key: TypeAlias = tuple[Any, ...]


class MemoryPlace:
    """What lies there: rows by table and key, the last bookmark, and how often each row was brought."""

    def __init__(self) -> None:
        self.rows: dict[Key, Key] = {}
        self.brought: dict[Key, int] = {}
        self.bookmark = b""
        self.is_away = False
        self.fails_after = -1  # so many commits, one is carried out and its answer is lost

    def take(self, rows: Rows) -> None:
        """Keeps rows, each once."""
        for row in rows.rows:
            key = (rows.table, *row[: rows.keys])
            self.rows[key] = row
            self.brought[key] = self.brought.get(key, 0) + 1


class MemorySink:
    """One opening of a place, see `ports.Sink`."""

    def __init__(self, place: MemoryPlace, tables: Collection[str], *, keeps_bookmark: bool = True) -> None:
        self.tables = tables
        self._place = place
        self._keeps_bookmark = keeps_bookmark
        self._held: list[Rows] = []

    def open(self) -> bytes | None:
        """Returns the last bookmark, if it is kept here."""
        self._require()
        self._held = []
        return self._place.bookmark if self._keeps_bookmark else None

    def write(self, rows: Rows) -> None:
        """Takes rows of one table."""
        self._require()
        self._held.append(rows)

    def commit(self, bookmark: bytes) -> None:
        """Keeps all that was written, and the bookmark with it."""
        self._require()
        held, self._held = self._held, []
        for rows in held:
            self._place.take(rows)
        if self._keeps_bookmark:
            self._place.bookmark = bookmark
        self._place.fails_after -= 1
        if self._place.fails_after == -1:
            raise SinkError("away", "The answer was lost", "memory", "It goes on by itself.")

    def close(self) -> None:
        """Forgets what was not committed."""
        self._held = []

    def _require(self) -> None:
        if self._place.is_away:
            raise SinkError("away", "It does not answer", "memory", "It goes on by itself.")
