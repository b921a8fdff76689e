from __future__ import annotations

import math
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.schedule.change import Gaps, Visit, change_rate, has_changed, with_gap

NOW = 1.7e9
SPANS = st.floats(1, 1e8)


def visit(at: float = NOW, digest: str | None = "a", etag: str | None = None, modified: float | None = None) -> Visit:
    return Visit(at=at, digest=digest, etag=etag, last_modified=modified)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        pytest.param(visit(), visit(digest="b"), True, id="other bytes"),
        pytest.param(visit(), visit(), False, id="same bytes"),
        pytest.param(visit(), visit(digest=None), False, id="304"),
        pytest.param(visit(digest=None), visit(digest="b"), True, id="200 after a 304 of unknown bytes"),
        pytest.param(visit(etag='"1"'), visit(digest="b", etag='"1"'), False, id="same ETag"),
        pytest.param(visit(etag='"1"'), visit(digest="b", etag='W/"1"'), False, id="same ETag, weak"),
        pytest.param(visit(etag='"1"'), visit(digest="b", etag='"2"'), True, id="other ETag and bytes"),
        pytest.param(visit(etag='"1"'), visit(etag='"2"'), False, id="other ETag, same bytes"),
        pytest.param(visit(etag='"1"'), visit(digest="b"), True, id="ETag no longer sent"),
        pytest.param(visit(modified=5), visit(digest="b", modified=5), False, id="same Last-Modified"),
        pytest.param(visit(modified=5), visit(digest="b", modified=4), False, id="Last-Modified went back"),
        pytest.param(visit(modified=5), visit(digest="b", modified=6), True, id="later Last-Modified and other bytes"),
        pytest.param(visit(modified=5), visit(modified=6), False, id="saved again as it was"),
        pytest.param(visit(), visit(digest="b", modified=NOW - 61), False, id="older than the last visit"),
        pytest.param(visit(), visit(digest="b", modified=NOW - 60), True, id="older by no more than clocks differ"),
        pytest.param(visit(), visit(digest="b", modified=NOW + 9), True, id="newer than the last visit"),
        pytest.param(
            visit(etag='"1"', modified=5), visit(digest="b", etag='"2"', modified=5), True, id="ETag before the date"
        ),
    ],
)
def test_has_changed(before: Visit, after: Visit, changed: bool) -> None:
    assert has_changed(before, after) is changed


def gaps_of(*spans: tuple[float, bool]) -> Gaps:
    gaps = Gaps()
    for span, changed in spans:
        gaps = with_gap(gaps, span, changed)
    return gaps


def test_with_gap_counts() -> None:
    assert gaps_of((10, False), (20, True), (30, False)) == Gaps(changed=1, changed_span=20, quiet=2, quiet_span=40)


@pytest.mark.parametrize("span", [0.0, -5.0, math.nan])
def test_a_gap_of_no_length_says_nothing(span: float) -> None:
    assert with_gap(Gaps(1, 10, 1, 10), span, changed=True) == Gaps(1, 10, 1, 10)


@pytest.mark.parametrize(
    ("count", "changes"), [(1, 0), (1, 1), (5, 2), (10, 0), (10, 10), (1000, 1)], ids=lambda number: str(number)
)
def test_even_gaps_give_the_published_estimate(count: int, changes: int) -> None:
    gaps = gaps_of(*((60.0, number < changes) for number in range(count)))
    assert change_rate(gaps) == pytest.approx(-math.log((count - changes + 0.5) / (count + 0.5)) / 60)


def test_no_gaps_no_rate() -> None:
    assert change_rate(Gaps()) == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(SPANS, st.booleans()), max_size=20), SPANS)
def test_rate_is_finite_and_an_unchanged_visit_never_raises_it(spans: list[tuple[float, bool]], more: float) -> None:
    gaps = gaps_of(*spans)
    assert gaps.count == len(spans)
    assert gaps.span == pytest.approx(sum(span for span, _ in spans))
    rate = change_rate(gaps)
    assert 0 <= rate < math.inf
    assert (rate > 0) == (gaps.changed > 0)
    assert change_rate(with_gap(gaps, more, False)) <= rate
    assert msgspec.json.decode(msgspec.json.encode(gaps), type=Gaps) == gaps


@pytest.mark.slow
@pytest.mark.parametrize("mean", [3.0, 10.0, 30.0], ids=["lively", "even", "quiet"])
def test_finds_the_true_rate_from_uneven_visits(mean: float) -> None:
    dice = random.Random(7)
    gap, gaps = 10.0, Gaps()
    for _ in range(20_000):
        changed = dice.random() < -math.expm1(-gap / mean)
        gaps = with_gap(gaps, gap, changed)
        gap = min(40.0, max(2.0, gap * (0.5 if changed else 1.5)))
    assert change_rate(gaps) * mean == pytest.approx(1, abs=0.04)
