"""Links between nodes of one machine, over Unix sockets.

The sender keeps a batch until the receiver has said that it is durable there; if either dies in between, the batch is
sent again. So a batch is delivered at least once, and since a URL is new only once, it is applied once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType

from skitter.bus import codec
from skitter.messages import Discovered

ACKNOWLEDGED = b"\x06"


class Receiver:
    """Takes links from other nodes and hands them to `deliver`, which returns when they are durable."""

    def __init__(self, path: Path, deliver: Callable[[Sequence[Discovered]], Awaitable[None]]) -> None:
        self._path = path
        self._deliver = deliver
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Receiver:
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path)
        return self

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
                length = codec.length_of(await reader.readexactly(4))
                for batch in codec.decode_frame(await reader.readexactly(length)):
                    await self._deliver(codec.decode_batch(batch))
                writer.write(ACKNOWLEDGED)
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.CancelledError):
            pass  # the sender died or we stop: what was not acknowledged comes again
        finally:
            self._connections.discard(writer)
            writer.close()


class Peer:
    """Sends links to one other node."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Peer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    async def send(self, batches: Sequence[bytes]) -> bool:
        """Returns whether the other node has made `batches` durable; False: it can't be reached, try again later."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_unix_connection(self._path)
            reader, writer = self._streams
            writer.write(codec.encode_frame(batches))
            await writer.drain()
            acknowledged = await reader.readexactly(1) == ACKNOWLEDGED
        except (OSError, EOFError):
            self._close()
            return False
        if not acknowledged:
            self._close()
        return acknowledged

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
