"""The zoo: whatever a server does, a fetch comes back with an answer or a failure, and says which."""

from __future__ import annotations

import asyncio
import gzip
import os
import time
import zlib
from typing import Any

import brotli
import pytest
import zstandard

from skitter.dns.guard import Guard
from skitter.errors import OperatorError
from skitter.fetch.fetcher import HttpFetcher
from skitter.messages import Fetched, Kind
from skitter.settings import FetchSettings
from tests.fetch.rawserver import Animal, Peer, RawServer, repeats, says
from tests.fetch.visit import AGENT, LOOPS, fetcher, lease, run, visit, within

PAGE = b"<p>hello</p>"
OK = b"HTTP/1.1 200 OK\r\n"
SIZED = OK + b"Content-Length: 12\r\n\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

loops = pytest.mark.parametrize("loop", LOOPS)


def coded(coding: str, body: bytes) -> bytes:
    return OK + f"Content-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


# Each: what the server sends, what it does then, and what of the answer is expected beside no failure.
WHOLE: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    "sized": (SIZED + PAGE, "stay", {"status": 200, "body": PAGE, "response_head": SIZED, "payload": PAGE}),
    "until close": (OK + b"\r\n" + PAGE, "close", {"body": PAGE, "payload": PAGE}),
    "empty until close": (OK + b"\r\n", "close", {"body": b""}),
    "length 0": (OK + b"Content-Length: 0\r\n\r\n", "stay", {"body": b""}),
    "chunked": (
        CHUNKED + b"3\r\n<p>\r\n9;x=y\r\nhello</p>\r\n0\r\n\r\n",
        "stay",
        {"body": PAGE, "payload": b"3\r\n<p>\r\n9;x=y\r\nhello</p>\r\n0\r\n\r\n"},
    ),
    "chunked with trailers": (CHUNKED + b"C\r\n" + PAGE + b"\r\n0\r\nX: 1\r\nY: 2\r\n\r\n", "stay", {"body": PAGE}),
    "chunked, last line missing": (CHUNKED + b"c\r\n" + PAGE + b"\r\n0\r\n", "close", {"body": PAGE}),
    "chunked with lone LF": (CHUNKED + b"c\n" + PAGE + b"\n0\n\n", "stay", {"body": PAGE}),
    "chunked and sized": (
        OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + PAGE + b"\r\n0\r\n\r\n",
        "stay",
        {"body": PAGE},
    ),
    "chunked in HTTP/1.0": (
        b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + PAGE + b"\r\n0\r\n\r\n",
        "stay",
        {"body": PAGE},
    ),
    "identity": (OK + b"Transfer-Encoding: identity\r\nContent-Length: 12\r\n\r\n" + PAGE, "stay", {"body": PAGE}),
    "gzip as a transfer coding": (
        OK + b"Transfer-Encoding: gzip\r\n\r\n" + gzip.compress(PAGE),
        "close",
        {"body": PAGE, "payload": gzip.compress(PAGE)},
    ),
    "two equal lengths": (OK + b"Content-Length: 12\r\nContent-Length: 12\r\n\r\n" + PAGE, "stay", {"body": PAGE}),
    "a list of equal lengths": (OK + b"Content-Length: 12, 12\r\n\r\n" + PAGE, "stay", {"body": PAGE}),
    "more than its length": (SIZED + PAGE + b"trailing", "stay", {"body": PAGE, "payload": PAGE}),
    "more than its chunks": (
        CHUNKED + b"c\r\n" + PAGE + b"\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n",
        "stay",
        {"body": PAGE, "payload": b"c\r\n" + PAGE + b"\r\n0\r\n\r\n"},
    ),
    "204": (b"HTTP/1.1 204 No Content\r\nContent-Length: 12\r\n\r\n", "stay", {"status": 204, "body": b""}),
    "304": (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n", "stay", {"status": 304, "body": b""}),
    "301 is not followed": (
        b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        "stay",
        {"status": 301, "headers": [("Location", "http://127.0.0.1:1/"), ("Content-Length", "0")]},
    ),
    "404 is an answer": (
        b"HTTP/1.1 404 No\r\nContent-Length: 12\r\n\r\n" + PAGE,
        "stay",
        {"status": 404, "body": PAGE},
    ),
    "401 is an answer": (
        b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n',
        "stay",
        {"status": 401},
    ),
    "503 is an answer": (b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "stay", {"status": 503}),
    "interim answers": (
        b"HTTP/1.1 100 Continue\r\n\r\n" * 9 + b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + SIZED + PAGE,
        "stay",
        {"status": 200, "body": PAGE, "response_head": SIZED},
    ),
    "an empty line before": (b"\r\n" + SIZED + PAGE, "stay", {"body": PAGE, "response_head": SIZED}),
    "lone LF": (
        b"HTTP/1.1 200 OK\nContent-Length: 12\nX: y\n\n" + PAGE,
        "stay",
        {"body": PAGE, "headers": [("Content-Length", "12"), ("X", "y")]},
    ),
    "LF and CRLF mixed": (b"HTTP/1.1 200 OK\nContent-Length: 12\r\n\n" + PAGE, "stay", {"body": PAGE}),
    "no reason": (b"HTTP/1.1 200\r\nContent-Length: 12\r\n\r\n" + PAGE, "stay", {"status": 200, "body": PAGE}),
    "another version": (b"HTTP/2 200\r\nContent-Length: 12\r\n\r\n" + PAGE, "stay", {"status": 200, "body": PAGE}),
    "lower case": (b"http/1.1 200 ok\r\ncontent-length: 12\r\n\r\n" + PAGE, "stay", {"status": 200, "body": PAGE}),
    "NUL and control bytes in headers": (
        OK + b"X-\x00A\x01: b\x00c\x7f\r\nno colon here\r\nContent-Length : 12\r\n: empty\r\n\r\n" + PAGE,
        "stay",
        {"body": PAGE, "headers": [("X-\x00A\x01", "b\x00c\x7f"), ("Content-Length", "12"), ("", "empty")]},
    ),
    "a folded header": (
        OK + b"X: one\r\n\ttwo\r\n  three\r\nContent-Length: 12\r\n\r\n" + PAGE,
        "stay",
        {"body": PAGE, "headers": [("X", "one two three"), ("Content-Length", "12")]},
    ),
    "headers keep order, case and bytes": (
        OK + b"B: \xe4\r\na:1\r\nB:  2 \r\nCONTENT-length: 12\r\n\r\n" + PAGE,
        "stay",
        {"headers": [("B", "ä"), ("a", "1"), ("B", "2"), ("CONTENT-length", "12")]},
    ),
    "a cookie of 60 KB": (OK + b"Set-Cookie: a=" + b"x" * 60_000 + b"\r\nContent-Length: 0\r\n\r\n", "stay", {}),
    "200 headers": (OK + b"X: y\r\n" * 199 + b"Content-Length: 0\r\n\r\n", "stay", {"status": 200}),
    "gzip": (coded("gzip", gzip.compress(PAGE)), "stay", {"body": PAGE, "payload": gzip.compress(PAGE)}),
    "br": (coded("br", brotli.compress(PAGE)), "stay", {"body": PAGE}),
    "zstd": (coded("zstd", zstandard.compress(PAGE)), "stay", {"body": PAGE}),
    "deflate": (coded("deflate", zlib.compress(PAGE)), "stay", {"body": PAGE}),
    "stacked": (coded("gzip, br", brotli.compress(gzip.compress(PAGE))), "stay", {"body": PAGE}),
    "an unknown coding": (coded("utf-8", PAGE), "stay", {"body": PAGE}),
    "gzip of nothing": (coded("gzip", b""), "stay", {"body": b""}),
}


