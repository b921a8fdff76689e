"""The frames between nodes: four bytes of length, then MessagePack. See docs/formats/bus.md.

A batch is a list of `Discovered`, encoded once, when it is put into the outbox, and handed on as it is.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import msgspec

from skitter.messages import Discovered

MAX_FRAME = 64 * 1024**2

_LENGTH = struct.Struct(">I")
_batch_decoder = msgspec.msgpack.Decoder(list[Discovered])
_frame_decoder = msgspec.msgpack.Decoder(list[bytes])


def encode_frame(batches: Sequence[bytes]) -> bytes:
    """Returns the bytes that carry `batches`."""
    body = msgspec.msgpack.encode(batches)
    return _LENGTH.pack(len(body)) + body


def length_of(head: bytes) -> int:
    """Returns how many bytes follow the four of `head`; ValueError if that can't be."""
    length: int = _LENGTH.unpack(head)[0]
    if length > MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes")
    return length


def decode_frame(body: bytes) -> list[bytes]:
    """Returns the batches in a frame; ValueError if it is not one."""
    return _frame_decoder.decode(body)


def encode_batch(links: Sequence[Discovered]) -> bytes:
    """Returns the bytes of a batch."""
    return msgspec.msgpack.encode(links)


def decode_batch(batch: bytes) -> list[Discovered]:
    """Returns the links in a batch; ValueError if it is not one."""
    return _batch_decoder.decode(batch)
