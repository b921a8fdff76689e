"""The writer alone, without a thread around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skitter.errors import MachineError
from skitter.settings import StoreSettings
from skitter.store.capture import Capture
from skitter.store.digests import MemoryDigests
from skitter.store.indexer import Indexer
from skitter.store.writer import ROOM, Writer


@pytest.fixture
def writer(tmp_path: Path, faulty_disk: Any) -> Writer:
    (tmp_path / "warc").mkdir()
    return Writer(
        tmp_path,
        StoreSettings(roll_bytes=20_000),
        node="n1",
        facts={},
        clock=lambda: 1_794_775_600.0,
        disk=faulty_disk,
        digests=MemoryDigests(),
        indexer=Indexer(tmp_path, "n1"),
    )


def test_in_trouble_nothing_is_taken_until_a_probe(
    writer: Writer, faulty_disk: Any, capture: Callable[..., Capture]
) -> None:
    faulty_disk.faults = {"write"}
    with pytest.raises(MachineError) as first:
        writer.write([capture()])
    faulty_disk.faults = set()
    with pytest.raises(MachineError) as second:
        writer.write([capture()])
    assert second.value is first.value
    assert writer.probe()
    assert len(writer.write([capture()])) == 1
    writer.close()


def test_a_probe_wants_room_for_more_than_a_batch(writer: Writer, faulty_disk: Any, tmp_path: Path) -> None:
    faulty_disk.room = ROOM - 1
    assert not writer.probe()
    faulty_disk.room = ROOM
    assert writer.probe()
    assert not list((tmp_path / "warc").iterdir())
    writer.close()


def test_the_index_of_an_abandoned_file_is_given_up(
    writer: Writer, faulty_disk: Any, tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    writer.write([capture()])
    faulty_disk.faults = {"fsync"}
    with pytest.raises(MachineError, match=r"00000\.warc\.gz\.open"):
        writer.sync()
    writer.close()
    assert [path.name for path in tmp_path.rglob("skitter-*")] == ["skitter-20261115204640-n1-00000.warc.gz.open"]


def test_a_file_is_full_after_the_capture_that_fills_it(
    writer: Writer, tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    noise = [capture(f"https://a.example/{n}", bytes((n * 7 + k * k) % 256 for k in range(5000))) for n in range(30)]
    stored = writer.write(noise)
    writer.close()
    assert len({place.file for place in stored}) > 1
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "warc").iterdir()}
    assert sum(size < 20_000 for size in sizes.values()) <= 1  # the last one
    assert max(sizes.values()) < 20_000 + 3_000  # over by one capture at the most


def test_a_batch_for_a_file_that_is_not_as_it_was_is_not_written(
    writer: Writer, tmp_path: Path, capture: Callable[..., Capture], judged: Any
) -> None:
    assert writer.filled([capture()]) is None, "no file is open"
    writer.open()
    early, late = writer.filled([capture()]), writer.filled([capture()])
    assert early is not None
    assert late is not None
    assert len(writer.put(early)) == 1
    assert writer.put(late) == [], "the file has grown since"
    rolled = writer.filled([capture()])
    assert rolled is not None
    writer.roll()
    assert writer.put(rolled) == [], "the file is sealed"
    writer.close()
    (path,) = (tmp_path / "warc").iterdir()
    assert judged(path)["response"] == 1


def test_a_name_that_is_taken_is_passed_over(writer: Writer, tmp_path: Path, capture: Callable[..., Capture]) -> None:
    taken = tmp_path / "warc" / "skitter-20261115204640-n1-00000.warc.gz"
    taken.write_bytes(b"from an earlier run within the same second")
    (tmp_path / "warc" / "skitter-20261115204640-n1-00001.warc.gz.open").write_bytes(b"and one left open")
    (stored,) = writer.write([capture()])
    assert stored.file == "skitter-20261115204640-n1-00002.warc.gz"
    writer.close()
    assert taken.read_bytes().startswith(b"from an earlier run")
