"""What nodes of one machine say to each other, over Unix sockets.

The sender of links keeps a batch until the receiver has said that it is durable there; if either dies in between, the
batch is sent again. So a batch is delivered at least once, and since a URL is new only once, it is applied once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType

from skitter.bus import codec


class Receiver:
    """Takes frames from other nodes and hands them to `answer`, which says 0 when it is done, else how long to wait."""

    def __init__(self, path: Path, answer: Callable[[codec.Frame], Awaitable[float]]) -> None:
        self._path = path
        self._answer = answer
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
                length = codec.length_of(await reader.readexactly(codec.LENGTH))
                frame = codec.decode_frame(await reader.readexactly(length))
                reply = codec.encode_reply(await self._answer(frame))
                if writer.is_closing():
                    return
                writer.write(reply)
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.CancelledError):
            pass  # the sender died or we stop: what was not answered comes again
        finally:
            self._connections.discard(writer)
            writer.close()


class Peer:
    """Speaks to one other node."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Peer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    async def send(self, frame: codec.Frame) -> float | None:
        """Returns the other node's answer: 0 is done, else how long to wait; None if it can't be reached just now."""
        try:
            if self._streams is None or self._streams[1].is_closing():
                self._streams = await asyncio.open_unix_connection(self._path)
            reader, writer = self._streams
            writer.write(codec.encode_frame(frame))
            await writer.drain()
            return codec.decode_reply(await reader.readexactly(codec.REPLY))
        except (OSError, EOFError):
            self._close()
            return None
        except asyncio.CancelledError:
            self._close()  # its answer would be taken for that to the next frame
            raise

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
