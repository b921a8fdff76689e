"""What animals are made of: sending, waiting, repeating, breaking off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

DRIP = 1.0
MIB = 1024 * 1024
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


class Victim(Protocol):
    """The connection that an animal is let loose on."""

    async def write(self, data: bytes) -> bool:
        """Sends bytes; False if nobody is there any more."""
        ...

    def reset(self) -> None:
        """Breaks the connection off."""
        ...


Animal: TypeAlias = Callable[[Victim, str], Awaitable[None]]
"""Is given the connection and the path that was asked for."""


def saying(*parts: bytes) -> Animal:
    """Returns an animal that sends these bytes and closes."""

    async def animal(victim: Victim, _path: str) -> None:
        for part in parts:
            if not await victim.write(part):
                return

    return animal


def saying_then_reset(*parts: bytes) -> Animal:
    """Returns an animal that sends these bytes and breaks off."""

    async def animal(victim: Victim, path: str) -> None:
        await saying(*parts)(victim, path)
        await asyncio.sleep(0.05)  # so that what was sent arrives before the reset
        victim.reset()

    return animal


def saying_then_waiting(*parts: bytes) -> Animal:
    """Returns an animal that sends these bytes and then holds the connection, for ever."""

    async def animal(victim: Victim, path: str) -> None:
        await saying(*parts)(victim, path)
        while await victim.write(b""):
            await asyncio.sleep(DRIP)

    return animal


def repeating(head: bytes, part: bytes, *, times: int | None = None, wait: float = 0.0, end: bytes = b"") -> Animal:
    """Returns an animal that sends `head` and then `part` again and again, for ever if no `times` is given."""

    async def animal(victim: Victim, _path: str) -> None:
        sent = 0
        there = await victim.write(head)
        while there and (times is None or sent < times):
            there = await victim.write(part)
            await asyncio.sleep(wait)
            sent += 1
        await victim.write(end)

    return animal


def made(make: Callable[[str], bytes]) -> Animal:
    """Returns an animal whose bytes are made when they are asked for: they are many, or depend on the path."""

    async def animal(victim: Victim, path: str) -> None:
        # In a thread: the other hosts must not wait while 64 MB are packed.
        await victim.write(await asyncio.to_thread(make, path))

    return animal


def page(body: bytes, *headers: bytes) -> bytes:
    """Returns a good answer with more headers than it needs."""
    return answer(b"200 OK", body, b"Content-Type: text/html", *headers)


def answer(status: bytes, body: bytes = b"", *headers: bytes) -> bytes:
    """Returns an answer with any status."""
    lines = [b"HTTP/1.1 " + status, *headers, b"Content-Length: %d" % len(body)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def redirect(location: bytes, *headers: bytes) -> bytes:
    """Returns an answer that leads elsewhere."""
    return answer(b"302 Found", b"", b"Location: " + location, *headers)
