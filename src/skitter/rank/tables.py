"""The Parquet tables of a crawl, read piece by piece, as the survey takes them.

A table is there once its WARC file is sealed, and none is merged with others while we read (`store.index.holding`): a
crawl may go on. Two threads read ahead; what they hold is bounded by bytes, for rows are of any length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import Struct

from skitter.errors import MachineError

THREADS = 2
AHEAD = 2
PIECE = 16 * 1024**2
"""Bytes of row groups, decoded, that are read at once."""

FEW_TEXTS = pa.dictionary(pa.int32(), pa.string())
"""The type of a column that says the same in many rows."""

Read = Callable[[pa.RecordBatch], pa.RecordBatch]


class Table(Struct, frozen=True):
    """What is read of a kind of table: the columns it must have, those it may have, and what they come to.

    Without a type, a column is taken as it is.
    """

    name: str
    needed: Mapping[str, pa.DataType]
    further: Mapping[str, pa.DataType | None]
    read: Read


class Piece(Struct, frozen=True):
    """Some row groups of a file."""

    path: Path
    about: Any  # the file's own metadata, which need not be read twice
    groups: Sequence[int]
    rows: int


def batches(table: Table, paths: Iterable[Path]) -> Iterator[pa.RecordBatch]:
    """Yields what the rows come to. MachineError if a table can't be read, or lacks a column."""
    pieces = (piece for path in paths for piece in _pieces(path))
    with ThreadPoolExecutor(THREADS, thread_name_prefix="skitter-rank") as pool:
        reading: deque[Future[list[pa.RecordBatch]]] = deque()
        try:
            while True:
                for piece in islice(pieces, THREADS + AHEAD - len(reading)):
                    reading.append(pool.submit(_read, piece, table))
                if not reading:
                    return
                yield from reading.popleft().result()
        finally:
            for future in reading:
                future.cancel()


def rows_of(paths: Iterable[Path]) -> int:
    """Returns how many rows the tables have."""
    return sum(piece.rows for path in paths for piece in _pieces(path))


def _pieces(path: Path) -> Iterator[Piece]:
    with _told(path):
        about = pq.read_metadata(path)
    groups: list[int] = []
    rows = size = 0
    for number in range(about.num_row_groups):
        group = about.row_group(number)
        groups, rows, size = [*groups, number], rows + group.num_rows, size + group.total_byte_size
        if size >= PIECE or number == about.num_row_groups - 1:
            yield Piece(path, about, groups, rows)
            groups, rows, size = [], 0, 0


def _read(piece: Piece, table: Table) -> list[pa.RecordBatch]:
    with _told(piece.path):
        there = piece.about.schema.to_arrow_schema().names
        if missing := [name for name in table.needed if name not in there]:
            raise pa.ArrowInvalid(f"it has no column {missing[0]}")
        wanted = {name: kind for name, kind in {**table.needed, **table.further}.items() if name in there}
        few = [name for name, kind in wanted.items() if kind == FEW_TEXTS]
        with pq.ParquetFile(piece.path, metadata=piece.about, read_dictionary=few) as file:
            found = file.read_row_groups(piece.groups, columns=list(wanted), use_threads=False)
        return [table.read(_cast(batch, wanted)) for batch in found.to_batches()]


def _cast(batch: pa.RecordBatch, wanted: Mapping[str, pa.DataType | None]) -> pa.RecordBatch:
    columns = [batch[name] if kind is None else batch[name].cast(kind) for name, kind in wanted.items()]
    return pa.record_batch(columns, names=list(wanted))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raises what Arrow has to complain of as an error of ours."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        remedy = "Remove the index files of that day, all kinds of them: the next start of the crawl makes them again."
        raise MachineError(f"a table can't be read ({error})", str(path), remedy) from error