@loops
@pytest.mark.parametrize(("reply", "then", "expected"), WHOLE.values(), ids=WHOLE)
def test_an_answer_that_is_whole(loop: str, reply: bytes, then: str, expected: dict[str, Any]) -> None:
    fetched = visit(says(reply, then=then), loop)
    assert (fetched.failure, fetched.truncated, fetched.insecure) == (None, None, False)
    assert {name: getattr(fetched, name) for name in expected} == expected
    assert fetched.address == "127.0.0.1"


@pytest.mark.parametrize(
    "name", ["sized", "chunked with trailers", "interim answers", "lone LF", "gzip", "a folded header"]
)
def test_an_answer_that_comes_byte_by_byte(name: str) -> None:
    reply, then, expected = WHOLE[name]

    async def animal(peer: Peer) -> None:
        await peer.request()
        for at in range(len(reply)):
            await peer.send(reply[at : at + 1])
            await asyncio.sleep(0)
        if then == "stay":
            await peer.stay()

    fetched = visit(animal)
    assert (fetched.failure, fetched.truncated) == (None, None)
    assert {name: getattr(fetched, name) for name in expected} == expected


FAILURES: dict[str, tuple[bytes, str, Kind]] = {
    "closed at once": (b"", "close", Kind.RESET),
    "reset at once": (b"", "reset", Kind.RESET),
    "closed in the status line": (b"HTTP/1.", "close", Kind.BAD_RESPONSE),
    "reset in the status line": (b"HTTP/1.", "reset", Kind.RESET),
    "closed in the headers": (OK + b"X: y\r\n", "close", Kind.BAD_RESPONSE),
    "reset in the headers": (OK + b"X: y\r\n", "reset", Kind.RESET),
    "closed before the body": (SIZED, "close", Kind.RESET),
    "reset before the body": (SIZED, "reset", Kind.RESET),
    "reset before a body until close": (OK + b"\r\n", "reset", Kind.RESET),
    "closed before the chunks": (CHUNKED, "close", Kind.RESET),
    "closed in the first size": (CHUNKED + b"4", "close", Kind.RESET),
    "HTTP/0.9": (b"<html>old</html>\r\n", "close", Kind.BAD_RESPONSE),
    "garbage": (os.urandom(0) + b"\x16\x03\x01\x02\x00\xff" * 100, "stay", Kind.BAD_RESPONSE),
    "garbage before the status line": (b"warning: x\r\n" + SIZED + PAGE, "stay", Kind.BAD_RESPONSE),
    "empty lines": (b"\r\n" * 100 + SIZED + PAGE, "stay", Kind.BAD_RESPONSE),
    "SSH": (b"SSH-2.0-OpenSSH_9.2\r\n", "stay", Kind.BAD_RESPONSE),
    "no status": (b"HTTP/1.1 OK\r\n\r\n", "stay", Kind.BAD_RESPONSE),
    "no version": (b"HTTP 200 OK\r\n\r\n", "stay", Kind.BAD_RESPONSE),
    "status 999": (b"HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n", "stay", Kind.ODD_STATUS),
    "status 600": (b"HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n", "stay", Kind.ODD_STATUS),
    "status 000": (b"HTTP/1.1 000 No\r\n\r\n", "stay", Kind.ODD_STATUS),
    "status 99": (b"HTTP/1.1 99 No\r\n\r\n", "stay", Kind.ODD_STATUS),
    "status 20000": (b"HTTP/1.1 20000 No\r\n\r\n", "stay", Kind.ODD_STATUS),
    "101 unasked for": (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "stay", Kind.ODD_STATUS),
    "a flood of 100s": (b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, "stay", Kind.ODD_STATUS),
    "two lengths": (OK + b"Content-Length: 12\r\nContent-Length: 13\r\n\r\n" + PAGE, "stay", Kind.BAD_RESPONSE),
    "a negative length": (OK + b"Content-Length: -1\r\n\r\n" + PAGE, "stay", Kind.BAD_RESPONSE),
    "a length of words": (OK + b"Content-Length: twelve\r\n\r\n" + PAGE, "stay", Kind.BAD_RESPONSE),
    "a length of 5000 digits": (OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "stay", Kind.BAD_RESPONSE),
    "chunks that are none": (CHUNKED + PAGE, "stay", Kind.BAD_RESPONSE),
    "a negative chunk": (CHUNKED + b"-5\r\nhello\r\n", "stay", Kind.BAD_RESPONSE),
    "an endless chunk size": (CHUNKED + b"0" * 100_000, "stay", Kind.BAD_RESPONSE),
    "an enormous chunk size": (CHUNKED + b"f" * 17 + b"\r\nhello", "stay", Kind.BAD_RESPONSE),
    "201 header lines": (OK + b"X: y\r\n" * 201 + b"\r\n", "stay", Kind.HEADERS_TOO_LARGE),
    "10,000 header lines": (OK + b"X: y\r\n" * 10_000 + b"\r\n", "stay", Kind.HEADERS_TOO_LARGE),
    "a header line of 1 MB": (OK + b"X: " + b"y" * 1_000_000, "stay", Kind.HEADERS_TOO_LARGE),
    "a status line of 1 MB": (b"HTTP/1.1 200 " + b"y" * 1_000_000, "stay", Kind.HEADERS_TOO_LARGE),
    "gzip that is none": (coded("gzip", PAGE), "stay", Kind.BAD_ENCODING),
    "br that is none": (coded("br", PAGE), "stay", Kind.BAD_ENCODING),
    "zstd that is none": (coded("zstd", PAGE), "stay", Kind.BAD_ENCODING),
    "gzip called br": (coded("br", gzip.compress(PAGE * 100)), "stay", Kind.BAD_ENCODING),
    "br called gzip": (coded("gzip", brotli.compress(PAGE * 100)), "stay", Kind.BAD_ENCODING),
    "damaged gzip": (coded("gzip", gzip.compress(PAGE)[:-6] + b"xxxxxx"), "stay", Kind.BAD_ENCODING),
    "compress": (coded("compress", b"\x1f\x9d\x90"), "stay", Kind.BAD_ENCODING),
}


