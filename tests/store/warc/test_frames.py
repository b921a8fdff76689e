"""The kernel frames a record as the reference does, byte for byte."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.store.warc import frames


def test_a_record_is_its_fields_its_digest_its_length_and_its_block() -> None:
    digest = sha256(b"head\r\n\r\nbody").hexdigest()
    assert frames.by_python(b"WARC-Type: response\r\n", b"head\r\n\r\n", b"body") == (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Block-Digest: sha256:%b\r\nContent-Length: 12\r\n\r\n"
        b"head\r\n\r\nbody\r\n\r\n" % digest.encode()
    )


@given(st.binary(), st.binary(), st.binary())
def test_both_frame_alike(fields: bytes, block: bytes, more: bytes) -> None:
    native = pytest.importorskip("skitter._native", reason="no Rust toolchain: there is but one")
    assert native.frame(fields, block, more) == frames.by_python(fields, block, more)


@pytest.mark.parametrize("size", [55, 56, 63, 64, 65, 2**18 - 1, 2**18, 2**18 + 1, 2**20])
def test_blocks_of_all_sizes_are_framed_alike(size: int) -> None:
    block = bytes(range(256)) * (size // 256 + 1)
    assert frames.frame(b"", block[:size], b"") == frames.by_python(b"", block[:size], b"")
    assert frames.frame(b"", b"h", block[: size - 1]) == frames.by_python(b"", b"h", block[: size - 1])
