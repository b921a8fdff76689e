"""Parquet files as `ports.Sink`, for exports: a file for each table and commit.

OUT/TABLE/part-00000.parquet    rows, as the tables of the archive have them
OUT/export.bookmark             how many commits there were, and the bookmark of the last

A part beyond that was not committed: it is written again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import Struct

from skitter.errors import OperatorError, SinkError
from skitter.folder.atomic import whole, write_whole
from skitter.ports import Rows
from skitter.store.index.contents import ALL_SCHEMAS

VERSION = 1
BESIDE = "export.bookmark"
TYPES = {
    "fetched_at": pa.timestamp("us"),  # UTC, as in the archive
    "place": pa.int32(),
    "depth": pa.int32(),
    "status": pa.int32(),
    "origin": pa.string(),
    "host": pa.string(),
    "body": pa.string(),
}
"""Of columns that the tables of the archive do not have."""


class Kept(Struct, frozen=True):
    """What OUT/export.bookmark holds."""

    version: int
    commits: int
    bookmark: bytes


def schema_of(table: str, columns: Sequence[str]) -> pa.Schema:
    """Returns the columns with their types."""
    known = {field.name: field.type for field in ALL_SCHEMAS[table]} if table in ALL_SCHEMAS else {}
    return pa.schema([(name, known[name] if name in known else TYPES[name]) for name in columns])


class ParquetSink:
    """A folder of Parquet files. See `ports.Sink`."""

    def __init__(self, folder: Path, tables: Collection[str]) -> None:
        self.tables = tables
        self._folder = folder
        self._commits = 0
        self._held: dict[str, list[Rows]] = {}

    def open(self) -> bytes | None:
        """See `ports.Sink`. OperatorError if the folder holds something else."""
        self._held = {}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            kept = self._kept()
        except OSError as error:
            raise self._trouble(error) from error
        self._commits = kept.commits
        return kept.bookmark

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`."""
        self._held.setdefault(rows.table, []).append(rows)

    def commit(self, bookmark: bytes) -> None:
        """See `ports.Sink`."""
        held, self._held = self._held, {}
        try:
            for table, some in held.items():
                self._write(table, some)
            self._commits += 1
            write_whole(self._folder / BESIDE, msgspec.json.encode(Kept(VERSION, self._commits, bookmark)))
        except OSError as error:
            raise self._trouble(error) from error

    def close(self) -> None:
        """See `ports.Sink`."""
        self._held = {}

    def _write(self, table: str, some: Sequence[Rows]) -> None:
        schema = schema_of(table, some[0].columns)
        columns: list[list[Any]] = [[] for _ in schema]
        for rows in some:
            for column, values in zip(columns, zip(*rows.rows, strict=True), strict=True):
                column.extend(values)
        arrays = [_array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        folder = self._folder / table
        folder.mkdir(exist_ok=True)
        with whole(folder / f"part-{self._commits:05d}.parquet") as stream:
            pq.write_table(pa.table(arrays, schema=schema), stream, compression="zstd")

    def _kept(self) -> Kept:
        file = self._folder / BESIDE
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=Kept)
        except FileNotFoundError:
            if any(path.name != BESIDE for path in self._folder.iterdir()):
                right = f"holds something else already, without a {BESIDE}: name a new folder"
                raise OperatorError("--out", str(self._folder), right) from None
            return Kept(VERSION, 0, b"")
        except msgspec.DecodeError as error:
            raise OperatorError("--out", str(file), f"can't be read ({error}): name a new folder") from None
        if kept.version != VERSION:
            raise OperatorError("--out", str(file), "was written by another version of Skitter: name a new folder")
        for late in self._folder.glob(f"*/part-{kept.commits:05d}.parquet"):
            with contextlib.suppress(FileNotFoundError):
                late.unlink()
        return kept

    def _trouble(self, error: OSError) -> SinkError:
        remedy = "Make room, or let us write there; the same command goes on."
        return SinkError("away", f"Parquet can't be written ({error.strerror})", str(self._folder), remedy)

    def __repr__(self) -> str:
        return f"<ParquetSink {self._folder} {self._commits} commits>"


def _array(column: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        column = [None if value is None else value.replace(tzinfo=None) for value in column]
    return pa.array(column, kind)