@loops
@pytest.mark.parametrize(("reply", "then", "kind"), FAILURES.values(), ids=FAILURES)
def test_an_answer_that_is_none(loop: str, reply: bytes, then: str, kind: Kind) -> None:
    fetched = visit(says(reply, then=then), loop)
    assert fetched.failure is not None
    assert fetched.failure.kind is kind, fetched.failure
    assert fetched.body == b""


def test_an_odd_status_is_told() -> None:
    fetched = visit(says(b"HTTP/1.1 999 Denied\r\nX: y\r\n\r\n"))
    assert (fetched.status, fetched.headers) == (999, [("X", "y")])
    assert fetched.response_head == b"HTTP/1.1 999 Denied\r\nX: y\r\n\r\n"


CUT: dict[str, tuple[bytes, str, str, bytes]] = {
    "closed in the body": (SIZED + PAGE[:5], "close", "disconnect", PAGE[:5]),
    "reset in the body": (SIZED + PAGE[:5], "stay-reset", "disconnect", PAGE[:5]),
    "reset in a body until close": (OK + b"\r\n" + PAGE, "stay-reset", "disconnect", PAGE),
    "closed in a chunk": (CHUNKED + b"c\r\n" + PAGE[:5], "close", "disconnect", PAGE[:5]),
    "closed between chunks": (CHUNKED + b"c\r\n" + PAGE + b"\r\n", "close", "disconnect", PAGE),
    "broken after a chunk": (CHUNKED + b"c\r\n" + PAGE + b"\r\nxyz\r\n", "stay", "disconnect", PAGE),
    "no line end after a chunk": (CHUNKED + b"c\r\n" + PAGE + b"more\r\n", "stay", "disconnect", PAGE),
    "a chunk size in trailers for ever": (
        CHUNKED + b"c\r\n" + PAGE + b"\r\n0\r\n" + b"X: y\r\n" * 10_000,
        "stay",
        "disconnect",
        PAGE,
    ),
    "gzip without its end": (coded("gzip", gzip.compress(PAGE)[:-8]), "stay", "disconnect", PAGE),
    "gzip cut in the middle": (
        OK + b"Content-Encoding: gzip\r\nContent-Length: 99999\r\n\r\n" + gzip.compress(PAGE)[:-8],
        "close",
        "disconnect",
        PAGE,
    ),
}


