"""The frames between nodes: four bytes of length, then MessagePack. See docs/formats/bus.md.

A batch is a list of `Discovered`, encoded once, when it is put into the outbox, and handed on as it is.
"""

from __future__ import annotations

import struct

import msgspec

from skitter.messages import Discovered
from skitter.ports import Frame

MAX_FRAME = 64 * 1024**2
LENGTH = 4
REPLY = 8


_LENGTH = struct.Struct(">I")
_REPLY = struct.Struct(">d")
_batch_decoder = msgspec.msgpack.Decoder(list[Discovered])
_frame_decoder = msgspec.msgpack.Decoder(Frame)


def encode_frame(frame: Frame) -> bytes:
    """Returns the bytes of a frame."""
    body = msgspec.msgpack.encode(frame)
    return _LENGTH.pack(len(body)) + body


def length_of(head: bytes) -> int:
    """Returns how many bytes follow the four of `head`; ValueError if that can't be."""
    length: int = _LENGTH.unpack(head)[0]
    if length > MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes")
    return length


def decode_frame(body: bytes) -> Frame:
    """Returns the frame in `body`, the part after the length; ValueError if it is not one."""
    frame: Frame = _frame_decoder.decode(body)
    return frame


def encode_reply(wait: float) -> bytes:
    """Returns the bytes of an answer: 0 is done, else how long to wait before asking again."""
    return _REPLY.pack(wait)


def decode_reply(raw: bytes) -> float:
    """Returns what `encode_reply` was given."""
    wait: float = _REPLY.unpack(raw)[0]
    return wait


def decode_batch(batch: bytes) -> list[Discovered]:
    """Returns the links in a batch; ValueError if it is not one."""
    return _batch_decoder.decode(batch)
