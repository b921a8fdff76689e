"""Codings are undone, in every order, and nothing comes out that is larger than allowed."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.fetch.decode import BOMB_FLOOR, MAX_MEMBERS, decode
from skitter.messages import Kind

MAX_BODY, MAX_RATIO = 1_000_000, 1000
PAGE = random.Random(1).randbytes(5000)


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", lambda body: bytes(brotli.compress(body, quality=3))),
    "zstd": ("zstd", zstandard.compress),
}
packers = pytest.mark.parametrize(("coding", "pack"), PACKERS.values(), ids=PACKERS)


@packers
def test_a_coding_is_undone(coding: str, pack: Callable[[bytes], bytes]) -> None:
    body = PAGE * 100
    assert decode(pack(body), [coding], MAX_BODY, MAX_RATIO) == (body, False, True, None)


@given(st.binary(max_size=3000), st.lists(st.sampled_from(sorted(PACKERS)), max_size=5))
@settings(max_examples=100, deadline=None)
def test_codings_are_undone_from_the_last_to_the_first(body: bytes, layers: list[str]) -> None:
    packed = body
    for layer in layers:
        packed = PACKERS[layer][1](packed)
    decoded = decode(packed, [PACKERS[layer][0] for layer in layers], MAX_BODY, MAX_RATIO)
    assert (decoded.body, decoded.failure) == (body, None)


@packers
def test_what_is_too_large_is_cut(coding: str, pack: Callable[[bytes], bytes]) -> None:
    body = PAGE * 100
    decoded = decode(pack(body), [coding], 10_000, 100_000)
    assert (decoded.body, decoded.cut, decoded.failure) == (body[:10_000], True, None)
    exact = decode(pack(body), [coding], len(body), 100_000)
    assert (exact.body, exact.cut) == (body, False)


@pytest.mark.slow
@packers
def test_a_bomb_is_told_by_what_comes_out_of_what(coding: str, pack: Callable[[bytes], bytes]) -> None:
    decoded = decode(pack(bytes(20_000_000)), [coding], 10_000_000, 500)
    assert decoded.failure is not None
    assert decoded.failure.kind is Kind.BOMB
    assert decoded.body == b""


@packers
def test_a_small_page_of_one_sign_is_no_bomb(coding: str, pack: Callable[[bytes], bytes]) -> None:
    body = b"a" * BOMB_FLOOR
    assert decode(pack(body), [coding], MAX_BODY, 10).body == body


@pytest.mark.slow
@packers
def test_a_bomb_costs_little_memory(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(bytes(40_000_000))
    tracemalloc.start()
    decode(packed, [coding], 4_000_000, 100_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_bomb_can_not_hide_before_noise() -> None:
    packed = gzip.compress(bytes(8_000_000) + random.Random(2).randbytes(100_000), 6)
    decoded = decode(packed, ["gzip"], 4_000_000, 500)
    assert decoded.failure is not None
    assert decoded.failure.kind is Kind.BOMB


def test_a_bomb_in_a_bomb_is_one() -> None:
    packed = gzip.compress(gzip.compress(bytes(10_000_000), 9), 9)
    decoded = decode(packed, ["gzip", "gzip"], 100_000_000, 500)
    assert decoded.failure is not None
    assert decoded.failure.kind is Kind.BOMB


def test_too_many_layers_and_too_many_members_are_bombs() -> None:
    for packed, codings in [(b"x", ["gzip"] * 6), (gzip.compress(b"") * (MAX_MEMBERS + 1), ["gzip"])]:
        decoded = decode(packed, codings, MAX_BODY, MAX_RATIO)
        assert decoded.failure is not None
        assert decoded.failure.kind is Kind.BOMB


@pytest.mark.parametrize("length", [0, 5000, 300_000])
@pytest.mark.parametrize("padding", [b"\0", b"noise" * 2000], ids=["a byte", "more than a bite"])
def test_padding_behind_brotli_is_ignored(length: int, padding: bytes) -> None:
    body = random.Random(2).randbytes(length)
    decoded = decode(bytes(brotli.compress(body, quality=3)) + padding, ["br"], MAX_BODY, MAX_RATIO)
    assert (decoded.body, decoded.failure, decoded.whole) == (body, None, True)


def test_members_of_gzip_are_put_together_and_padding_is_ignored() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decode(packed, ["gzip"], MAX_BODY, MAX_RATIO).body == b"one two"
    assert decode(packed + bytes(10), ["gzip"], MAX_BODY, MAX_RATIO) == (b"one two", False, True, None)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_an_end_that_is_missing_is_told(coding: str) -> None:
    body = bytes(range(256)) * 400
    packed = PACKERS[coding][1](body)
    decoded = decode(packed[: len(packed) // 2 + len(packed) // 4], [coding], MAX_BODY, MAX_RATIO)
    assert (decoded.whole, decoded.failure) == (False, None)
    assert body.startswith(decoded.body)


@packers
def test_noise_is_a_failure_and_never_raises(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = bytearray(pack(bytes(range(256)) * 40))
    packed[len(packed) // 2 :] = b"\xff" * (len(packed) - len(packed) // 2)
    decoded = decode(bytes(packed), [coding], MAX_BODY, MAX_RATIO)
    assert decoded.failure is not None or not decoded.whole


@given(st.binary(max_size=300), st.sampled_from(sorted(PACKERS)))
@settings(max_examples=100, deadline=None)
def test_no_bytes_raise(noise: bytes, name: str) -> None:
    decode(noise, [PACKERS[name][0]], MAX_BODY, MAX_RATIO)
    decode(PACKERS[name][1](noise)[:-2] + noise, [PACKERS[name][0]] * 2, MAX_BODY, MAX_RATIO)


CODINGS = {
    "none": ([], None),
    "empty": ([""], None),
    "identity": (["identity"], None),
    "a charset": (["utf-8"], None),
    "compress": (["compress"], Kind.BAD_ENCODING),
    "a dictionary": (["dcb"], Kind.BAD_ENCODING),
    "unknown beside known": (["none", "gzip"], Kind.BAD_ENCODING),
}


@pytest.mark.parametrize(("codings", "kind"), CODINGS.values(), ids=CODINGS)
def test_words_that_are_no_coding_mean_nothing(codings: list[str], kind: Kind | None) -> None:
    decoded = decode(b"plain text", codings, MAX_BODY, MAX_RATIO)
    assert (decoded.failure and decoded.failure.kind) == kind
    assert decoded.body == (b"plain text" if kind is None else b"")
