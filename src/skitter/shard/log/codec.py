"""The records of a shard's log, byte for byte. See docs/formats/log.md. Pure.

One byte of version, then MessagePack. Every record carries the id of the tenure that it was written in: whether it
counts is for `ownership` to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct

VERSION = 1
ID = 16
"""Bytes of a tenure's id: random, so that no two are the same, whoever draws them."""

_HEAD = bytes((VERSION,))


class Take(Struct, frozen=True, array_like=True, tag="take"):
    """From here on the shard is its writer's; `node` is for people."""

    id: bytes
    node: str = ""


class Release(Struct, frozen=True, array_like=True, tag="release"):
    """The writer has stopped: nothing of the shard is under way, and whoever takes it next need not wait."""

    id: bytes


class Written(Struct, frozen=True, array_like=True, tag="written"):
    """Changes that are made together: keys with their new values, None to remove them.

    `links`: what was read of the shard's links before that place is in these changes, or in earlier ones; None: as
    before. A record without changes only says that the writer is still there.
    """

    id: bytes
    changes: Mapping[bytes, bytes | None] = {}
    links: int | None = None


LogRecord: TypeAlias = Take | Release | Written


class Unreadable(Struct, frozen=True):
    """Bytes that are no record, and why."""

    why: str


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(LogRecord)


def encode(record: LogRecord) -> bytes:
    """Returns the bytes of a record."""
    return _HEAD + _encoder.encode(record)


def decode(raw: bytes) -> LogRecord | Unreadable:
    """Returns the record in `raw`, or why there is none."""
    if not raw:
        return Unreadable("it is empty")
    if raw[0] != VERSION:
        return Unreadable(f"it is of version {raw[0]}, and this Skitter knows {VERSION}")
    try:
        record: LogRecord = _decoder.decode(memoryview(raw)[1:])
    except (ValueError, RecursionError) as error:
        return Unreadable(f"it is no record ({error})")
    if len(record.id) != ID:
        return Unreadable(f"its id has {len(record.id)} bytes, not {ID}")
    if isinstance(record, Written) and record.links is not None and record.links < 0:
        return Unreadable(f"it was read up to {record.links} of the links")
    return record
