"""A shard's notes of who waits and who is in, and a shard that could not be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.errors import MachineError
from skitter.schedule.budget import DomainRecord
from skitter.shard import keys
from skitter.shard.writer import Shard
from skitter.sim.disk import DiskFaults, MemoryDisk
from skitter.sim.life import Life
from skitter.sim.stores import MemoryStores
from tests.frontiers import commit, opened_shard

HOST = "a.org"


def who_waits(shard: Shard) -> list[bytes]:
    return [key for key, _ in shard.iterate(b"v")]


@pytest.mark.parametrize("waits_before", [False, True])
def test_a_host_that_comes_in_goes_out_and_waits_again_in_one_commit_still_waits(
    waits_before: bool, tmp_path: Path
) -> None:
    shard, key = opened_shard(tmp_path), keys.host_waiting_key(HOST, 1, HOST)
    shard.await_window(1, HOST)
    commit(shard)
    if waits_before:
        shard.await_window(1, HOST)
    shard.bring_in(key, 1, HOST)
    shard.put_out(HOST)
    shard.await_window(1, HOST)
    commit(shard)
    assert who_waits(shard) == [key]
    shard.bring_in(key, 1, HOST)
    commit(shard)
    assert who_waits(shard) == []
    shard.close()


def test_a_shard_that_could_not_be_opened_can_be_opened_again() -> None:
    disk = MemoryDisk(DiskFaults(failing_writes=frozenset({1})))
    stores = MemoryStores(disk, Life("it"))
    with pytest.raises(MachineError, match="can't be written"):
        Shard(stores, 0, 1, 1.0)
    Shard(stores, 0, 1, 1.0).close()
    assert not disk.clashes


def test_a_domain_that_changed_is_known_at_once_and_kept_by_the_next_commit(tmp_path: Path) -> None:
    shard = opened_shard(tmp_path)
    for pages in (1, 2):
        shard.put_domain(DomainRecord("a.org", 1.0, pages=pages))
    assert shard.is_dirty()
    found = shard.domain("a.org")
    assert found is not None
    assert found.pages == 2
    assert shard.get(keys.domain_key("a.org")) is None
    commit(shard)
    assert not shard.is_dirty()
    assert shard.get(keys.domain_key("a.org")) is not None
    assert shard.domain("a.org") == found
    shard.close()
