"""A file that is written grows by whole parts, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skitter.store.warc.file import WarcFile, node_of, warc_name


@pytest.fixture
def file(faulty_disk: Any, tmp_path: Path) -> WarcFile:
    file = WarcFile(faulty_disk, tmp_path / "x.warc.gz")
    file.write(b"first")
    return file


def on_disk(file: WarcFile) -> bytes:
    return file.open_path.read_bytes()


def test_short_writes_are_gone_on_with(file: WarcFile, faulty_disk: Any) -> None:
    faulty_disk.chunk = 2
    file.write(b"second")
    assert on_disk(file) == b"firstsecond"
    assert file.end == 11


def test_a_full_disk_leaves_the_good_part(file: WarcFile, faulty_disk: Any) -> None:
    faulty_disk.room = 3
    with pytest.raises(OSError, match="No space left"):
        file.write(b"second")
    assert on_disk(file) == b"first"
    assert not file.is_torn
    faulty_disk.room = None
    file.write(b"third")
    assert on_disk(file) == b"firstthird"


def test_what_can_not_be_cut_is_torn(file: WarcFile, faulty_disk: Any) -> None:
    faulty_disk.room = 3
    faulty_disk.faults = {"truncate"}
    with pytest.raises(OSError, match="No space left"):
        file.write(b"second")
    assert on_disk(file) == b"firstsec"
    assert file.is_torn
    with pytest.raises(AssertionError):
        file.write(b"third")


def test_a_disk_that_takes_nothing_is_an_error(file: WarcFile, faulty_disk: Any) -> None:
    faulty_disk.chunk = 0
    with pytest.raises(OSError, match="takes no more"):
        file.write(b"second")


def test_sealing_gives_the_name_after_the_bytes_are_safe(file: WarcFile, faulty_disk: Any) -> None:
    faulty_disk.faults = {"fsync"}
    with pytest.raises(OSError, match="on command"):
        file.seal()
    assert file.open_path.exists()
    faulty_disk.faults = set()
    file.seal()
    assert file.path.read_bytes() == b"first"
    assert not file.open_path.exists()
    assert faulty_disk.calls["sync_folder"] == 1


def test_what_is_safe_is_not_synced_again(file: WarcFile, faulty_disk: Any) -> None:
    file.sync()
    file.sync()
    assert faulty_disk.calls["fsync"] == 1
    assert file.synced == 5


NAMES = {
    "mine": ("skitter-20261115204551-n1-00000.warc.gz", True),
    "mine and open": ("skitter-20261115204551-n1-00000.warc.gz.open", True),
    "an index of mine": ("skitter-20261115204551-n1-00012.cdxj.tmp", True),
    "another node": ("skitter-20261115204551-n2-00000.warc.gz", False),
    "a node whose name ends like mine": ("skitter-20261115204551-x-n1-00000.warc.gz", False),
    "a node whose name begins like mine": ("skitter-20261115204551-n11-00000.warc.gz", False),
    "foreign": ("CC-MAIN-20261115204551-n1-00000.warc.gz", False),
}


@pytest.mark.parametrize(("name", "mine"), NAMES.values(), ids=NAMES)
def test_whose_file_it_is(name: str, mine: bool) -> None:
    assert (node_of(name) == "n1") is mine


def test_a_name_is_its_nodes() -> None:
    assert node_of(warc_name("20261115204551", "a-b", 7)) == "a-b"
