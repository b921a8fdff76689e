"""The shelf gives back what it took, in order, and says which references lead nowhere."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random

import pytest

from skitter.audit import sorting as shelf_module
from skitter.audit.sorting import Held, Reference, SortedVisits
from skitter.audit.visit import Visit, key_of


def visits(count: int) -> list[Visit]:
    return [
        Visit(f"h{at % 7}.example", at * 10, at % 3, at, at * 10 + 5, "http://x/", wish=0.5 if at % 2 else None)
        for at in range(count)
    ]


@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_visits_come_back_whole_host_by_host_in_order_of_time(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf_module, "BATCH", batch)
    put = visits(100)
    Random(3).shuffle(put)
    with SortedVisits() as shelf:
        for visit in put:
            shelf.put(visit)
        shelf.settle()
        groups = [(host, list(group)) for host, group in shelf.by_host()]
    assert [host for host, _ in groups] == sorted({visit.host for visit in put})
    assert [visit for _, group in groups for visit in group] == sorted(put)


def test_records_are_found_by_key() -> None:
    with SortedVisits() as shelf:
        shelf.hold(Held(key_of("a"), 0, 0, 2, 99))
        shelf.settle()
        assert shelf.find(key_of("a")) == Held(key_of("a"), 0, 0, 2, 99)
        assert shelf.find(key_of("b")) is None


def test_a_reference_dangles_unless_record_or_capture_and_payload_are_held() -> None:
    good = [Reference(1, 0, 5, 0, 0), Reference(1, 0, None, 0, 1), Reference(None, 2, 5, 0, 2)]
    bad = [Reference(9, 2, 5, 0, 3), Reference(1, 2, 6, 0, 4), Reference(None, 9, None, 0, 5)]
    with SortedVisits() as shelf:
        shelf.hold(Held(1, 2, 5, 0, 0))
        for reference in [*good, *bad]:
            shelf.refer(reference)
        shelf.settle()
        assert list(shelf.dangling()) == bad


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with SortedVisits() as shelf:
        shelf.settle()
        assert list(tmp_path.iterdir()) != []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_python_holds_does_not_grow_with_the_visits() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        with SortedVisits() as shelf:
            for at in range(count):
                shelf.put(Visit(f"h{at % 997}.example", at, 0, at, at, f"http://h/{at}"))
            shelf.settle()
            assert sum(1 for _, group in shelf.by_host() for _ in group) == count
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    few = peak(20_000)
    assert peak(100_000) < 1.2 * few
