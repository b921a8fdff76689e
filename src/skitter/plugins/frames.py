"""Messages between a node and the process of a plug-in: a length, then MessagePack. Each end may be gone, or hang."""

from __future__ import annotations

import socket
import struct
import time
from typing import Any, TypeVar

import msgspec

from skitter.plugins.calls import MOST_BYTES

_LENGTH = struct.Struct("<I")
T = TypeVar("T")


class LateError(Exception):
    """The other end was not done in time."""


class GoneError(Exception):
    """The other end is gone, or says what nobody can read."""


def send(line: socket.socket, message: object, until: float | None = None) -> None:
    """Sends a message, whole. LateError if the other end does not take it in time, GoneError if it is not there."""
    body = msgspec.msgpack.encode(message)
    left = memoryview(_LENGTH.pack(len(body)) + body)
    try:
        while left:
            line.settimeout(_left(until))
            left = left[line.send(left) :]
    except TimeoutError:
        raise LateError from None
    except OSError as error:
        raise GoneError(str(error)) from None


def receive(line: socket.socket, kind: type[T] | Any, until: float | None = None) -> T:
    """Returns the next message. LateError if it does not come in time, GoneError if none will."""
    (length,) = _LENGTH.unpack(_exactly(line, _LENGTH.size, until))
    if length > MOST_BYTES:
        raise GoneError(f"a message of {length} bytes")
    try:
        message: T = msgspec.msgpack.decode(_exactly(line, length, until), type=kind)
    except msgspec.DecodeError as error:
        raise GoneError(f"a message that can't be read: {error}") from None
    return message


def _exactly(line: socket.socket, count: int, until: float | None) -> bytes:
    parts: list[bytes] = []
    try:
        while count:
            line.settimeout(_left(until))
            part = line.recv(min(count, 1 << 20))
            if not part:
                raise GoneError("it ended")
            parts.append(part)
            count -= len(part)
    except TimeoutError:
        raise LateError from None
    except OSError as error:
        raise GoneError(str(error)) from None
    return b"".join(parts)


def _left(until: float | None) -> float | None:
    if until is None:
        return None
    left = until - time.monotonic()
    if left <= 0:
        raise LateError
    return left
