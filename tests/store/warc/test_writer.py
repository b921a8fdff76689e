"""The writer alone, without a thread around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store.bodies.memory import Bodies
from skitter.store.disk import RealDisk
from skitter.store.index.indexer import Indexer
from skitter.store.warc.batch import Batch
from skitter.store.warc.payload import digests_of
from skitter.store.warc.places import open_files, relative_path, sealed_files
from skitter.store.warc.writer import ROOM, Writer

NOW = 1_794_775_600.0


@pytest.fixture
def writer(tmp_path: Path, faulty_disk: Any) -> Writer:
    (tmp_path / "warc").mkdir()
    return a_writer(tmp_path, faulty_disk)


def a_writer(tmp_path: Path, disk: Any = None, clock: Clock = lambda: NOW) -> Writer:
    return Writer(
        tmp_path,
        StoreSettings(roll_bytes=20_000, roll_seconds=600),
        node="n1",
        facts={},
        clock=clock,
        disk=disk or RealDisk(),
        bodies=Bodies(tmp_path),
        indexer=Indexer(tmp_path, "n1"),
    )


def write(writer: Writer, *captures: Capture) -> list[Stored]:
    """Does what the archive does, without a thread and without others who store the same bodies."""
    stored: list[Stored] = []
    while len(stored) < len(captures):
        writer.open()
        batch = filled(writer, *captures[len(stored) :])
        assert batch is not None
        stored += writer.put(batch)
        writer.learn(batch)
        writer.release()
    return stored


def filled(writer: Writer, *captures: Capture) -> Batch | None:
    pairs = [(capture, digests_of(capture.fetched)) for capture in captures]
    return writer.filled(pairs, writer.claim(digests.key for _, digests in pairs if digests.key))


def test_in_trouble_nothing_is_taken_until_a_probe(
    writer: Writer, faulty_disk: Any, capture: Callable[..., Capture]
) -> None:
    faulty_disk.faults = {"write"}
    with pytest.raises(MachineError) as first:
        write(writer, capture())
    faulty_disk.faults = set()
    with pytest.raises(MachineError) as second:
        write(writer, capture())
    assert second.value is first.value
    assert writer.probe()
    assert len(write(writer, capture())) == 1
    writer.close()


def test_a_probe_wants_room_for_more_than_a_batch(writer: Writer, faulty_disk: Any, tmp_path: Path) -> None:
    faulty_disk.room = ROOM - 1
    assert not writer.probe()
    faulty_disk.room = ROOM
    assert writer.probe()
    assert not list((tmp_path / "warc").rglob("skitter-*"))
    writer.close()


def test_the_index_of_an_abandoned_file_is_given_up(
    writer: Writer, faulty_disk: Any, tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    write(writer, capture())
    faulty_disk.faults = {"fsync"}
    with pytest.raises(MachineError, match=r"00000\.warc\.gz\.open"):
        writer.sync()
    writer.close()
    assert [path.name for path in tmp_path.rglob("skitter-*")] == ["skitter-20261115204640-n1-00000.warc.gz.open"]


def test_a_file_is_full_after_the_capture_that_fills_it(
    writer: Writer, tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    noise = [capture(f"https://a.example/{n}", bytes((n * 7 + k * k) % 256 for k in range(5000))) for n in range(30)]
    stored = write(writer, *noise)
    writer.close()
    assert len({place.file for place in stored}) > 1
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "warc").rglob("skitter-*")}
    assert sum(size < 20_000 for size in sizes.values()) <= 1  # the last one
    assert max(sizes.values()) < 20_000 + 3_000  # over by one capture at the most


def test_a_batch_for_a_file_that_is_not_as_it_was_is_not_written(
    writer: Writer, tmp_path: Path, capture: Callable[..., Capture], judged: Any
) -> None:
    assert filled(writer, capture()) is None, "no file is open"
    writer.open()
    early, late = filled(writer, capture()), filled(writer, capture())
    assert early is not None
    assert late is not None
    assert len(writer.put(early)) == 1
    assert writer.put(late) == [], "the file has grown since"
    rolled = filled(writer, capture())
    assert rolled is not None
    writer.roll()
    assert writer.put(rolled) == [], "the file is sealed"
    writer.close()
    (path,) = (tmp_path / "warc").rglob("skitter-*")
    assert judged(path)["response"] == 1


@pytest.mark.parametrize("is_synced", [True, False])
def test_repair_reads_on_from_where_the_file_had_reached_the_disk(
    is_synced: bool, writer: Writer, tmp_path: Path, capture: Callable[..., Capture]
) -> None:
    """What is before that is not read again, whatever is in it: that would take seconds at the start of each crawl."""
    write(writer, capture())
    if is_synced:
        writer.sync()
    (stored,) = write(writer, capture("https://b.example/", b"b"))
    writer.let_go()
    file = tmp_path / "warc" / f"{relative_path(stored.file)}.open"
    content = bytearray(file.read_bytes())
    content[100] ^= 0xFF
    file.write_bytes(content)
    after = a_writer(tmp_path)
    if is_synced:
        assert [recovered.lost for recovered in after.recover()] == [0]
    else:
        with pytest.raises(MachineError, match="damaged at offset 0 "):
            after.recover()
    after.close()


def test_a_name_that_is_taken_is_passed_over(writer: Writer, tmp_path: Path, capture: Callable[..., Capture]) -> None:
    taken = tmp_path / "warc" / "2026" / "11" / "15" / "skitter-20261115204640-n1-00000.warc.gz"
    taken.parent.mkdir(parents=True)
    taken.write_bytes(b"from an earlier run within the same second")
    taken.with_name("skitter-20261115204640-n1-00001.warc.gz.open").write_bytes(b"and one left open")
    (stored,) = write(writer, capture())
    assert stored.file == "skitter-20261115204640-n1-00002.warc.gz"
    writer.close()
    assert taken.read_bytes().startswith(b"from an earlier run")


def test_a_quiet_file_is_rolled_when_it_is_old(tmp_path: Path, capture: Callable[..., Capture]) -> None:
    (tmp_path / "warc").mkdir()
    times = [NOW]
    writer = a_writer(tmp_path, clock=lambda: times[-1])
    (first,) = write(writer, capture())
    times.append(NOW + 599.9)
    writer.roll_old()
    assert open_files(tmp_path / "warc"), "it is young still"
    times.append(NOW + 600)
    writer.roll_old()
    (sealed,) = (tmp_path / "warc").rglob("skitter-*")
    assert sealed.name == first.file
    (second,) = write(writer, capture("https://b.example/"))
    writer.roll_old()
    assert second.file == "skitter-20261115205640-n1-00001.warc.gz"
    assert len(open_files(tmp_path / "warc")) == 1, "its own time counts"
    writer.close()


def test_the_folders_of_a_new_day_reach_the_disk_before_a_file_in_them(
    writer: Writer, faulty_disk: Any, capture: Callable[..., Capture]
) -> None:
    write(writer, capture())
    assert faulty_disk.calls["sync_folder"] == 3, "the year's name in warc/, the month's and the day's"
    writer.close()


def test_no_folder_for_a_day_is_trouble_and_not_the_end(
    writer: Writer, tmp_path: Path, faulty_disk: Any, capture: Callable[..., Capture]
) -> None:
    faulty_disk.faults.add("sync_folder")
    with pytest.raises(MachineError, match="can't be written"):
        writer.open()
    faulty_disk.faults.clear()
    assert writer.probe()
    write(writer, capture())
    writer.close()
    assert len(sealed_files(tmp_path / "warc")) == 1
