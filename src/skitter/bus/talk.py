"""Questions and answers over a Unix socket of this machine: a length and as many bytes, each way.

Several questions may be under way at once, each on a connection of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

LENGTH = 4
MAX_BYTES = 64 * 1024**2

Replying: TypeAlias = Callable[[bytes], Awaitable[bytes]]


class Listener:
    """Hands questions to `reply`, while it is open."""

    def __init__(self, path: Path, reply: Replying) -> None:
        self._path = path
        self._reply = reply
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> None:
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path)
        self._path.chmod(0o600)

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._connections:
            writer.close()
        self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            while True:
                answer = await self._reply(await _read(reader))
                if writer.is_closing():
                    return
                writer.write(len(answer).to_bytes(LENGTH, "big") + answer)
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.CancelledError):
            pass  # whoever asked is gone, or we stop
        finally:
            self._connections.discard(writer)
            writer.close()


async def ask(path: Path, question: bytes) -> bytes | None:
    """Returns the answer to a question; None if nobody is there, or has gone away meanwhile."""
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return None
    try:
        writer.write(len(question).to_bytes(LENGTH, "big") + question)
        await writer.drain()
        return await _read(reader)
    except (OSError, EOFError, ValueError):
        return None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> bytes:
    length = int.from_bytes(await reader.readexactly(LENGTH), "big")
    if length > MAX_BYTES:
        raise ValueError(f"{length} bytes are too many")
    return await reader.readexactly(length)
