"""A Unix socket at which questions are answered, one after another on each connection, while it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

Exchange: TypeAlias = Callable[[asyncio.StreamReader], Awaitable[bytes]]
"""Reads one question and returns the bytes of its answer. EOFError or ValueError: nothing more is to be had there."""


class Listener:
    """Hands each connection's questions to `exchange`. Nobody but our own user can reach it."""

    def __init__(self, path: Path, exchange: Exchange) -> None:
        self._path = path
        self._exchange = exchange
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
                answer = await self._exchange(reader)
                if writer.is_closing():
                    return
                writer.write(answer)
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.CancelledError):
            pass  # whoever asked is gone, or we stop: what was not answered is asked again
        finally:
            self._connections.discard(writer)
            writer.close()
