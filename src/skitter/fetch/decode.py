"""Content codings undone: gzip, deflate, br and zstd, stacked as a server likes, within limits on what comes out.

Decoding goes in small steps, so a bomb is noticed after a few hundred kilobytes: it is told by how much came out of
how much that went in. What is merely large is cut.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import brotli  # type: ignore[import-untyped]
import zstandard
from zlib_ng import zlib_ng

from skitter.messages import Failure, Kind

MAX_LAYERS = 5
MAX_MEMBERS = 1000  # of a gzip file: packers write one for every 64 KiB or more
BOMB_FLOOR = 64 * 1024  # below this a ratio means nothing: small pages of one word are no bombs

_OUT = 256 * 1024
_BITE = 64 * 1024
_SMALL_BITE = 4 * 1024  # for decoders that do not say how much of a bite they have used
_ZSTD_WINDOW = 8 * 1024**2  # RFC 9659
_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"

Steps: TypeAlias = Iterator[tuple[bytes, int]]
"""Pieces of the output, each with how much of the input has gone in by then."""


class Decoded(NamedTuple):
    """What came out: all of it, unless it was `cut` at the limit or the input was not `whole`."""

    body: bytes
    cut: bool = False
    whole: bool = True
    failure: Failure | None = None


class _Unfinished(Exception):  # noqa: N818 (a signal within this file)
    """The input ended before the stream did."""


class _Bomb(Exception):  # noqa: N818
    """The input has more members than anybody needs."""


def decode(packed: bytes, codings: Sequence[str], max_body: int, max_ratio: int) -> Decoded:
    """Returns `packed` with `codings` undone, the last one first."""
    known = [coding for coding in codings if coding in _DECODERS]
    undecodable = [coding for coding in codings if coding in _UNDECODABLE]
    if undecodable:
        return Decoded(b"", failure=Failure(Kind.BAD_ENCODING, undecodable[0]))
    if len(known) > MAX_LAYERS:
        return Decoded(b"", failure=Failure(Kind.BOMB, f"{len(known)} codings"))
    decoded = Decoded(packed)
    for coding in reversed(known):
        decoded = _undone(decoded, coding, max_body, max_ratio)
        if decoded.failure is not None:
            break
    return decoded


def _undone(before: Decoded, coding: str, max_body: int, max_ratio: int) -> Decoded:
    if not before.body:
        return before
    pieces: list[bytes] = []
    size = 0
    whole = before.whole
    try:
        for piece, used in _DECODERS[coding](before.body):
            pieces.append(piece)
            size += len(piece)
            if size > max(BOMB_FLOOR, max_ratio * used):
                return Decoded(b"", failure=Failure(Kind.BOMB, f"{coding}: {size} bytes out of {used}"))
            if size > max_body:
                return Decoded(b"".join(pieces)[:max_body], True, whole)
    except _Unfinished:
        whole = False
    except _Bomb:
        return Decoded(b"", failure=Failure(Kind.BOMB, f"{coding}: more than {MAX_MEMBERS} members"))
    except _BROKEN as error:
        return Decoded(b"", failure=Failure(Kind.BAD_ENCODING, f"{coding}: {error}"[:200]))
    return Decoded(b"".join(pieces), before.cut, whole)


def _gunzip(packed: bytes) -> Steps:
    at = 0
    for _ in range(MAX_MEMBERS):
        for piece, used in _inflate(packed, at, _GZIP):
            yield piece, used
            at = used
        if not packed.startswith(_GZIP_MAGIC, at):  # the end, or padding
            return
    raise _Bomb


def _deflate(packed: bytes) -> Steps:
    # RFC 9110, 8.4.1.2 wants zlib's wrapper; some servers leave it out. Its header is a multiple of 31.
    has_wrapper = packed[0] & 0x0F == 8 and int.from_bytes(packed[:2], "big") % 31 == 0
    return _inflate(packed, 0, _ZLIB if has_wrapper else _RAW)


def _inflate(packed: bytes, at: int, window_bits: int) -> Steps:
    stream = zlib_ng.decompressobj(window_bits)
    while not stream.eof:
        bite = packed[at : at + _BITE]
        piece = stream.decompress(bite, _OUT)
        used = len(bite) - len(stream.unconsumed_tail) - len(stream.unused_data)
        if not piece and not used:
            raise _Unfinished
        at += used
        yield piece, at


def _unbrotli(packed: bytes) -> Steps:
    known = at = 0
    try:
        for piece, at in _unbrotli_in_bites(packed, slow_from=len(packed)):
            known += len(piece)
            yield piece, at
    except brotli.error:
        # Padding behind the end breaks the bite that the end is in. Byte by byte the end comes first, if there is one.
        for piece, used in _unbrotli_in_bites(packed, slow_from=at):
            yield piece[known:], used
            known = max(0, known - len(piece))


def _unbrotli_in_bites(packed: bytes, slow_from: int) -> Steps:
    stream = brotli.Decompressor()
    at = 0
    while not stream.is_finished():
        length = min(_SMALL_BITE, slow_from - at) if at < slow_from else 1
        bite = packed[at : at + length] if stream.can_accept_more_data() else b""
        piece = stream.process(bite, output_buffer_limit=_OUT)
        if not piece and not bite:
            raise _Unfinished
        at += len(bite)
        yield piece, at


def _unzstd(packed: bytes) -> Steps:
    # A frame that was cut off ends without an error here: zstandard has no bounded way that tells.
    source = io.BytesIO(packed)
    stream = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).stream_reader(
        source, read_size=_SMALL_BITE, read_across_frames=True
    )
    while piece := stream.read(_OUT):
        yield piece, source.tell()


_DECODERS: dict[str, Callable[[bytes], Steps]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
# Real codings that we never ask for. Any other word (utf-8, none, …) is no coding at all, and means nothing.
_UNDECODABLE = frozenset({"compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"})
# The stubs of zlib_ng call its error an instance.
_BROKEN: Any = (zlib_ng.error, brotli.error, zstandard.ZstdError)
