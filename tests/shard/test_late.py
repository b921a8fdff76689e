"""The re-crawl that has waited longest: found without a search through all that were made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.messages import State
from skitter.shard.records import UrlRecord
from skitter.shard.writer import Shard
from tests.frontiers import commit, opened_shard

NEVER = float("inf")


def opened(folder: Path) -> Shard:
    return opened_shard(folder)


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    made = opened(tmp_path)
    yield made
    made.close()


def mark(number: int) -> bytes:
    return number.to_bytes(16)


def put(shard: Shard, number: int, late: float | None) -> None:
    """Makes a page late, or not late any more."""
    before = shard.url(mark(number)) or UrlRecord(f"http://a.org/{number}", "a.org", State.QUEUED, 0.0, 0, 0.5)
    shard.change_url(mark(number), before, structs.replace(before, late=late))


def test_the_oldest_of_those_that_are_left(shard: Shard) -> None:
    assert shard.oldest_late() == NEVER
    for number in range(5):
        put(shard, number, 100.0 + number)
    commit(shard)
    for number in (0, 3, 1, 2, 4):
        left = [other for other in range(5) if (late := shard.url(mark(other))) is not None and late.late is not None]
        assert shard.oldest_late() == 100.0 + min(left)
        put(shard, number, None)
        commit(shard)
    assert shard.oldest_late() == NEVER


def test_what_is_not_committed_yet_counts_and_is_not_forgotten_by_a_search(shard: Shard) -> None:
    put(shard, 1, 200.0)
    commit(shard)
    assert shard.oldest_late() == 200.0
    put(shard, 2, 150.0)  # the clock was set back
    assert shard.oldest_late() == 150.0
    assert shard.oldest_late() == 150.0
    commit(shard)
    assert shard.oldest_late() == 150.0
    put(shard, 2, None)
    commit(shard)
    assert shard.oldest_late() == 200.0


def test_the_first_one_after_a_time_without_any(shard: Shard) -> None:
    put(shard, 1, 200.0)
    commit(shard)
    put(shard, 1, None)
    commit(shard)
    assert shard.oldest_late() == NEVER
    put(shard, 2, 300.0)
    assert shard.oldest_late() == 300.0


def test_it_is_known_at_the_next_opening(tmp_path: Path) -> None:
    first = opened(tmp_path)
    put(first, 1, 200.0)
    commit(first)
    first.close()
    second = opened(tmp_path)
    assert second.oldest_late() == 200.0
    second.close()
