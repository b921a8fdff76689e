"""The tables beside each WARC file (Parquet, zstd), for DuckDB and its like."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from skitter.errors import MachineError

GROUP = 20_000
"""Rows that are held before they are written as a row group: some 10 MB of links."""

_TIME = pa.timestamp("us")  # UTC. Not marked so: then a reader shows it as it is, without a time zone database

SCHEMAS = {
    "captures": pa.schema(
        [
            ("url", pa.string()),
            ("host", pa.string()),
            ("errand", pa.string()),
            ("depth", pa.int32()),
            ("parent", pa.string()),
            ("status", pa.int32()),
            ("mime", pa.string()),
            ("encoding", pa.string()),
            ("lang", pa.string()),
            ("title", pa.string()),
            ("bytes", pa.int64()),
            ("content_bytes", pa.int64()),
            ("digest", pa.string()),
            ("payload_digest", pa.string()),
            ("revisit", pa.bool_()),
            ("truncated", pa.string()),
            ("insecure", pa.bool_()),
            ("failure", pa.string()),
            ("verdict", pa.string()),
            ("reasons", pa.list_(pa.string())),
            ("duplicate_of", pa.string()),
            ("simhash", pa.uint64()),
            ("outlinks", pa.int32()),
            ("rendered", pa.string()),
            ("fetched_at", _TIME),
            ("seconds", pa.float64()),
            ("address", pa.string()),
            ("warc_file", pa.string()),
            ("warc_offset", pa.int64()),
            ("warc_length", pa.int64()),
        ]
    ),
    "failures": pa.schema(
        [
            ("url", pa.string()),
            ("host", pa.string()),
            ("errand", pa.string()),
            ("depth", pa.int32()),
            ("tries", pa.int32()),
            ("failure", pa.string()),
            ("detail", pa.string()),
            ("fetched_at", _TIME),
            ("seconds", pa.float64()),
            ("address", pa.string()),
            ("warc_file", pa.string()),
            ("warc_offset", pa.int64()),
            ("warc_length", pa.int64()),
        ]
    ),
    "links": pa.schema(
        [
            ("source", pa.string()),
            ("target", pa.string()),
            ("tag", pa.string()),
            ("kind", pa.string()),
            ("nofollow", pa.bool_()),
            ("anchor", pa.string()),
            ("refused", pa.string()),
        ]
    ),
    "hosts": pa.schema(
        [
            ("host", pa.string()),
            ("captures", pa.int64()),
            ("revisits", pa.int64()),
            ("errors", pa.int64()),
            ("failures", pa.int64()),
            ("bytes", pa.int64()),
            ("first_at", _TIME),
            ("last_at", _TIME),
            ("warc_file", pa.string()),
        ]
    ),
}


FEW_VALUES = {
    "links": ["source", "tag", "kind", "refused"],
    "text": ["host", "declared", "media", "how", "lang", "content_signal", "content_usage", "tdm_policy", "warc_file"],
}
"""Columns that say the same in many rows, of tables whose other columns hardly ever do. Targets and anchors are nearly
all different: a dictionary of them costs a quarter more CPU time and makes the file larger."""
SORTED = {"links": ["source"], "text": ["url", "host", "fetched_at", "digest", "status", "lang", "warc_file"]}
"""The least and the largest of a group help to skip it if rows come sorted, or are looked for by these."""


class Table:
    """A Parquet file that grows by rows; one group of them is in memory."""

    def __init__(self, path: Path, schema: pa.Schema, group: int = GROUP) -> None:
        self._path = path
        self._schema = schema
        self._group = group
        self._columns: list[list[Any]] = [[] for _ in schema]
        with _told(path):
            self._writer = pq.ParquetWriter(path, schema, **_written_how(schema))

    def extend(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Takes rows, each with the columns of the schema in order."""
        if rows:
            self.extend_columns(*zip(*rows, strict=True))

    def extend_columns(self, *columns: Sequence[Any]) -> None:
        """Takes rows column by column."""
        for mine, theirs in zip(self._columns, columns, strict=True):
            mine.extend(theirs)
        if len(self._columns[0]) >= self._group:
            self.flush()

    def close(self) -> None:
        """Ends the file and returns when it is on the disk."""
        self.flush()
        with _told(self._path):
            self._writer.close()
        with self._path.open("rb") as file:
            os.fsync(file.fileno())

    def drop(self) -> None:
        """Gives up what is held; the file is left unfinished."""
        with _told(self._path):
            self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        """Takes rows that are to be a group of their own."""
        with _told(self._path):
            self._writer.write_batch(batch)

    def flush(self) -> None:
        """Writes the rows that are held as a group."""
        if not self._columns[0]:
            return
        with _told(self._path):
            arrays = [pa.array(column, field.type) for column, field in zip(self._columns, self._schema, strict=True)]
            batch = pa.record_batch(arrays, schema=self._schema)
        self.write(batch)
        self._columns = [[] for _ in self._schema]


def _written_how(schema: pa.Schema) -> dict[str, Any]:
    how: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
    name = next((name for name, columns in FEW_VALUES.items() if set(columns) <= set(schema.names)), None)
    return how if name is None else how | {"use_dictionary": FEW_VALUES[name], "write_statistics": SORTED[name]}


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raises what Arrow has to complain of as an error of ours."""
    try:
        yield
    except pa.ArrowException as error:
        raise MachineError(
            f"A table can't be written ({error})", str(path), "It is made again from the WARC."
        ) from error
