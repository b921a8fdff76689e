"""What nodes of one machine say to each other, over Unix sockets.

The sender of links keeps a batch until the receiver has said that it is durable there; if either dies in between, the
batch is sent again. So a batch is delivered at least once, and since a URL is new only once, it is applied once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeAlias

from skitter.bus import codec
from skitter.ports import Frame, FrameHandler

_Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Receiver:
    """Takes frames from other nodes and hands them to `answer`, which says 0 when it is done, else how long to wait."""

    def __init__(self, path: Path, answer: FrameHandler) -> None:
        self._path = path
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> None:
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path)

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


class LocalBus:
    """The bus of one node, see `ports.Bus`. Use it in `async with`: it keeps connections for the next frame.

    `socket_of` says where each node takes frames; `number` is our own.
    """

    def __init__(self, number: int, socket_of: Callable[[int], Path]) -> None:
        self._number = number
        self._socket_of = socket_of
        self._idle: dict[int, list[_Streams]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for idle in self._idle.values():
            for _reader, writer in idle:
                writer.close()
        self._idle.clear()

    async def send(self, node: int, frame: Frame) -> float | None:
        """Returns the other node's answer: 0 is done, else how long to wait; None if it can't be reached just now."""
        try:
            streams = await self._connect(node)
        except OSError:
            return None
        reader, writer = streams
        try:
            writer.write(codec.encode_frame(frame))
            await writer.drain()
            answer = codec.decode_reply(await reader.readexactly(codec.REPLY))
        except (OSError, EOFError):
            writer.close()
            return None
        except asyncio.CancelledError:
            writer.close()  # its answer would be taken for that to the next frame
            raise
        self._idle.setdefault(node, []).append(streams)
        return answer

    def receiving(self, answer: FrameHandler) -> Receiver:
        """Hands what other nodes send to `answer`, while it is open."""
        return Receiver(self._socket_of(self._number), answer)

    async def _connect(self, node: int) -> _Streams:
        idle = self._idle.get(node, [])
        while idle:
            streams = idle.pop()
            if not streams[1].is_closing() and not streams[0].at_eof():
                return streams
            streams[1].close()
        return await asyncio.open_unix_connection(self._socket_of(node))
