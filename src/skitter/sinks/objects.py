"""Rows as JSON objects: the one form that JSON lines, Kafka and webhooks share. Pure.

    {"table":"captures","url":"https://example.org/","fetched_at":"2026-11-18T08:00:00.123456Z","status":200, …}

What is not known is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from skitter.ports import Rows

_ENCODER = msgspec.json.Encoder()


def objects(rows: Rows) -> Iterator[bytes]:
    """Yields each row as a JSON object, without a line break in it."""
    names = rows.columns
    for row in rows.rows:
        said = {name: value for name, value in zip(names, row, strict=True) if value is not None}
        yield _ENCODER.encode({"table": rows.table} | said)


def key_of(rows: Rows, row: tuple[object, ...]) -> bytes:
    """Returns what says which row it is: a JSON list of the table and its key columns."""
    return _ENCODER.encode([rows.table, *row[: rows.keys]])
