"""The hostile zoo: servers that misbehave, each by name. An animal has its own host and is let loose on every request.

It writes bytes until it is done or nobody listens any more; then the connection is closed.
"""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Protocol

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


Animal = Callable[[Victim, str], Awaitable[None]]


def _saying(*parts: bytes) -> Animal:
    """Returns an animal that sends these bytes and closes."""

    async def animal(victim: Victim, _path: str) -> None:
        for part in parts:
            if not await victim.write(part):
                return

    return animal


def _saying_then_reset(*parts: bytes) -> Animal:
    async def animal(victim: Victim, path: str) -> None:
        await _saying(*parts)(victim, path)
        await asyncio.sleep(0.05)  # so that what was sent arrives before the reset
        victim.reset()

    return animal


def _repeating(head: bytes, part: bytes, *, times: int | None = None, wait: float = 0.0, end: bytes = b"") -> Animal:
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


async def _never(victim: Victim, _path: str) -> None:
    while await victim.write(b""):
        await asyncio.sleep(DRIP)


def _page(body: bytes, *headers: bytes) -> bytes:
    more = b"".join(header + b"\r\n" for header in headers)
    return OK + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _redirecting(location: bytes) -> Animal:
    return _saying(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n")


def _made(make: Callable[[str], bytes]) -> Animal:
    """Returns an animal whose bytes are made when they are asked for: they are many, or depend on the path."""

    async def animal(victim: Victim, path: str) -> None:
        # In a thread: the other hosts must not wait while 64 MB are packed.
        await victim.write(await asyncio.to_thread(make, path))

    return animal


@cache
def _packed_zeros(times: int) -> bytes:
    body = bytes(64 * MIB)
    for _ in range(times):
        body = gzip.compress(body, 9)
    return body


def _bomb(_path: str) -> bytes:
    return _page(_packed_zeros(1), b"Content-Encoding: gzip")


def _nested_bomb(_path: str) -> bytes:
    return _page(_packed_zeros(2), b"Content-Encoding: gzip, gzip")


def _million_links(_path: str) -> bytes:
    return _page(b"<body>" + b"".join(b'<a href="/l/%d">l</a>' % number for number in range(1_000_000)))


def _echo(path: str) -> bytes:
    return _page(f'<a href="{path.rstrip("/")}/again/x{len(path)}">on</a><a href="{path}?q={path}">and on</a>'.encode())


def _same(path: str) -> bytes:
    links = "".join(f'<a href="/any/{(len(path) * 31 + number) % 1000}">{number}</a>' for number in range(10))
    return _page(f"<h1>Always the same page</h1>{links}".encode())


ANIMALS: dict[str, Animal] = {
    "never-answers": _never,
    "slow-headers": _repeating(OK, b"X-Slow: 1\r\n", wait=DRIP),
    "slow-body": _repeating(OK + b"Content-Length: 1000000\r\n\r\n", b"a", wait=DRIP),
    "endless-body": _repeating(OK + b"\r\n", b"<p>endless</p>" * 4096),
    "endless-chunks": _repeating(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"e" * 4096 + b"\r\n"),
    "closes-at-once": _saying(),
    "resets-at-once": _saying_then_reset(),
    "resets-in-status": _saying_then_reset(b"HTTP/1.1 2"),
    "resets-in-headers": _saying_then_reset(OK),
    "resets-in-body": _saying_then_reset(OK + b"Content-Length: 100\r\n\r\nhalf"),
    "length-too-long": _saying(OK + b"Content-Length: 1000\r\n\r\nshort"),
    "length-too-short": _saying(OK + b"Content-Length: 5\r\n\r\nhello and much more than five"),
    "length-negative": _saying(OK + b"Content-Length: -5\r\n\r\nhello"),
    "lengths-differ": _saying(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    "length-and-chunked": _saying(
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    "chunk-size-odd": _saying(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
    "chunk-size-huge": _saying(OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n"),
    "chunks-cut": _saying(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    "many-headers": _repeating(OK, b"X-Many: header\r\n", times=10_000, end=b"Content-Length: 2\r\n\r\nok"),
    "long-header": _saying(OK + b"X-Long: " + b"a" * MIB + b"\r\nContent-Length: 2\r\n\r\nok"),
    "nul-in-header": _saying(OK + b"X-Odd: a\0b\x01c\x7f\r\nContent-Length: 2\r\n\r\nok"),
    "space-in-header": _saying(OK + b"X Odd : a\r\n folded\r\nContent-Length: 2\r\n\r\nok"),
    "big-cookie": _saying(OK + b"Set-Cookie: a=" + b"c" * MIB + b"\r\nContent-Length: 2\r\n\r\nok"),
    "http-0.9": _saying(b"<html><body>no head at all</body></html>"),
    "garbage-first": _saying(b"\x00\xff\x13garbage\r\n\r\n" + _page(b"late")),
    "status-999": _saying(b"HTTP/1.1 999 Request denied\r\nContent-Length: 2\r\n\r\nno"),
    "status-odd": _saying(b"HTTP/1.1 abc What\r\nContent-Length: 2\r\n\r\nno"),
    "early-hints": _repeating(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", wait=0.001),
    "upgrade": _saying(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    "gzip-bomb": _made(_bomb),
    "gzip-nested-bomb": _made(_nested_bomb),
    "gzip-not": _saying(_page(b"this is no gzip", b"Content-Encoding: gzip")),
    "gzip-cut": _saying(_page(gzip.compress(b"cut off " * 1000)[:40], b"Content-Encoding: gzip")),
    "deflate-raw": _saying(_page(zlib.compress(b"raw deflate")[2:-4], b"Content-Encoding: deflate")),
    "encoding-unknown": _saying(_page(b"who knows", b"Content-Encoding: x-nobody")),
    "million-links": _made(_million_links),
    "nested-tags": _made(lambda _: _page(b"<div>" * (2 * MIB))),
    "echo": _made(_echo),
    "always-same": _made(_same),
    "to-itself": _made(lambda path: b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: %b\r\n\r\n" % path.encode()),
    "to-nowhere": _saying(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
    "to-file": _redirecting(b"file:///etc/passwd"),
    "to-javascript": _redirecting(b"javascript:alert(1)"),
    "to-private": _redirecting(b"http://10.0.0.1/"),
    "to-metadata": _redirecting(b"http://169.254.169.254/latest/meta-data/"),
    "to-integer": _redirecting(b"http://2130706433/"),
    "to-octal": _redirecting(b"http://0177.0.0.1/"),
    "to-mapped": _redirecting(b"http://[::ffff:10.0.0.1]/"),
    "to-long": _redirecting(b"/" + b"long" * 5000),
    "asks-password": _saying(
        b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'
    ),
}
