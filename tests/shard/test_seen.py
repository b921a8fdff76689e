"""Which layer of the seen check answers: memory, the filter, or the store."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from skitter.errors import MachineError
from skitter.messages import State
from skitter.shard.filter import IS_NATIVE
from skitter.shard.records import UrlRecord
from skitter.shard.seen import Seen, SeenStatistics
from skitter.shard.writer import Shard
from tests.frontiers import close_in_order, opened_shard

KEYS = 6000


def fingerprints(seed: int, number: int = KEYS) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(16) for _ in range(number)]


def opened(folder: Path) -> Shard:
    return opened_shard(folder)


def arrive(shard: Shard, keys: list[bytes]) -> None:
    for number, key in enumerate(keys):
        shard.arrive(
            key, UrlRecord(f"http://a.org/{number}", "a.org", State.QUEUED, 1.0, 0, 0.5, queue=b"q%d" % number)
        )


def is_new(seen: Seen, shard: Shard, key: bytes) -> bool:
    if seen.remembers(key) or seen.is_stored(shard, key):
        return False
    seen.add(key, shard.number)
    return True


def test_each_layer_answers_for_what_it_knows(tmp_path: Path) -> None:
    shard, seen = opened(tmp_path), Seen(100)
    first, second, third = fingerprints(1, 3)
    assert is_new(seen, shard, first)
    assert not is_new(seen, shard, first)
    arrive(shard, [second])
    assert not is_new(seen, shard, second)  # not yet committed: the shard knows it all the same
    shard.commit_arrivals()
    shard.commit_settlements()
    assert not is_new(Seen(100), shard, second)
    assert is_new(seen, shard, third)
    assert seen.statistics() == SeenStatistics(1, 1, 2, false_positives=0 if IS_NATIVE else 2)
    close_in_order(shard)


@pytest.mark.slow
@pytest.mark.skipif(not IS_NATIVE, reason="no Rust toolchain: there is no filter")
@pytest.mark.parametrize("restarts", [0, 1, 3])
def test_the_filter_rules_most_new_urls_out_also_after_a_restart(tmp_path: Path, restarts: int) -> None:
    shard = opened(tmp_path)
    arrive(shard, fingerprints(1))
    for _ in range(restarts):
        close_in_order(shard)
        shard = opened(tmp_path)
    seen = Seen(100 * KEYS)
    assert all(is_new(seen, shard, key) for key in fingerprints(2))
    assert not any(is_new(seen, shard, key) for key in fingerprints(1))
    counted = seen.statistics()
    assert (counted.in_memory, counted.in_store, counted.new) == (0, KEYS, KEYS)
    # Half a percent is what 12 bits a key give in a layer that is full; none at all would mean that none was asked.
    assert 0 < counted.false_positives < 0.03 * KEYS
    close_in_order(shard)


def test_what_a_shard_took_along_uncommitted_is_new_when_it_returns(tmp_path: Path) -> None:
    shard, other, seen = opened(tmp_path), opened_shard(tmp_path, 1, 2), Seen(100)
    committed, lost, elsewhere = fingerprints(1, 3)
    assert is_new(seen, shard, committed)
    arrive(shard, [committed])
    shard.commit_arrivals()
    assert is_new(seen, shard, lost)
    assert is_new(seen, other, elsewhere)
    arrive(shard, [lost])
    shard.close()
    seen.forget(shard.number)
    assert not seen.remembers(committed)
    assert not seen.remembers(lost)
    assert seen.remembers(elsewhere)
    shard = opened(tmp_path)
    assert not is_new(seen, shard, committed)
    assert is_new(seen, shard, lost)
    close_in_order(other)
    close_in_order(shard)


def test_what_the_store_could_not_answer_for_is_not_taken_for_known(tmp_path: Path) -> None:
    shard, seen, (key,) = opened(tmp_path), Seen(100), fingerprints(1, 1)
    close_in_order(shard)
    with pytest.raises(MachineError):
        seen.is_stored(shard, key)
    assert not seen.remembers(key)