@loops
@pytest.mark.parametrize(("reply", "then", "how", "body"), CUT.values(), ids=CUT)
def test_an_answer_that_is_cut_is_kept_and_marked(loop: str, reply: bytes, then: str, how: str, body: bytes) -> None:
    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(reply)
        if then == "stay":
            await peer.stay()
        elif then == "stay-reset":
            await asyncio.sleep(0.05)  # a RST overtakes what was sent before it
            peer.reset()

    fetched = visit(animal, loop)
    assert (fetched.failure, fetched.truncated, fetched.body) == (None, how, body)
    assert fetched.status == 200


@loops
def test_a_cut_with_nothing_to_decode_is_the_failure_that_cut_it(loop: str) -> None:
    reply = OK + b"Content-Encoding: gzip\r\nContent-Length: 999\r\n\r\n" + gzip.compress(PAGE)[:5]
    fetched = visit(says(reply), loop)
    assert fetched.failure is not None
    assert fetched.failure.kind is Kind.RESET


# Limits on size.


def endless(head: bytes, piece: bytes) -> Animal:
    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(head)
        while True:
            await peer.send(piece)

    return animal


LONG: dict[str, tuple[bytes, bytes]] = {
    "a body that never ends": (OK + b"\r\n", b"x" * 1000),
    "chunks that never end": (CHUNKED, b"3e8\r\n" + b"x" * 1000 + b"\r\n"),
    "a length of 1 GB": (OK + b"Content-Length: 1000000000\r\n\r\n", b"x" * 1000),
}


@loops
@pytest.mark.parametrize(("head", "piece"), LONG.values(), ids=LONG)
def test_a_body_is_cut_at_its_limit(loop: str, head: bytes, piece: bytes) -> None:
    fetched = visit(endless(head, piece), loop, max_body=50_000)
    assert (fetched.failure, fetched.truncated) == (None, "length")
    assert len(fetched.payload) == 50_000
    assert 49_000 <= len(fetched.body) <= 50_000
    assert set(fetched.body) == {ord("x")}


@pytest.mark.parametrize("head", [b"Content-Length: 2000\r\n\r\n", b"\r\n"])
def test_a_body_of_just_the_limit_is_whole(head: bytes) -> None:
    fetched = visit(says(OK + head + b"x" * 2000), max_body=2000)
    assert (fetched.truncated, len(fetched.body)) == (None, 2000)


def test_a_body_is_cut_at_its_limit_after_decoding() -> None:
    noise = os.urandom(3000)
    fetched = visit(says(coded("gzip", gzip.compress(noise * 10)), then="stay"), max_body=20_000)
    assert (fetched.failure, fetched.truncated, fetched.body) == (None, "length", (noise * 10)[:20_000])


ZEROS = bytes(30_000_000)
BOMBS = {
    "gzip": gzip.compress(ZEROS),
    "deflate": zlib.compress(ZEROS),
    "br": brotli.compress(ZEROS, quality=3),
    "zstd": zstandard.compress(ZEROS, 3),
    "gzip, gzip": gzip.compress(gzip.compress(ZEROS)),
    "gzip, br": brotli.compress(gzip.compress(ZEROS)),
    "gzip, gzip, gzip, gzip, gzip, gzip": b"x",
}


