"""Questions and answers over a Unix socket of this machine: a length and as many bytes, each way.

Several questions may be under way at once, each on a connection of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from skitter.bus.listening import Listener

LENGTH = 4
MAX_BYTES = 64 * 1024**2

Replying: TypeAlias = Callable[[bytes], Awaitable[bytes]]


def talking(path: Path, reply: Replying) -> Listener:
    """Returns what hands questions to `reply`, while it is open."""

    async def exchange(reader: asyncio.StreamReader) -> bytes:
        return _framed(await reply(await _read(reader)))

    return Listener(path, exchange)


async def ask(path: Path, question: bytes) -> bytes | None:
    """Returns the answer to a question; None if nobody is there, or has gone away meanwhile."""
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return None
    try:
        writer.write(_framed(question))
        await writer.drain()
        return await _read(reader)
    except (OSError, EOFError, ValueError):
        return None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _framed(content: bytes) -> bytes:
    return len(content).to_bytes(LENGTH, "big") + content


async def _read(reader: asyncio.StreamReader) -> bytes:
    length = int.from_bytes(await reader.readexactly(LENGTH), "big")
    if length > MAX_BYTES:
        raise ValueError(f"{length} bytes are too many")
    return await reader.readexactly(length)
