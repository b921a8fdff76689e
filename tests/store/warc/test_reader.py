"""The strict reader: every whole record, and then exactly where and why it stops."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.ports import Capture
from skitter.store.warc.batch import Batch
from skitter.store.warc.reader import Reader, has_record_after, is_digest_right
from skitter.store.warc.records import record

FIELDS = [("WARC-Type", "metadata"), ("WARC-Record-ID", "<urn:uuid:1>"), ("WARC-Date", "2026-11-15T20:45:51Z")]


def a_file(path: Path, *captures: Capture) -> bytes:
    batch = Batch(path.name, 0, 4, {}.get)
    for capture in captures:
        batch.add(capture)
    path.write_bytes(batch.content)
    return batch.content


def test_records_with_their_places(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    content = a_file(tmp_path / "a", capture(), capture("https://b.example/", b"x" * 100_000))
    records = list(Reader(tmp_path / "a"))
    assert [found.kind for found in records] == ["request", "response", "metadata"] * 2
    for found in records:
        raw = gzip.decompress(content[found.offset : found.offset + found.length])
        assert raw.endswith(found.block + b"\r\n\r\n")
    assert sum(found.length for found in records) == len(content)


def test_reading_may_start_at_any_member(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    a_file(tmp_path / "a", capture(), capture())
    records = list(Reader(tmp_path / "a"))
    assert list(Reader(tmp_path / "a", records[3].offset)) == records[3:]


@pytest.mark.parametrize("content", [b"", None], ids=["empty", "at its end"])
def test_nothing_left_is_nothing_wrong(content: bytes | None, tmp_path: Path, capture: Callable[..., Capture]) -> None:
    size = len(a_file(tmp_path / "a", capture()))
    if content is not None:
        (tmp_path / "a").write_bytes(content)
        size = 0
    reader = Reader(tmp_path / "a", size)
    assert list(reader) == []
    assert reader.broken is None


def member(raw: bytes) -> bytes:
    return gzip.compress(raw)


GOOD = record(FIELDS, b"block")
SPOILT = {
    "not gzip": (b"WARC/1.1 in the clear", "no gzip member begins here"),
    "zeros": (bytes(100), "no gzip member begins here"),
    "not WARC": (member(b"hello\r\n\r\n"), "does not hold a WARC record"),
    "two records in a member": (member(GOOD + GOOD), "does not end with its record"),
    "half a record in a member": (member(GOOD[:-6]), "does not end with its record"),
    "a field without a colon": (member(GOOD.replace(b"WARC-Date", b"nonsense\r\nWARC-Date")), "is no field"),
    "no record id": (member(record([FIELDS[0], FIELDS[2]], b"")), "lacks warc-record-id"),
    "a length that is no number": (member(GOOD.replace(b"Length: 5", b"Length: -5")), "lacks a length"),
    "another version": (member(GOOD.replace(b"WARC/1.1", b"WARC/2.0")), "does not hold a WARC record"),
    "a block that was changed": (member(GOOD.replace(b"block", b"clock")), "does not match WARC-Block-Digest"),
    "an unfinished member": (member(GOOD)[:-1], "ends in the middle"),
    "a damaged member": (member(GOOD)[:30] + b"\xff\xff\xff\xff" + member(GOOD)[34:], "damaged"),
    "a bomb": (member(bytes(3_000_000)), "unpacks to more than"),
}


@pytest.mark.parametrize(("spoilt", "why"), SPOILT.values(), ids=SPOILT)
def test_it_stops_where_the_file_stops_being_valid(spoilt: bytes, why: str, tmp_path: Path) -> None:
    good = member(GOOD)
    (tmp_path / "a").write_bytes(good + spoilt)
    reader = Reader(tmp_path / "a", max_record=1_000_000)
    assert len(list(reader)) == 1
    assert reader.broken is not None
    assert reader.broken.offset == reader.end == len(good)
    assert why in reader.broken.why
    assert reader.broken.torn is ("middle" in why)


def test_a_change_is_overlooked_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(member(GOOD.replace(b"block", b"clock")))
    assert [found.block for found in Reader(tmp_path / "a", verify=False)] == [b"clock"]


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 200))
def test_no_bytes_upset_it(tmp_path_factory: pytest.TempPathFactory, junk: bytes, start: int) -> None:
    path = tmp_path_factory.getbasetemp() / "junk"
    path.write_bytes(member(GOOD) + junk)
    reader = Reader(path)
    assert len(list(reader)) == 1
    assert (reader.broken is None) is (junk == b"")
    list(Reader(path, start))


def test_whole_records_behind_damage_are_noticed(tmp_path: Path) -> None:
    good = member(GOOD)
    (tmp_path / "a").write_bytes(good + bytes(50) + good)
    assert has_record_after(tmp_path / "a", len(good))
    (tmp_path / "a").write_bytes(good + bytes(50) + good[:-1])
    assert not has_record_after(tmp_path / "a", len(good))


@pytest.mark.parametrize("shift", range(4))
def test_they_are_noticed_on_the_seam_of_two_reads(shift: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(1024**2 - shift + 1) + member(GOOD))
    assert has_record_after(tmp_path / "a", 0)


@pytest.mark.parametrize(
    ("said", "right"),
    [
        (None, True),
        ("sha1:AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D", True),
        ("sha1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434e", False),
        ("sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N", True),
        ("crc32:00", True),
    ],
    ids=["none", "right", "wrong", "base32 is not looked at", "unknown"],
)
def test_digests_of_other_writers(said: str | None, right: bool) -> None:
    assert is_digest_right(said, b"hello") is right
