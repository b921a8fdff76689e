"""Each level makes one gzip member that every reader unpacks."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.store.warc.members import gzip_member

PAGE = b"<p>a page of words that come again and again</p>" * 500


@pytest.mark.parametrize("level", range(1, 10))
@pytest.mark.parametrize("raw", [b"", b"x", PAGE], ids=["empty", "one byte", "page"])
def test_one_member_and_nothing_else(level: int, raw: bytes) -> None:
    member = gzip_member(raw, level)
    unpack = zlib.decompressobj(31)
    assert unpack.decompress(member) == raw
    assert unpack.eof
    assert unpack.unused_data == b""


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=2000), st.integers(1, 9))
def test_members_one_after_another_are_a_gzip_file(raw: bytes, level: int) -> None:
    assert gzip.decompress(gzip_member(raw, level) + gzip_member(b"next", level)) == raw + b"next"
