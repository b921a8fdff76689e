"""The memory of payloads, in memory and on disk: the same promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skitter.errors import MachineError
from skitter.store.digests import DigestMemory, MemoryDigests, Place, RocksDigests


def place(offset: int = 10, file: str = "a.warc.gz") -> Place:
    return Place("https://a.example/", 1_794_775_551_123_456, "sha256:00", "<urn:uuid:1>", file, offset)


@pytest.fixture(params=["memory", "rocks"])
def digests(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DigestMemory]:
    made: DigestMemory = MemoryDigests() if request.param == "memory" else RocksDigests(tmp_path / "digests")
    yield made
    made.close()


def test_what_is_remembered_is_found(digests: DigestMemory) -> None:
    digests.remember([(b"k1", place(10)), (b"k2", place(20))])
    assert digests.find(b"k1") == place(10)
    assert digests.find(b"k2") == place(20)
    assert digests.find(b"k3") is None


def test_a_later_place_wins(digests: DigestMemory) -> None:
    digests.remember([(b"k", place(10))])
    digests.remember([(b"k", place(20))])
    assert digests.find(b"k") == place(20)


def test_what_was_cut_off_is_absent(digests: DigestMemory) -> None:
    digests.remember([(b"before", place(10)), (b"at", place(20)), (b"after", place(30)), (b"other", place(30, "b"))])
    digests.forget_after("a.warc.gz", 20)
    found = {key for key in (b"before", b"at", b"after", b"other") if digests.find(key)}
    assert found == {b"before", b"other"}


def test_marks(digests: DigestMemory) -> None:
    assert digests.marked("a.warc.gz") == 0
    digests.mark("a.warc.gz", 100)
    digests.mark("a.warc.gz", 200)
    assert digests.marked("a.warc.gz") == 200


def test_reviving_loses_nothing(digests: DigestMemory) -> None:
    digests.remember([(b"k", place(10)), (b"gone", place(30))])
    digests.forget_after("a.warc.gz", 20)
    digests.mark("a.warc.gz", 15)
    digests.revive()
    assert digests.find(b"k") == place(10)
    assert digests.find(b"gone") is None
    assert digests.marked("a.warc.gz") == 15


def broken_after(digests: RocksDigests) -> list[Callable[[], object]]:
    return [
        lambda: digests.find(b"k"),
        lambda: digests.remember([(b"k", place())]),
        lambda: digests.mark("a", 1),
        lambda: digests.marked("a"),
    ]


@pytest.mark.parametrize("call", range(4), ids=["find", "remember", "mark", "marked"])
def test_a_broken_store_is_a_broken_machine(call: int, tmp_path: Path) -> None:
    digests = RocksDigests(tmp_path / "digests")
    digests.close()
    with pytest.raises(MachineError, match=r"digests.*remove that folder"):
        broken_after(digests)[call]()


def test_a_store_that_can_not_be_opened_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "digests").write_text("a file, not a folder")
    with pytest.raises(MachineError, match=str(tmp_path / "digests")):
        RocksDigests(tmp_path / "digests")
