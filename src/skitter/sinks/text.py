"""The text table as a source: what documents say, without what their sites keep back.

It is read from `parquet/text/`, whose files are made when a WARC file is sealed and merged by day later on. The rows of
one WARC file stay in their order, so a bookmark says how many of each were given, whatever file they are in by now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import Struct

from skitter.errors import MachineError, OperatorError
from skitter.ports import Rows
from skitter.sinks.signals import signals_of
from skitter.sinks.source import Batch
from skitter.store.index.contents import TEXT
from skitter.store.index.holding import reading
from skitter.store.index.paths import tables_of

VERSION = 1
TABLE = "text"
AT_ONCE = 200
"""Rows in a batch: a text may have a hundred thousand signs."""

KEYS = ("url", "fetched_at")
COLUMNS: Sequence[str] = (*KEYS, *(name for name in TEXT.names if name not in KEYS))


class TextMark(Struct, frozen=True):
    """A bookmark: how many rows of each WARC file were looked at, what was kept back, and by whose word."""

    version: int
    given: dict[str, int]
    kept_back: dict[str, int]  # by signal; a row that two signals keep back counts for both
    rows_kept_back: int
    despite: list[str]
    since: str


class TextSource:
    """The texts of the crawl in `directory`. OperatorError if the bookmark is of an export on other terms."""

    def __init__(
        self, directory: Path, bookmark: bytes | None, despite: Collection[str] = (), since: datetime | None = None
    ) -> None:
        self._directory = directory
        self._despite = sorted(set(despite))
        self._since = since
        mark = self._mark(bookmark)
        self._given = Counter(mark.given)
        self.kept_back = Counter(mark.kept_back)
        self.rows_kept_back = mark.rows_kept_back

    def batches(self) -> Iterator[Batch]:
        """See `source.Source`."""
        for path in self._paths():
            try:
                file = pq.ParquetFile(path)
            except FileNotFoundError:
                continue  # merged with others just now: the next look finds its rows there
            except (OSError, ValueError) as error:
                remedy = "Make it again: remove it, and run `skitter reparse`."
                raise MachineError(f"A table can't be read ({error})", str(path), remedy) from error
            with file:
                yield from self._batches_of(file)

    def behind(self) -> int:
        """See `source.Source`: here rows, as far as their files say."""
        rows = 0
        for path in self._paths():
            try:
                rows += pq.read_metadata(path).num_rows
            except (OSError, ValueError):
                continue
        return max(0, rows - sum(self._given.values()))

    def _paths(self) -> list[Path]:
        with reading(self._directory):
            return tables_of(self._directory, TABLE)

    def _batches_of(self, file: pq.ParquetFile) -> Iterator[Batch]:
        seen: Counter[str] = Counter()
        names = [name for name in COLUMNS if name in file.schema_arrow.names]
        for some in file.iter_batches(AT_ONCE, columns=names):
            rows = [row for row in some.to_pylist() if self._is_fresh(row, seen)]
            if rows:
                yield self._batch(rows)

    def _is_fresh(self, row: dict[str, Any], seen: Counter[str]) -> bool:
        name = str(row.get("warc_file"))
        seen[name] += 1
        return seen[name] > self._given[name]

    def _batch(self, rows: list[dict[str, Any]]) -> Batch:
        wanted = [row for row in rows if self._is_wanted(row)]
        self._given.update(str(row.get("warc_file")) for row in rows)
        given = [tuple(_value(row.get(name)) for name in COLUMNS) for row in wanted]
        told = [Rows(TABLE, COLUMNS, len(KEYS), given)] if given else []
        newest = max(_value(row["fetched_at"]) for row in rows)
        return Batch(told, len(rows), newest, len(rows), self._bookmark())

    def _is_wanted(self, row: dict[str, Any]) -> bool:
        if self._since is not None and _value(row["fetched_at"]) < self._since:
            return False
        signals = list(signals_of(row, self._despite))
        self.kept_back.update(signals)
        self.rows_kept_back += bool(signals)
        return not signals

    def _bookmark(self) -> bytes:
        kept = dict(self.kept_back)
        return msgspec.json.encode(
            TextMark(VERSION, dict(self._given), kept, self.rows_kept_back, self._despite, _said(self._since))
        )

    def _mark(self, bookmark: bytes | None) -> TextMark:
        if not bookmark:
            return TextMark(VERSION, {}, {}, 0, self._despite, _said(self._since))
        try:
            mark = msgspec.json.decode(bookmark, type=TextMark)
        except msgspec.DecodeError as error:
            raise OperatorError("bookmark", bookmark[:40], f"can't be read ({error})") from None
        if mark.version != VERSION:
            raise OperatorError("bookmark", mark.version, "was written by another version of Skitter")
        if (mark.despite, mark.since) != (self._despite, _said(self._since)):
            terms = f"--despite {' '.join(mark.despite) or 'nothing'}, --since {mark.since or 'the beginning'}"
            raise OperatorError(
                "--to", terms, "are the terms this export was begun with: go on with them, or elsewhere"
            )
        return mark


def _value(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def _said(since: datetime | None) -> str:
    return "" if since is None else since.isoformat()
