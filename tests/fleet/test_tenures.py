"""Who comes back to a folder knows which tenures have ended; whoever has a copy of it does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skitter.fleet.tenures import FILE, Tenures
from skitter.folder.locks import locked, nodes_at_work
from skitter.shard.log.codec import ID
from skitter.shard.log.ownership import LEASE

ONE, OTHER = bytes(range(ID)), bytes(range(1, ID + 1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "node"
    with locked(folder):
        nodes_at_work(folder)
        before = Tenures.in_folder(folder, 100.0)
        before.note(ONE)
        before.note(OTHER)
    return folder


def test_who_comes_back_knows_when_those_before_had_ended(folder: Path) -> None:
    for started in (200.0, 300.0):
        with locked(folder):
            assert Tenures.in_folder(folder, started).ended == dict.fromkeys((ONE, OTHER), started + LEASE)


def test_a_copy_of_a_folder_knows_nothing(folder: Path) -> None:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    assert Tenures.in_folder(copy, 200.0).ended == {}


def test_after_a_new_start_of_the_machine_nothing_is_known(folder: Path, tmp_path: Path) -> None:
    boot = tmp_path / "boot_id"
    boot.write_text("another")
    assert Tenures.in_folder(folder, 200.0, boot).ended == {}
    assert Tenures.in_folder(folder, 200.0, tmp_path / "no such file").ended == {}


def test_a_file_that_ends_in_the_middle_counts_for_nothing(folder: Path) -> None:
    file = folder / FILE
    file.write_bytes(file.read_bytes()[:-1])
    assert Tenures.in_folder(folder, 200.0).ended == {}
