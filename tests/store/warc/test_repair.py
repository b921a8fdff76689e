"""A file that a crash left open is cut to its last whole record; other damage is refused, with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skitter.errors import MachineError
from skitter.ports import Capture
from skitter.store.disk import RealDisk
from skitter.store.warc.batch import Batch
from skitter.store.warc.reader import Reader
from skitter.store.warc.repair import seal_left_open, whole_records

Judge = Callable[[Path], Counter[str]]
NAME = "skitter-20261115204551-n1-00000.warc.gz"


@pytest.fixture(scope="module")
def content(capture: Callable[..., Capture]) -> bytes:
    batch = Batch(NAME, 0, 4, {}.get)
    for number in range(3):
        batch.add(capture(f"https://a.example/{number}", b"page %d " % number * 50))
    return batch.content


@pytest.fixture(scope="module")
def ends(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    path = tmp_path_factory.mktemp("ends") / NAME
    path.write_bytes(content)
    return [0, *(record.offset + record.length for record in Reader(path))]


def left_open(folder: Path, content: bytes) -> Path:
    path = folder / f"{NAME}.open"
    path.write_bytes(content)
    return path


def test_a_whole_file_is_sealed_as_it_is(tmp_path: Path, content: bytes, judged: Judge) -> None:
    recovered = seal_left_open(RealDisk(), left_open(tmp_path, content))
    assert (recovered.file, recovered.end, recovered.lost) == (NAME, len(content), 0)
    assert (tmp_path / NAME).read_bytes() == content
    assert judged(tmp_path / NAME)["response"] == 3
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert "is whole" in str(recovered)


@pytest.mark.slow
def test_torn_at_any_byte_it_is_cut_to_the_record_before(tmp_path: Path, content: bytes, ends: list[int]) -> None:
    near_ends = {end + step for end in ends[4:] for step in (-1, 0, 1, 2)}
    for size in sorted(
        {*range(ends[-4], len(content), 17), *near_ends} - {len(content), len(content) + 1, len(content) + 2}
    ):
        recovered = seal_left_open(RealDisk(), left_open(tmp_path, content[:size]))
        kept = max(end for end in ends if end <= size)
        assert (recovered.end, recovered.lost) == (kept, size - kept), size
        assert (tmp_path / NAME).read_bytes() == content[:kept]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_what_is_left_is_accepted_by_all_judges(share: float, tmp_path: Path, content: bytes, judged: Judge) -> None:
    recovered = seal_left_open(RealDisk(), left_open(tmp_path, content[: int(len(content) * share)]))
    assert judged(tmp_path / NAME).total() > 0
    assert "cut to its last whole record" in str(recovered)


@pytest.mark.parametrize("tail", [bytes(4096), b"\xff" * 100, b"\x1f\x8b\x08"], ids=["zeros", "junk", "a beginning"])
def test_what_a_power_cut_leaves_is_cut_off(tail: bytes, tmp_path: Path, content: bytes) -> None:
    recovered = seal_left_open(RealDisk(), left_open(tmp_path, content + tail))
    assert recovered.lost == len(tail)
    assert (tmp_path / NAME).read_bytes() == content


@pytest.mark.parametrize("size", [0, 1, 100])
def test_a_file_without_a_whole_record_is_removed(size: int, tmp_path: Path, content: bytes) -> None:
    recovered = seal_left_open(RealDisk(), left_open(tmp_path, content[:size]))
    assert recovered.end == 0
    assert not list(tmp_path.iterdir())


def test_damage_with_whole_records_behind_is_refused(tmp_path: Path, content: bytes, ends: list[int]) -> None:
    at = ends[4]
    spoilt = content[: at + 40] + bytes(8) + content[at + 48 :]
    path = left_open(tmp_path, spoilt)
    with pytest.raises(MachineError, match=rf"damaged at offset {at} .*{NAME}"):
        seal_left_open(RealDisk(), path)
    assert path.read_bytes() == spoilt


def test_reading_a_damaged_file_names_the_place(tmp_path: Path, content: bytes, ends: list[int]) -> None:
    path = tmp_path / NAME
    path.write_bytes(content[: ends[5] - 3] + b"!" + content[ends[5] - 2 :])
    records = whole_records(path)
    assert [next(records).offset for _ in range(4)] == ends[:4]
    with pytest.raises(MachineError, match=f"damaged at offset {ends[4]} .*{NAME}"):
        next(records)


def test_only_what_is_not_known_to_be_whole_is_read(tmp_path: Path, content: bytes, ends: list[int]) -> None:
    unread = bytes(ends[4]) + content[ends[4] : -5]
    assert seal_left_open(RealDisk(), left_open(tmp_path, unread), ends[4]).end == ends[-2]


def test_a_mark_beyond_the_file_is_not_believed(tmp_path: Path, content: bytes) -> None:
    assert seal_left_open(RealDisk(), left_open(tmp_path, content), len(content) + 1).end == len(content)


@pytest.mark.parametrize("fault", ["open", "truncate", "fsync", "rename", "sync_folder"])
def test_a_failing_disk_loses_nothing(
    fault: str, tmp_path: Path, content: bytes, ends: list[int], faulty_disk: Any
) -> None:
    path = left_open(tmp_path, content[:-1])
    faulty_disk.faults = {fault}
    with pytest.raises(MachineError, match="on command"):
        seal_left_open(faulty_disk, path)
    left = path if path.exists() else tmp_path / NAME
    assert left.read_bytes()[: ends[-2]] == content[: ends[-2]]
