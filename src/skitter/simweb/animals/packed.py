"""Animals that pack much into little, or call packed what is not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from threading import Lock

import brotli  # type: ignore[import-untyped]
import zstandard

from skitter.simweb.animals.acts import MIB, Animal, made, page, saying

BOMB_BYTES = 32 * MIB
_PACKING = Lock()  # animals are let loose in threads: one packs, the others find it packed
_PLAIN = b"<p>packed with care, and then not</p>" * 100


def _deflated(body: bytes) -> bytes:
    return zlib.compress(body, 6)


def _gzipped(body: bytes) -> bytes:
    return gzip.compress(body, 6, mtime=0)


def _brotlied(body: bytes) -> bytes:
    packed: bytes = brotli.compress(body, quality=5, lgwin=24)
    return packed


def _zstandard(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(body)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzipped,
    "deflate": _deflated,
    "br": _brotlied,
    "zstd": _zstandard,
}


def _zeros(*codings: str) -> bytes:
    """Returns very many zeros, packed with one coding after the other."""
    with _PACKING:
        return _packed_zeros(codings)


@cache
def _packed_zeros(codings: tuple[str, ...]) -> bytes:
    return PACKERS[codings[-1]](_packed_zeros(codings[:-1])) if codings else bytes(BOMB_BYTES)


@cache
def _lure() -> bytes:
    """Returns a bomb whose first bytes are a page: who looks only at the beginning is lured."""
    return _gzipped(_PLAIN * 1000 + bytes(BOMB_BYTES))


def _bomb(*codings: str, named: str | None = None) -> Animal:
    """Returns a bomb packed with `codings`, which it tells, or of which it tells something else."""
    header = f"Content-Encoding: {named or ', '.join(codings)}".encode()
    return made(lambda _: page(_zeros(*codings), header))


def _members(_path: str) -> bytes:
    return page(_gzipped(b"") * 100_000, b"Content-Encoding: gzip")


PACKED: dict[str, Animal] = {
    "gzip-bomb": _bomb("gzip"),
    "deflate-bomb": _bomb("deflate"),
    "br-bomb": _bomb("br"),
    "zstd-bomb": _bomb("zstd"),
    "gzip-nested-bomb": _bomb("gzip", "gzip"),
    "br-nested-bomb": _bomb("br", "gzip"),
    "zstd-nested-bomb": _bomb("gzip", "zstd"),
    "luring-bomb": made(lambda _: page(_lure(), b"Content-Encoding: gzip")),
    "bomb-called-br": _bomb("gzip", named="br"),
    "bomb-called-zstd": _bomb("gzip", named="zstd"),
    "bomb-called-nothing": _bomb("gzip", named="identity"),
    "bomb-many-codings": _bomb("gzip", named=", ".join(["gzip"] * 50)),
    "bomb-many-members": made(_members),
    "bomb-in-transfer": made(
        lambda _: (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
            b"%x\r\n%b\r\n0\r\n\r\n" % (len(_zeros("gzip")), _zeros("gzip"))
        )
    ),
    "gzip-not": saying(page(b"this is no gzip", b"Content-Encoding: gzip")),
    "br-not": saying(page(b"\xff\xff this is no brotli", b"Content-Encoding: br")),
    "zstd-not": saying(page(b"this is no zstd", b"Content-Encoding: zstd")),
    "gzip-cut": saying(page(_gzipped(b"cut off " * 1000)[:40], b"Content-Encoding: gzip")),
    "deflate-raw": saying(page(_deflated(b"raw deflate")[2:-4], b"Content-Encoding: deflate")),
    "encoding-unknown": saying(page(b"who knows", b"Content-Encoding: x-nobody")),
    "encoding-unreadable": saying(page(b"\x1f\x9d\x90", b"Content-Encoding: compress")),
}
