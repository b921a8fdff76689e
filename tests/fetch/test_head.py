"""The kernel takes a head apart as the reference does, whatever the bytes, and is asked for headers alike."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.fetch import head
from skitter.messages import header_values

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: the reference is in use")

STARTS = [
    b"HTTP/1.1 200 OK\r\n",
    b"http/1.0\t404\n",
    b"HTTP/2 200\r\n",
    b"HTTP/1.1 200",
    b"HTTP/1.1  1234567890\r\n",
    b"",
]
STARTS += [b"HTTP/1 200 OK\r\n", b"HTTP/0.9 200\r\n", b"HTTP/1.x 200\r\n", b"HTTP/1.1200\r\n"]
STARTS += [b"HTTP/1.1 200" + bytes([byte]) for byte in range(256)]
PIECES = [b"HTTP/", b"1", b".", b"9", b"200", b" ", b"\t", b"\r", b"\n", b"\r\n", b":", b": ", b"\n ", b"\r\n\t", b","]
PIECES += [
    b"ETag",
    b"etag",
    b"Connection",
    b"close",
    b"\xc9TAG",
    b"\xe9tag",
    b"\xd7",
    b"\xdf",
    b"\xff",
    b"\0",
    b"\x85",
    b"\xa0",
]
NAMES = ["etag", "connection", "étag", "×", "÷", "ß", "", "Connection", "\r", "\0"]


def assert_same(raw: bytes) -> None:
    ours, reference = head.read_natively(raw), head.read_lines(raw)
    assert (ours is None) == (reference is None)
    if ours is None or reference is None:
        return
    assert (*ours[:2], list(ours[2]), ours[3]) == (*reference[:2], list(reference[2]), reference[3])
    for name in [*NAMES, *(key.lower() for key, _ in reference[2])]:
        assert header_values(ours[2], name) == header_values(reference[2], name)


def test_the_kernel_is_in_use() -> None:
    assert head.read is head.read_natively
    assert isinstance(read(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"), native.HeaderLines)


@given(st.text("\r\na", max_size=12), st.integers(0, 13))
@settings(max_examples=300, deadline=None)
def test_where_a_head_ends(text: str, start: int) -> None:
    found = re.search("\n\r?\n", text[start:])
    end = start + found.end() if found else 0
    raw = text.encode()
    assert [head.find_end(raw, start), head.find_end_natively(raw, start)] == [end] * 2
    assert head.find_end_natively(bytearray(raw), start) == end


@pytest.mark.parametrize("start", STARTS, ids=repr)
def test_status_lines(start: bytes) -> None:
    for rest in (b"", b"A: b\r\n\r\n", b"\r\nA: b\r\n c\r\n\r\n", b" x\r\n\r\n"):
        assert_same(start + rest)


@pytest.mark.parametrize("around", [b"%cA%c: b", b"A:%cb%c", b"%c%cA", b"A: b%c%c"], ids=repr)
def test_what_belongs_to_a_name_and_what_to_a_value(around: bytes) -> None:
    for byte in range(256):
        assert_same(b"HTTP/1.1 200 OK\r\n" + around % (byte, byte) + b"\r\n\r\n")


@given(st.sampled_from(STARTS), st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@settings(max_examples=150, deadline=None)
def test_pieces_of_heads(start: bytes, rest: bytes) -> None:
    assert_same(start + rest)


@given(st.binary(max_size=100))
@settings(max_examples=80, deadline=None)
def test_any_bytes(noise: bytes) -> None:
    assert_same(noise)
    assert_same(b"HTTP/1.1 200 OK\r\n" + noise)
    assert_same(b"HTTP/" + noise)


def test_header_lines_are_a_list_to_whoever_looks() -> None:
    lines = read(b"HTTP/1.1 200 OK\r\nA: b\r\nno colon\r\nC : d\r\na:\r\n\r\n")
    assert lines == [("A", "b"), ("C", "d"), ("a", "")]
    assert lines not in ([("A", "b")], None)
    assert (len(lines), lines[1], lines[-1:], repr(lines[:1])) == (3, ("C", "d"), [("a", "")], "[('A', 'b')]")
    assert repr(lines) == repr(list(lines))
    assert header_values(lines, "a") == ["b", ""]


def read(raw: bytes) -> native.HeaderLines:
    found = native.read_head(raw)
    assert found is not None
    return found[2]
