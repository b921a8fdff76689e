"""The kernel digests as the standard library does, whatever the size."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.store.warc import sha256


@given(st.binary(max_size=300))
def test_both_digest_alike(raw: bytes) -> None:
    assert sha256.sha256(raw) == sha256.by_python(raw) == hashlib.sha256(raw).digest()


@pytest.mark.parametrize("size", [2**18 - 1, 2**18, 2**18 + 1, 2**20 + 7])
def test_large_parts_too(size: int) -> None:
    raw = bytes(range(256)) * (size // 256 + 1)
    assert sha256.sha256(raw[:size]) == sha256.by_python(raw[:size])
