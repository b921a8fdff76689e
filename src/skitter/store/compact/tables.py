"""Several tables of one kind as one, that says what it is made of. Memory: a row group or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import json

from skitter.errors import MachineError
from skitter.store.index.contents import ALL_SCHEMAS
from skitter.store.index.parquet import GROUP, Table

KEY = b"skitter.merged_from"
"""The names of the WARC files, without ending, in the file's own metadata."""

GROUP_BYTES = 64 * 1024**2


class Tables:
    """How tables of one kind are merged. MachineError if one can't be read or written."""

    def __init__(self, kind: str) -> None:
        self._schema = ALL_SCHEMAS[kind]

    def merge(self, path: Path, parts: Sequence[Path], made_of: Sequence[str]) -> None:
        """Writes `path` and returns when it is on the disk. Columns that older tables lack say nothing there."""
        table = Table(path, self._schema.with_metadata({KEY: json.encode(made_of)}))
        for batch in _gathered(batch for part in parts for batch in self._batches(part)):
            table.write(batch)
        table.close()

    def sources(self, path: Path) -> frozenset[str]:
        """Returns what a merged file is made of."""
        try:
            told = pq.read_schema(path).metadata[KEY]
        except (pa.ArrowException, OSError, KeyError, TypeError) as error:
            raise _unreadable(path, error) from error
        return frozenset(json.decode(told, type=list[str]))

    def _batches(self, path: Path) -> Iterator[pa.RecordBatch]:
        try:
            with pq.ParquetFile(path) as file:
                if foreign := set(file.schema_arrow.names) - set(self._schema.names):
                    raise pa.ArrowInvalid(f"it has a column {min(foreign)}, from a newer version")
                yield from map(self._full, file.iter_batches(GROUP, use_threads=False))
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path, error) from error

    def _full(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        there = set(batch.schema.names)
        columns = [
            batch[field.name].cast(field.type) if field.name in there else pa.nulls(batch.num_rows, field.type)
            for field in self._schema
        ]
        return pa.record_batch(columns, schema=self._schema)


def _gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields the rows in batches that are worth a row group."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= GROUP or sum(one.nbytes for one in held) >= GROUP_BYTES:
            yield from _one(held)
            held = []
    yield from _one(held)


def _one(held: Sequence[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def _unreadable(path: Path, error: Exception) -> MachineError:
    remedy = "Remove the index files of that day, all kinds of them: the next start makes them again."
    return MachineError(f"A table can't be merged ({error})", str(path), remedy)