@pytest.mark.parametrize("coding", BOMBS)
def test_a_bomb_is_a_failure(coding: str) -> None:
    fetched = visit(says(coded(coding, BOMBS[coding]), then="stay"), max_ratio=500)
    assert fetched.failure is not None
    assert fetched.failure.kind is Kind.BOMB
    assert fetched.body == b""
    assert fetched.payload == BOMBS[coding]


# Limits on time.


@pytest.mark.slow
@loops
def test_a_server_that_never_answers_is_given_up(loop: str) -> None:
    began = time.monotonic()
    fetched = visit(says(b"", then="stay"), loop, first_byte_timeout=0.2)
    assert 0.19 <= time.monotonic() - began < 9
    assert fetched.failure is not None
    assert fetched.failure.kind is Kind.READ_TIMEOUT


SLOW: dict[str, tuple[bytes, bytes]] = {
    "headers": (OK, b"X: y\r\n"),
    "a body": (OK + b"Content-Length: 100000\r\n\r\n", b"x"),
    "chunks": (CHUNKED, b"1\r\nx\r\n"),
    "interim answers": (b"", b"HTTP/1.1 102 Wait\r\n\r\n"),
}


def dribbles(head: bytes, piece: bytes, pause: float = 0.03) -> Animal:
    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(head)
        while True:
            await peer.send(piece, pause=pause)

    return animal


@pytest.mark.slow
@loops
@pytest.mark.parametrize("name", ["headers", "a body", "chunks"])
def test_whoever_sends_too_slowly_is_given_up(loop: str, name: str) -> None:
    began = time.monotonic()
    fetched = visit(dribbles(*SLOW[name]), loop, window=0.2, min_speed=1000)
    assert time.monotonic() - began < 9
    assert fetched.failure is not None
    assert fetched.failure.kind is Kind.TOO_SLOW


@pytest.mark.slow
def test_whoever_is_just_fast_enough_is_not_given_up() -> None:
    fetched = visit(says(SIZED, *[PAGE[at : at + 1] for at in range(12)], pause=0.2), window=1.0, min_speed=1)
    assert (fetched.failure, fetched.truncated, fetched.body) == (None, None, PAGE)


@pytest.mark.slow
@loops
@pytest.mark.parametrize("name", SLOW)
def test_the_whole_request_has_a_limit(loop: str, name: str) -> None:
    began = time.monotonic()
    fetched = visit(dribbles(*SLOW[name], pause=0.15), loop, total_timeout=1.0, first_byte_timeout=0.9)
    assert 0.98 <= time.monotonic() - began < 9
    if name in ("a body", "chunks"):
        assert (fetched.failure, fetched.truncated) == (None, "time")
        assert fetched.body.startswith(b"xx")
    else:
        assert fetched.failure is not None
        assert fetched.failure.kind is Kind.READ_TIMEOUT


@pytest.mark.slow
def test_a_head_without_any_body_in_time_is_a_failure() -> None:
    fetched = visit(says(SIZED, then="stay"), total_timeout=0.2)
    assert fetched.failure is not None
    assert fetched.failure.kind is Kind.READ_TIMEOUT


# Addresses.


@loops
def test_the_guard_is_asked_about_the_very_address(loop: str) -> None:
    async def main() -> None:
        guard = Guard(False, ["127.0.0.1/32"])
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher(guard.refusal) as http:
            url = lease(f"http://name.test:{server.port}/")
            assert (await http.fetch(url, ["127.0.0.1"])).body == PAGE
            for address in ("127.0.0.2", "::ffff:127.0.0.2", "10.0.0.1", "localhost", "", "127.1"):
                refused = await http.fetch(url, [address, "127.0.0.1"])
                assert refused.failure is not None
                assert refused.failure.kind is Kind.ADDRESS_REFUSED
                assert refused.address is None
            assert (server.connections, len(server.requests)) == (1, 1)

    run(main(), loop)


class Stalling:
    """A clock that stands in for ours, and what holds us up between two looks at it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def stall(self, *_: object) -> None:
        """Stands still for five seconds."""
        self.now += 5.0


@pytest.mark.parametrize("kept", [False, True], ids=["a new connection", "one that was kept"])
@pytest.mark.parametrize("where", ["before it is written", "while it is written"])
def test_however_long_we_stand_still_a_request_began_when_it_was_out(
    where: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one comes a delay after that: else the server would see both at once."""
    clock = Stalling()
    write = asyncio.selector_events._SelectorSocketTransport.write  # type: ignore[attr-defined]

    def stalls(transport: object, data: bytes) -> None:
        if data.startswith(b"GET"):
            clock.stall()
        write(transport, data)

    async def main() -> list[Fetched]:
        check = clock.stall if where.startswith("before") else lambda _: None
        if where.startswith("while"):
            monkeypatch.setattr(asyncio.selector_events._SelectorSocketTransport, "write", stalls)  # type: ignore[attr-defined]
        made = HttpFetcher(FetchSettings(), user_agent=AGENT, refusal=lambda _: None, clock=clock, check=check)
        async with RawServer(repeats(SIZED + PAGE)) as server, made as http:
            one = lease(f"http://127.0.0.1:{server.port}/page")
            return [await within(9, http.fetch(one, ["127.0.0.1"])) for _ in range(1 + kept)]

    fetched = run(main())
    assert [(one.status, one.began) for one in fetched] == [(200, 1005.0), (200, 1010.0)][: 1 + kept]
    assert fetched[-1].took == 0.0


