"""Numbers as people read them."""

from __future__ import annotations

import pytest

from skitter.words.figures import clock, counted, distance, moment, rate, size, span, when

SPANS = [
    (0, "0 s"),
    (0.2, "0.2 s"),
    (2, "2 s"),
    (45.4, "45 s"),
    (60, "1 min"),
    (200, "3 min 20 s"),
    (3600, "1 h"),
    (7500, "2 h 5 min"),
    (86400, "1 d"),
    (4 * 86400 + 7200, "4 d 2 h"),
]
SIZES = [
    (0, "0 bytes"),
    (999, "999 bytes"),
    (1000, "1.0 kB"),
    (1_234_567, "1.2 MB"),
    (250e9, "250 GB"),
    (3e18, "3000 PB"),
]


@pytest.mark.parametrize(("seconds", "told"), SPANS)
def test_spans(seconds: float, told: str) -> None:
    assert span(seconds) == told


@pytest.mark.parametrize(("value", "told"), SIZES)
def test_sizes(value: float, told: str) -> None:
    assert size(value) == told


def test_counted() -> None:
    assert [counted(many, "page") for many in (0, 1, 12345)] == ["0 pages", "1 page", "12,345 pages"]
    assert counted(2, "instruction", "instructions") == "2 instructions"


def test_rates_have_three_figures_at_the_most() -> None:
    assert [rate(value) for value in (0.04, 12.34, 1204.4)] == ["0.0", "12.3", "1,204"]


def test_clock() -> None:
    assert [clock(seconds) for seconds in (0, 61.9, 36_001)] == ["0:00:00", "0:01:01", "10:00:01"]


@pytest.mark.parametrize(("at", "told"), [(100.0, "now"), (100.4, "now"), (400.0, "in 5 min"), (40.0, "1 min ago")])
def test_distance(at: float, told: str) -> None:
    assert distance(at, 100.0) == told


def test_when_says_the_time_and_how_far_off_it_is() -> None:
    assert when(400.0, 100.0) == f"{moment(400.0)} (in 5 min)"
