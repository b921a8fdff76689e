"""What waits for its time: a list by time against a plain dictionary, across commits and openings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.shard.times import NEVER, TimeList
from skitter.shard.writer import Shard
from tests.frontiers import commit, opened_shard

TIMES = st.integers(0, 50).map(float)
STEPS = st.lists(st.tuples(st.sampled_from(("move", "take")), st.integers(0, 5), st.none() | TIMES), max_size=40)
PREFIX = b"d"


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shard]:
    made = opened_shard(tmp_path_factory.mktemp("times"))
    yield made
    made.close()


def emptied(shard: Shard) -> TimeList:
    """Returns a list in which nothing waits."""
    left = TimeList(shard, PREFIX)
    left.take(NEVER, 1000)
    commit(shard)
    return TimeList(shard, PREFIX)


@given(STEPS)
def test_it_holds_what_a_dictionary_holds_and_never_says_too_late(
    shard: Shard, steps: list[tuple[str, int, float | None]]
) -> None:
    times, waiting = emptied(shard), dict[bytes, float]()
    for verb, number, at in steps:
        what = bytes((number,))
        if verb == "move":
            times.move(waiting.pop(what, None), at, what)
            waiting.update({} if at is None else {what: at})
        elif at is not None:
            due = sorted((time, what) for what, time in waiting.items() if time <= at)[:2]
            found = times.take(at, 2) if number % 2 else times.reached(at, 2)
            assert [entry.what for entry in found] == [what for _, what in due]
            for entry in found:
                times.move(waiting.pop(entry.what), None, entry.what)
        assert times.first <= min(waiting.values(), default=NEVER)
        commit(shard)
    first = min(waiting.values(), default=NEVER)
    assert times.seek(iter(())) == first == TimeList(shard, PREFIX).first


def test_what_is_noted_beside_comes_back(tmp_path: Path) -> None:
    shard = opened_shard(tmp_path)
    times = TimeList(shard, PREFIX)
    times.put(7.0, b"a.org", b"\x03")
    commit(shard)
    assert times.reached(6.9, 10) == []
    assert times.take(7.0, 10) == [(b"a.org", b"\x03")]
    commit(shard)
    assert times.first == NEVER
    assert times.take(NEVER, 10) == []
    shard.close()