def test_a_connection_that_is_kept_is_not_used_once_its_address_is_refused() -> None:
    async def main() -> None:
        refused: dict[str, str] = {}
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher(refused.get) as http:
            url = lease(f"http://127.0.0.1:{server.port}/")
            assert (await http.fetch(url, ["127.0.0.1"])).failure is None
            refused["127.0.0.1"] = "loopback"
            again = await http.fetch(url, ["127.0.0.1"])
            assert again.failure is not None
            assert again.failure.kind is Kind.ADDRESS_REFUSED
            assert len(server.requests) == 1

    run(main())


@loops
def test_a_name_is_never_looked_up_here(loop: str) -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher() as http:
            fetched = await http.fetch(lease(f"http://localhost:{server.port}/"), ["localhost"])
            assert fetched.failure is not None
            assert fetched.failure.kind is Kind.ADDRESS_REFUSED
            assert server.connections == 0

    run(main(), loop)


@loops
def test_the_second_address_is_tried_if_the_first_does_not_answer_and_no_third(loop: str) -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher() as http:
            url = lease(f"http://name.test:{server.port}/")
            fetched = await http.fetch(url, ["127.0.0.2", "127.0.0.1"])
            assert (fetched.failure, fetched.address) == (None, "127.0.0.1")
            await http.fetch(url, ["127.0.0.2", "127.0.0.1"])
            assert server.connections == 1
            third = await http.fetch(url, ["127.0.0.2", "127.0.0.3", "127.0.0.1"])
            assert third.failure is not None
            assert third.failure.kind is Kind.REFUSED
            assert third.failure.detail.startswith("127.0.0.3")

    run(main(), loop)


@loops
def test_no_address_and_no_route_are_failures(loop: str) -> None:
    async def main() -> None:
        async with fetcher(connect_timeout=0.3) as http:
            for addresses in ([], ["255.255.255.255"]):
                fetched = await http.fetch(lease("http://name.test/"), addresses)
                assert fetched.failure is not None
                assert fetched.failure.kind is Kind.UNREACHABLE, fetched.failure

    run(main(), loop)


@loops
def test_connecting_has_a_limit(loop: str) -> None:
    async def never(peer: Peer) -> None:
        await peer.stay()

    async def main() -> None:
        # TLS against a server that says nothing: the handshake counts as connecting.
        async with RawServer(never) as server, fetcher(connect_timeout=0.1) as http:
            fetched = await within(9, http.fetch(lease(f"https://127.0.0.1:{server.port}/"), ["127.0.0.1"]))
            assert fetched.failure is not None
            assert fetched.failure.kind is Kind.CONNECT_TIMEOUT

    run(main(), loop)


def test_ipv6() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE), address="::1") as server, fetcher() as http:
            fetched = await http.fetch(lease(f"http://[::1]:{server.port}/"), ["::1"])
            assert (fetched.failure, fetched.body, fetched.address) == (None, PAGE, "::1")
            assert f"\r\nHost: [::1]:{server.port}\r\n".encode() in server.requests[0]

    run(main())


# Connections that are kept.


def visits(animal: Animal, times: int, **options: Any) -> tuple[list[Fetched], RawServer]:
    async def main() -> tuple[list[Fetched], RawServer]:
        async with RawServer(animal) as server, fetcher(**options) as http:
            url = lease(f"http://127.0.0.1:{server.port}/")
            return [await within(9, http.fetch(url, ["127.0.0.1"])) for _ in range(times)], server

    return run(main())


