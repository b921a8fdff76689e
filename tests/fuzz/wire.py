"""Targets for what comes over a connection: the answer, its encodings, the dates in its headers, a node's frames."""

from __future__ import annotations

import gzip
import zlib
from calendar import timegm
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from ipaddress import ip_address
from time import gmtime

import brotli  # type: ignore[import-untyped]
import msgspec
import zstandard

from skitter.bus import codec
from skitter.dns.message import question, reply_in
from skitter.dns.replies import Said
from skitter.fetch import decode as decoding
from skitter.fetch.answer import AnswerReader
from skitter.fetch.decode import BOMB_FLOOR, Decoded, decode
from skitter.messages import Discovered, Kind
from skitter.politeness import http_date, retry_after
from skitter.ports import Links, Pause, Release, Reserve
from skitter.settings import FetchSettings
from skitter.shard.log import codec as records
from skitter.shard.log import links
from skitter.shard.moving.record import Asked, Bundle, HandedOver, Moves, decode_moves, encode_moves
from skitter.url.routes import Place
from tests.fuzz.pieces import cut_up, damaged, scripted

NOW, LIMIT = 1.7e9, 86400.0
LIMITS = FetchSettings(max_head=1024, max_headers=10, max_body=8192)  # low: small inputs reach them
MAX_BODY, MAX_RATIO = 100_000, 100
CODINGS = (("gzip",), ("deflate",), ("br",), ("zstd",), ("gzip", "br"), ("zstd", "deflate", "x-gzip"), ("br",) * 6)
PACK = {
    "gzip": lambda body: gzip.compress(body, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def fuzz_retry_after(data: bytes) -> None:
    """A wait is between nothing and the limit; a number is taken at its word."""
    text = data.decode("utf-8", "replace")
    wait = retry_after.parse(text, NOW, LIMIT)
    assert wait is None or 0 <= wait <= LIMIT
    if len(text) < 1000 and text.isascii() and text.isdigit():
        assert wait == min(LIMIT, int(text))


def fuzz_http_date(data: bytes) -> None:
    """A date that can be read is within the years 1 to 9999, and is the same when it is written in the usual form."""
    seconds = http_date.seconds_of(data.decode("latin-1"), NOW)
    if seconds is None:
        return
    assert timegm((1, 1, 1, 0, 0, 0)) - 360_000 <= seconds <= timegm((9999, 12, 31, 23, 59, 60)) + 360_000
    if 1 < gmtime(seconds).tm_year < 9999:
        assert http_date.seconds_of(formatdate(seconds, usegmt=True), NOW) == seconds


def fuzz_answer(data: bytes) -> None:
    """An answer is the same in whatever pieces it comes, and nothing that is kept of it is beyond its limit."""
    script, stream = scripted(data)
    whole = heard([stream])
    assert told(whole) == told(heard(cut_up(script, stream)))
    assert told(whole) == told(heard([bytes([byte]) for byte in stream]))
    assert len(whole.raw_head) <= LIMITS.max_head
    assert len(whole.payload()) <= LIMITS.max_body
    assert len(whole.content(whole.payload())) <= LIMITS.max_body
    if whole.head is not None:
        assert len(whole.head.headers) <= LIMITS.max_headers
        assert 200 <= whole.head.status < 600 or whole.failure is not None
    else:
        assert whole.failure is not None


def heard(pieces: list[bytes]) -> AnswerReader:
    """Returns the answer that a connection makes of `pieces` before it closes."""
    answer = AnswerReader(LIMITS)
    for piece in pieces:
        if piece and answer.feed(piece):
            return answer
    answer.closed()
    assert answer.over
    return answer


def told(answer: AnswerReader) -> tuple[object, ...]:
    """Returns all that is kept of an answer.

    Of chunks that break, how much of the broken part is kept depends on what had come by then; what counts does not.
    """
    head = answer.head and (answer.head.status, answer.head.headers, answer.head.codings, answer.head.keep_alive)
    content = answer.content(answer.payload())
    payload = None if answer.truncated == "disconnect" or answer.failure is not None else answer.payload()
    return head, answer.raw_head, answer.failure, answer.truncated, content, payload


def fuzz_decode(data: bytes) -> None:
    """Any bytes decode to what a plain decoder makes of them, in steps of any size, or to a failure; within bounds."""
    codings, packed = CODINGS[data[0] % len(CODINGS)] if data else (), data[1:]
    decoded = _decoded(packed, codings)
    with steps_of(7 + len(packed) % 97):
        small = _decoded(packed, codings)
    if not (_is_cut_short(decoded) or _is_cut_short(small)):
        # What zstd checks of a damaged frame depends on whether it has room for all that the frame promises.
        assert "zstd" in codings or (decoded.failure is None) == (small.failure is None)
        assert _is_same(decoded.body, small.body, codings)
    if decoded.failure is None and not decoded.cut and len(codings) == 1:
        assert len(decoded.body) <= max(BOMB_FLOOR, MAX_RATIO * len(packed))
        assert _is_same(decoded.body, plainly(packed, codings[0]), codings)


def _is_same(one: bytes, other: bytes, codings: tuple[str, ...]) -> bool:
    """Whether two decoders agree. At the end of a zstd frame that was cut off, one may keep a few bytes to itself."""
    return one == other or ("zstd" in codings and (one.startswith(other) or other.startswith(one)))


def fuzz_decode_damaged(data: bytes) -> None:
    """What was packed comes out again; of what was cut off at the end, the beginning does."""
    script, body = scripted(data)
    for coding, pack in PACK.items():
        packed = pack(body)
        assert decode(packed, (coding,), MAX_BODY, 10**5) == Decoded(body[:MAX_BODY], cut=len(body) > MAX_BODY)
        short = decode(packed[: len(packed) * len(script) // 9], (coding,), MAX_BODY, 10**5)
        assert body.startswith(short.body)
        _decoded(damaged(script, packed), (coding,))


def _decoded(packed: bytes, codings: tuple[str, ...]) -> Decoded:
    decoded = decode(packed, codings, MAX_BODY, MAX_RATIO)
    assert len(decoded.body) <= max(MAX_BODY, 0 if codings else len(packed))
    assert decoded.failure is None or decoded.body == b""
    return decoded


def _is_cut_short(decoded: Decoded) -> bool:
    """Whether decoding ended early. How much had gone in by then depends on the steps."""
    return decoded.cut or (decoded.failure is not None and decoded.failure.kind is Kind.BOMB)


@contextmanager
def steps_of(size: int) -> Iterator[None]:
    """Makes decoders take and give `size` bytes at a time."""
    before = {name: getattr(decoding, name) for name in ("_OUT", "_BITE", "_SMALL_BITE")}
    for name in before:
        setattr(decoding, name, size)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(decoding, name, value)


def plainly(packed: bytes, coding: str) -> bytes:
    """Returns what the decoder that everyone uses makes of `packed`, all at once."""
    if not packed:
        return b""
    match coding:
        case "br":
            stream = brotli.Decompressor()
            return b"".join(
                stream.process(packed[at : at + 1]) for at in range(len(packed)) if not stream.is_finished()
            )
        case "zstd":
            return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True).read()
        case "gzip":
            return _members(packed)
    has_wrapper = packed[0] & 0x0F == 8 and int.from_bytes(packed[:2], "big") % 31 == 0
    return zlib.decompressobj(15 if has_wrapper else -15).decompress(packed)


def _members(packed: bytes) -> bytes:
    body = b""
    while packed:
        stream = zlib.decompressobj(31)
        body += stream.decompress(packed)
        packed = stream.unused_data if stream.unused_data.startswith(b"\x1f\x8b") else b""
    return body


def fuzz_bus(data: bytes) -> None:
    """Bytes are a frame that is written as it was read, or a ValueError; a length is one that we would take."""
    with suppress(ValueError):
        frame = codec.decode_frame(data)
        written = codec.encode_frame(frame)
        assert codec.length_of(written[: codec.LENGTH]) == len(written) - codec.LENGTH
        assert codec.encode_frame(codec.decode_frame(written[codec.LENGTH :])) == written
    with suppress(ValueError):
        batch = msgspec.msgpack.encode(codec.decode_batch(data))
        assert msgspec.msgpack.encode(codec.decode_batch(batch)) == batch
    with suppress(ValueError):
        assert codec.length_of(data[: codec.LENGTH].ljust(codec.LENGTH, b"\0")) <= codec.MAX_FRAME


def fuzz_dns_message(data: bytes) -> None:
    """Any bytes are an answer: with addresses of the kind that was asked for and a time, or without."""
    for kind, version in (("A", 4), ("AAAA", 6)):
        reply = reply_in(data, kind, age=10.0)
        assert (reply.said is Said.FOUND) == bool(reply.addresses)
        assert all(ip_address(address).version == version for address in reply.addresses)
        assert reply.ttl >= 0


def fuzz_log(data: bytes) -> None:
    """Bytes are a record of a shard's log that is written as it was read, or are refused in words; so with links."""
    for one in (records, links):
        found = one.decode(data)
        if isinstance(found, records.Unreadable):
            assert found.why
        else:
            written = one.encode(found)  # type: ignore[arg-type]
            assert one.encode(one.decode(written)) == written  # type: ignore[arg-type]
    with suppress(ValueError, RecursionError):
        kept = encode_moves(decode_moves(data))
        assert encode_moves(decode_moves(kept)) == kept


TARGETS = {
    "dns_message": fuzz_dns_message,
    "log": fuzz_log,
    "retry_after": fuzz_retry_after,
    "http_date": fuzz_http_date,
    "answer": fuzz_answer,
    "decode": fuzz_decode,
    "decode_damaged": fuzz_decode_damaged,
    "bus": fuzz_bus,
}

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_LINK = Discovered("http://a.org/", "a.org", bytes(16), 1, 0.5, "http://b.org/", chain=("http://c.org/",))
_NAME = b"\x01a\x04test\x00"
_MESSAGE = b"\0\0\x85\x80\0\1\0\2\0\0\0\0" + _NAME + b"\0\1\0\1"
SEEDS = {
    "dns_message": [
        question("a.test", "A"),
        _MESSAGE + b"\xc0\x0c\0\5\0\1\0\0\1\0\0\2\xc0\x0c" + b"\xc0\x0c\0\1\0\1\0\0\0\x2c\0\4\xc0\0\2\1",
        _MESSAGE[:3] + b"\x83" + _MESSAGE[4:],
    ],
    "retry_after": [b"120", b"Sun, 06 Nov 1994 08:49:37 GMT", b"Sunday, 06-Nov-94 08:49:37 GMT"],
    "http_date": [b"Sun, 06 Nov 1994 08:49:37 GMT", b"Sunday, 06-Nov-94 08:49 utc+0130", b"Nov  6 08:49:37 1994"],
    "answer": [
        b"\x03\x05\x11\x02" + _HEAD + b"Content-Length: 5\r\nConnection: close\r\n\r\nhello and more",
        b"\x02\x30\x01" + _HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n",
        b"\x01\x40\r\nHTTP/1.1 100 Continue\r\n\r\n" + _HEAD + b"X: a\r\n b\r\n\r\nuntil the end",
        b"\x00HTTP/1.0 304\n\nno body",
    ],
    "decode": [
        bytes([number]) + PACK[codings[-1]](b"hello, hello, hello")
        for number, codings in enumerate(CODINGS)
        if codings[-1] in PACK
    ],
    "decode_damaged": [b"\x00hello, hello", b"\x04\x80\x30\x40\xffhello " + b"hello " * 60],
    "log": [
        records.encode(records.Take(b"i" * 16, "a")),
        records.encode(records.Written(b"i" * 16, {b"a": b"1", b"b": None}, 7)),
        links.encode(links.Safe("a.warc.gz")),
        links.encode(links.Lost("a.warc.gz")),
        links.encode(links.Question(3, b"t" * 8, Reserve("a.org"))),
        links.encode(links.Answer(b"t" * 8, 1.5)),
        links.encode(links.Found([_LINK])),
        links.told(Pause("a.org")),
        links.encode(Asked(b"i" * 16, 3, [1, 2])),
        links.encode(Bundle(b"i" * 16, b"a" * 16, 0, [(b"u", b"1")])),
        links.encode(HandedOver(b"i" * 16, b"a" * 16, 1, [(5, 1)], 2)),
        encode_moves(Moves([Asked(b"i" * 16, 3)], None, [HandedOver(b"i" * 16, b"a" * 16, 1)], {5: Place(1, 2)})),
    ],
    "bus": [
        msgspec.msgpack.encode([_LINK]),
        codec.encode_frame(Links(0, [msgspec.msgpack.encode([_LINK])]))[4:],
        codec.encode_frame(Reserve("a.org"))[4:],
        codec.encode_frame(Release("a.org", 1.5))[4:],
    ],
}
