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
from skitter.bus.listening import Listener
from skitter.ports import Frame, FrameHandler

_Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def receiver(path: Path, answer: FrameHandler) -> Listener:
    """Returns what takes frames from other nodes; `answer` says 0 when one is done, else how long to wait."""

    async def exchange(reader: asyncio.StreamReader) -> bytes:
        length = codec.length_of(await reader.readexactly(codec.LENGTH))
        frame = codec.decode_frame(await reader.readexactly(length))
        return codec.encode_reply(await answer(frame))

    return Listener(path, exchange)


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

    def receiving(self, answer: FrameHandler) -> Listener:
        """Hands what other nodes send to `answer`, while it is open."""
        return receiver(self._socket_of(self._number), answer)

    async def _connect(self, node: int) -> _Streams:
        idle = self._idle.get(node, [])
        while idle:
            streams = idle.pop()
            if not streams[1].is_closing() and not streams[0].at_eof():
                return streams
            streams[1].close()
        return await asyncio.open_unix_connection(self._socket_of(node))
