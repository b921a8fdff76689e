"""The rows of the links table: fifty times as many as of all other tables together.

Links that the native kernel holds go from there to Arrow as columns; no object is made of any of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa  # type: ignore[import-untyped]

from skitter.kernel import IS_NATIVE
from skitter.parse.outlinks import as_table
from skitter.store.index.facts import Outlink
from skitter.store.index.parquet import GROUP, SCHEMAS, Table

if IS_NATIVE:
    from skitter import _native

MAX_BYTES = 64 * 1024**2
"""Text that is held at the most, whatever the number of rows."""


class LinkRows:
    """The links table, while it is written."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns = _native.LinkColumns() if IS_NATIVE else None

    def add(self, source: str, links: Sequence[Outlink], refused: dict[int, str]) -> None:
        """Takes the links of the page at `source`, and by their places the reasons of those that were not followed."""
        columns, table = self._columns, as_table(links)
        if columns is None or table is None:
            reasons = [refused.get(place) for place in range(len(links))]
            self._table.extend_columns([source] * len(links), *zip(*links, strict=True), reasons)
            return
        columns.add(source, table, refused)
        if len(columns) >= GROUP or columns.size >= MAX_BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes what the kernel's columns hold."""
        if self._columns:
            columns, self._columns = self._columns, _native.LinkColumns()
            self._table.write(_batch(columns))


def _batch(columns: _native.LinkColumns) -> pa.RecordBatch:
    count = len(columns)
    texts, asked, told = columns.buffers()
    source, target, tag, kind, anchor = (_texts(count, *buffers) for buffers in texts[:-1])
    nofollow = pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(asked)])
    refused = _texts(count, *texts[-1], pa.py_buffer(told))
    return pa.record_batch([source, target, tag, kind, nofollow, anchor, refused], schema=SCHEMAS["links"])


def _texts(count: int, ends: bytes, text: bytes, are_there: pa.Buffer | None = None) -> pa.StringArray:
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(text), are_there)
