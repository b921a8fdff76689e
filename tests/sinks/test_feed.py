"""Each row is there once in the end, whatever the sink does in between."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skitter.errors import SinkError
from skitter.ports import Rows
from skitter.sim.sink import MemoryPlace, MemorySink
from skitter.sinks.feed import WAITS, Feed, wait_after
from skitter.sinks.kept import Bookmarks
from skitter.sinks.source import Batch, Source
from skitter.sinks.tables import TABLES
from skitter.store.index.parquet import SCHEMAS

AT = datetime(2026, 11, 18, 8, tzinfo=UTC)


class Numbers:
    """A source of so many rows, three in a batch; the bookmark is how many were given."""

    total = 50

    def __init__(self, bookmark: bytes | None) -> None:
        self._at = int(bookmark or b"0")

    def batches(self) -> Iterator[Batch]:
        while self._at < self.total:
            end = min(self.total, self._at + 3)
            rows = Rows("captures", ("url", "status"), 1, [(f"http://a.test/{n}", 200) for n in range(self._at, end)])
            self._at = end
            yield Batch([rows], len(rows.rows), AT, 10 * len(rows.rows), str(end).encode())

    def behind(self) -> int:
        return 10 * (self.total - self._at)


def source(bookmark: bytes | None) -> Source:
    return Numbers(bookmark)


def feed(place: MemoryPlace, folder: Path, *, keeps_bookmark: bool) -> Feed:
    sink = MemorySink(place, ["captures"], keeps_bookmark=keeps_bookmark)
    return Feed("memory", sink, source, Bookmarks(folder, "memory"), AT.timestamp)


@pytest.mark.parametrize("keeps_bookmark", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_every_row_once_whatever_fails(tmp_path: Path, seed: int, keeps_bookmark: bool) -> None:
    chance, place = random.Random(seed), MemoryPlace()
    feeding = feed(place, tmp_path, keeps_bookmark=keeps_bookmark)
    steps = 0
    while len(place.rows) < Numbers.total:
        steps += 1
        assert steps < 1000
        place.is_away = chance.random() < 0.3
        if chance.random() < 0.2:
            place.fails_after = 0  # this commit is carried out, and we do not hear of it
        if chance.random() < 0.1:  # we are killed
            feeding = feed(place, tmp_path, keeps_bookmark=keeps_bookmark)
        try:
            feeding.step()
        except SinkError as error:
            feeding.failed(error)
    assert {key[1] for key in place.rows} == {f"http://a.test/{n}" for n in range(Numbers.total)}
    if keeps_bookmark:
        assert set(place.brought.values()) == {1}


def test_a_sink_that_lost_all_gets_all_again_though_our_hint_says_otherwise(tmp_path: Path) -> None:
    place, other = MemoryPlace(), MemoryPlace()
    feeding = feed(place, tmp_path, keeps_bookmark=True)
    while feeding.step():
        pass
    again = feed(other, tmp_path, keeps_bookmark=True)
    while again.step():
        pass
    assert other.rows == place.rows


def test_its_state_says_what_is_wrong_and_how_far_behind_it_is(tmp_path: Path) -> None:
    place = MemoryPlace()
    feeding = feed(place, tmp_path, keeps_bookmark=True)
    feeding.step()
    place.is_away = True
    with pytest.raises(SinkError) as caught:
        feeding.step()
    feeding.failed(caught.value)
    state = feeding.state()
    assert (state.captures, state.rows, state.lag_bytes, state.lag_captures) == (3, 3, 470, 47)
    assert "does not answer" in state.trouble
    assert (state.failures, state.again_at) == (1, AT.timestamp() + WAITS["away"].first)
    place.is_away = False
    while feeding.step():
        pass
    assert feeding.state().trouble == ""
    assert feeding.state().lag_captures == 0


@pytest.mark.parametrize("kind", WAITS)
def test_waits_grow_to_a_bound(kind: str) -> None:
    waits = [wait_after(kind, failures) for failures in range(1, 2000)]
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == WAITS[kind]


def test_rows_have_every_column_of_the_tables_of_the_archive() -> None:
    for name in ("captures", "failures"):
        assert set(TABLES[name].columns) == set(SCHEMAS[name].names)
    assert set(SCHEMAS["links"].names) <= set(TABLES["links"].columns)
