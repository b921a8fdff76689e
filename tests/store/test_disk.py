"""What the archive relies on, kept by the real disk and by the one that fails on command."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.store.disk import Disk, RealDisk


@pytest.fixture(params=["real", "faulty"])
def disk(request: pytest.FixtureRequest, faulty_disk: Disk) -> Disk:
    return RealDisk() if request.param == "real" else faulty_disk


def test_bytes_are_where_they_were_written(disk: Disk, tmp_path: Path) -> None:
    fd = disk.create(tmp_path / "a")
    assert disk.write(fd, b"hello world", 0) == 11
    assert disk.write(fd, memoryview(b"W"), 6) == 1
    disk.truncate(fd, 8)
    disk.fsync(fd)
    disk.close(fd)
    assert (tmp_path / "a").read_bytes() == b"hello Wo"


def test_a_name_is_given_once(disk: Disk, tmp_path: Path) -> None:
    disk.close(disk.create(tmp_path / "a"))
    with pytest.raises(FileExistsError):
        disk.create(tmp_path / "a")


def test_only_what_is_there_is_opened(disk: Disk, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        disk.open(tmp_path / "a")
    disk.close(disk.create(tmp_path / "a"))
    fd = disk.open(tmp_path / "a")
    assert disk.write(fd, b"x", 0) == 1
    disk.close(fd)


def test_rename_and_remove(disk: Disk, tmp_path: Path) -> None:
    disk.close(disk.create(tmp_path / "a"))
    disk.rename(tmp_path / "a", tmp_path / "b")
    disk.sync_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    disk.remove(tmp_path / "b")
    assert not list(tmp_path.iterdir())
