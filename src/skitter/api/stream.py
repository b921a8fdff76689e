"""Events as they happen, by server-sent events: `event: KIND`, `data: JSON`, and a comment now and then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
from starlette.responses import StreamingResponse

from skitter.api.gate import SEALED
from skitter.console.views import Event

SILENCE = 15.0
"""Seconds after which a comment is sent, so that nobody on the way takes us for dead."""

MEDIA = "text/event-stream"


async def streamed(events: AsyncIterator[Event]) -> StreamingResponse:
    """Returns an answer that goes on as long as whoever asked listens."""
    return StreamingResponse(_lines(events), headers={**SEALED, "X-Accel-Buffering": "no"}, media_type=MEDIA)


async def _lines(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\n"
    coming: asyncio.Future[Event] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait([coming], timeout=SILENCE)
            if not done:
                yield b": still here\n\n"
                continue
            event, coming = coming.result(), None
            yield b"event: %s\ndata: %s\n\n" % (event.kind.encode(), msgspec.json.encode(event.body))
    except StopAsyncIteration:
        return
    finally:
        if coming is not None:
            coming.cancel()