REUSED = {
    "sized": SIZED + PAGE,
    "chunked": CHUNKED + b"c\r\n" + PAGE + b"\r\n0\r\n\r\n",
    "304": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "HTTP/1.0 that keeps": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "404": b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
}
NOT_REUSED = {
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
    "close": OK + b"Connection: close\r\nContent-Length: 0\r\n\r\n",
    "close in a list": OK + b"Connection: x, Close\r\nContent-Length: 0\r\n\r\n",
    "too much": SIZED + PAGE + b"x",
    "too many chunks": CHUNKED + b"c\r\n" + PAGE + b"\r\n0\r\n\r\n0\r\n\r\n",
    "length and chunks": OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "cut": OK + b"Content-Length: 5000\r\n\r\n" + b"x" * 5000,
    "broken": CHUNKED + b"c\r\n" + PAGE + b"xx\r\n",
    "bad coding": coded("gzip", PAGE),
    "coding without its end": coded("gzip", gzip.compress(PAGE)[:-8]),
    "odd status": b"HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("reply", REUSED.values(), ids=REUSED)
def test_a_clean_connection_is_used_again(reply: bytes) -> None:
    fetched, server = visits(repeats(reply), 3)
    assert [each.failure for each in fetched] == [None] * 3
    assert (server.connections, len(server.requests)) == (1, 3)


@pytest.mark.parametrize("reply", NOT_REUSED.values(), ids=NOT_REUSED)
def test_a_connection_with_an_oddity_is_not_used_again(reply: bytes) -> None:
    _, server = visits(repeats(reply), 2, max_body=4000)
    assert (server.connections, len(server.requests)) == (2, 2)


@loops
@pytest.mark.parametrize("how", ["closed while idle", "closed on the request", "reset on the request"])
def test_a_stale_connection_is_told_and_then_replaced(loop: str, how: str) -> None:
    # Not asked again at once: the server may have heard the first request, and is owed a delay before the second.
    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(SIZED + PAGE)
        if peer.number == 1 and how != "closed while idle":
            await peer.request()
            if how == "reset on the request":
                peer.reset()
        elif peer.number > 1:
            await peer.stay()

    async def main() -> None:
        async with RawServer(animal) as server, fetcher() as http:
            url = lease(f"http://127.0.0.1:{server.port}/")
            assert (await http.fetch(url, ["127.0.0.1"])).body == PAGE
            async with asyncio.timeout(9):
                while how == "closed while idle" and http.statistics().idle:
                    await asyncio.sleep(0.005)
            if how != "closed while idle":
                stale = await http.fetch(url, ["127.0.0.1"])
                assert stale.failure is not None
                assert stale.failure.kind is Kind.STALE
                assert server.connections == 1
            assert (await http.fetch(url, ["127.0.0.1"])).body == PAGE
            assert server.connections == 2
            assert http.statistics().stale == (0 if how == "closed while idle" else 1)

    run(main(), loop)


def test_a_fresh_connection_that_is_closed_is_not_tried_again() -> None:
    fetched, server = visits(says(b""), 1)
    assert fetched[0].failure is not None
    assert (server.connections, len(server.requests)) == (1, 1)


def test_a_connection_that_breaks_within_its_answer_is_not_tried_again() -> None:
    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(SIZED + PAGE)
        await peer.request()
        await peer.send(b"HTTP/1.1 2")

    fetched, server = visits(animal, 2)
    assert fetched[1].failure is not None
    assert fetched[1].failure.kind is Kind.BAD_RESPONSE
    assert (server.connections, len(server.requests)) == (1, 2)


def test_what_comes_unasked_on_an_idle_connection_closes_it() -> None:
    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(SIZED + PAGE)
        await asyncio.sleep(0.02)
        await peer.send(SIZED + b"<p>poison<p>")
        await peer.stay()

    async def main() -> None:
        async with RawServer(animal) as server, fetcher() as http:
            url = lease(f"http://127.0.0.1:{server.port}/")
            assert (await http.fetch(url, ["127.0.0.1"])).body == PAGE
            async with asyncio.timeout(9):
                while http.statistics().idle:
                    await asyncio.sleep(0.005)
            assert (await http.fetch(url, ["127.0.0.1"])).body == PAGE
            assert server.connections == 2

    run(main())


def test_connections_are_kept_apart_by_name_and_address() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE), address="0.0.0.0") as server, fetcher() as http:  # noqa: S104
            for name, address in [("a", 1), ("b", 1), ("a", 2), ("a", 1), ("b", 1), ("a", 2)]:
                await http.fetch(lease(f"http://{name}.test:{server.port}/"), [f"127.0.0.{address}"])
            assert server.connections == 3
            assert http.statistics().reused == 3

    run(main())


def test_no_more_connections_are_kept_than_allowed() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher(max_connections=2) as http:
            for name in "abc":
                await http.fetch(lease(f"http://{name}.test:{server.port}/"), ["127.0.0.1"])
            assert http.statistics().idle == 2
            await http.fetch(lease(f"http://a.test:{server.port}/"), ["127.0.0.1"])
            assert server.connections == 4
            await http.fetch(lease(f"http://c.test:{server.port}/"), ["127.0.0.1"])
            assert server.connections == 4

    run(main())


def test_an_idle_connection_is_closed_at_its_age_though_nobody_asks() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher(max_idle=0.05) as http:
            await http.fetch(lease(f"http://a.test:{server.port}/"), ["127.0.0.1"])
            assert (server.open, http.statistics().idle) == (1, 1)
            async with asyncio.timeout(9):
                while server.open:
                    await asyncio.sleep(0.005)
            assert http.statistics().idle == 0

    run(main())


def test_leaving_closes_what_is_kept() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server:
            async with fetcher() as http:
                await http.fetch(lease(f"http://a.test:{server.port}/"), ["127.0.0.1"])
            async with asyncio.timeout(9):
                while server.open:
                    await asyncio.sleep(0.005)

    run(main())


@loops
def test_a_fetch_that_is_cancelled_closes_its_connection(loop: str) -> None:
    async def main() -> None:
        async with RawServer(says(SIZED + PAGE[:3], then="stay")) as server, fetcher() as http:
            task = asyncio.create_task(http.fetch(lease(f"http://a.test:{server.port}/"), ["127.0.0.1"]))
            async with asyncio.timeout(9):
                while not server.requests:
                    await asyncio.sleep(0.005)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                while server.open:
                    await asyncio.sleep(0.005)
            assert http.statistics().idle == 0

    run(main(), loop)


# What is sent.


def test_the_request_is_what_we_say_it_is() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher() as http:
            href = f"http://user:secret@name.test:{server.port}/a/b?c=d#e"
            fetched = await http.fetch(
                lease(href, etag='"v1"', last_modified="Sun, 15 Nov 2026 20:00:00 GMT"), ["127.0.0.1"]
            )
            assert server.requests == [fetched.request_head]
            assert fetched.request_head.decode() == (
                "GET /a/b?c=d HTTP/1.1\r\n"
                f"Host: name.test:{server.port}\r\n"
                f"User-Agent: {AGENT}\r\n"
                "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
                "Accept-Encoding: gzip, deflate, br, zstd\r\n"
                'If-None-Match: "v1"\r\n'
                "If-Modified-Since: Sun, 15 Nov 2026 20:00:00 GMT\r\n"
                "Connection: keep-alive\r\n\r\n"
            )

    run(main())


def test_cookies_are_not_sent_back() -> None:
    reply = OK + b"Set-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n"
    _, server = visits(repeats(reply), 3)
    assert len(server.requests) == 3
    assert not any(b"ookie" in request for request in server.requests)


def test_the_request_begins_when_it_goes_out_not_when_we_dial() -> None:
    async def main() -> None:
        ticks = iter([90.0, 100.0, 107.0])
        async with (
            RawServer(says(SIZED + PAGE)) as server,
            HttpFetcher(FetchSettings(), user_agent=AGENT, refusal=lambda _: None, clock=lambda: next(ticks)) as http,
        ):
            fetched = await http.fetch(lease(f"http://127.0.0.1:{server.port}/"), ["127.0.0.1"])
            assert (fetched.began, fetched.ended) == (100.0, 107.0)

    run(main())


@pytest.mark.parametrize("agent", ["", "a\r\nX: y", "a\x00", "☃"])
def test_a_user_agent_that_is_no_header_is_named(agent: str) -> None:
    with pytest.raises(OperatorError, match="user_agent"):
        HttpFetcher(FetchSettings(), user_agent=agent, refusal=lambda _: None)


def test_a_sender_that_is_no_header_is_named() -> None:
    with pytest.raises(OperatorError, match=r"identity\.contact"):
        HttpFetcher(FetchSettings(), user_agent=AGENT, refusal=lambda _: None, sender="me@a.org\r\nCookie: b")


def test_it_says_what_it_does() -> None:
    async def main() -> None:
        async with RawServer(repeats(SIZED + PAGE)) as server, fetcher() as http:
            for address in ("127.0.0.1", "127.0.0.1", "127.0.0.2"):
                await http.fetch(lease(f"http://a.test:{server.port}/"), [address])
            counted = http.statistics()
            assert (counted.requests, counted.failures, counted.opened, counted.reused) == (3, 1, 1, 1)
            assert (counted.received, counted.idle) == (2 * len(SIZED + PAGE), 1)
            assert repr(http) == "<HttpFetcher: 3 requests, 1 connections idle>"

    run(main())


@pytest.mark.slow
def test_all_animals_at_once_hold_up_nobody() -> None:
    """The others' pages come at once while a hundred animals keep the fetcher busy."""
    zoo = [says(reply, then=then) for reply, then, _ in FAILURES.values()]
    zoo += [dribbles(*slow) for slow in SLOW.values()] + [endless(*long) for long in LONG.values()]

    async def main() -> None:
        chosen = iter(range(10**9))

        async def animal(peer: Peer) -> None:
            await zoo[next(chosen) % len(zoo)](peer)

        async with (
            RawServer(animal) as cages,
            RawServer(repeats(SIZED + PAGE)) as good,
            fetcher(total_timeout=1.0, max_body=200_000) as http,
        ):
            wild = lease(f"http://127.0.0.1:{cages.port}/")
            visits = [asyncio.create_task(http.fetch(wild, ["127.0.0.1"])) for _ in range(2 * len(zoo))]
            for _ in range(50):
                fetched = await within(9, http.fetch(lease(f"http://127.0.0.1:{good.port}/"), ["127.0.0.1"]))
                assert fetched.body == PAGE
            for each in await within(30, asyncio.gather(*visits)):
                assert each.failure is not None or each.truncated is not None

    run(main())
