"""Delays held against a naive reading of the rules, which looks at all earlier requests each time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.audit.delays import TOLERANCE, Delays
from skitter.audit.promise import Promise
from skitter.audit.report import Breach
from skitter.audit.visit import SLOWING, Visit
from skitter.messages import Errand
from skitter.settings import PolitenessSettings
from skitter.store.warc.dates import MICRO

PROMISE = Promise(politeness=PolitenessSettings(delay=1.0, max_delay=10.0))
Asked = tuple[Visit, float | None]
"""A visit, and the Crawl-delay that holds once it is answered."""


def visit(at: float, *, took: float = 0.1, status: int = 200, **more: object) -> Visit:
    began = round(at * MICRO)
    made = Visit("a.example", began, 0, 0, began + round(took * MICRO), f"http://a.example/{at}", status=status)
    return made._replace(**more)  # type: ignore[arg-type]


def found(asked: Sequence[Asked]) -> list[tuple[Breach, int]]:
    """Returns what `Delays` finds, each with the number of the visit."""
    delays, faults = Delays(), []
    crawl_delay = None
    for at, (one, after) in enumerate(asked):
        faults += [(fault[0], at) for fault in delays.check(one, PROMISE, crawl_delay)]
        crawl_delay = after
        delays.answered(one, PROMISE, crawl_delay)
    return sorted(faults)


def expected(asked: Sequence[Asked]) -> list[tuple[Breach, int]]:
    """Returns what is wrong by the letter of the rules."""
    faults = []
    for at, (one, _) in enumerate(asked):
        earlier = asked[:at]
        if earlier:
            gap = (one.began - earlier[-1][0].began) / MICRO
            base, took = base_of(one, earlier[-1][1]), (earlier[-1][0].ended - earlier[-1][0].began) / MICRO
            if gap < base - TOLERANCE:
                faults.append((Breach.TOO_EARLY, at))
            elif gap < backoff_after(earlier) - TOLERANCE:
                faults.append((Breach.NOT_SLOWED, at))
            elif took <= gap < 2 * took - TOLERANCE:
                faults.append((Breach.LOADED, at))
        if any(other.ended / MICRO - TOLERANCE > one.began / MICRO for other, _ in earlier):
            faults.append((Breach.AT_ONCE, at))
        awake = [other.ended / MICRO + other.wish for other, _ in earlier if other.wish is not None]
        if any(one.began / MICRO < until - TOLERANCE for until in awake):
            faults.append((Breach.BEFORE_RETRY_AFTER, at))
    return sorted(faults)


def base_of(one: Visit, crawl_delay: float | None) -> float:
    return one.agreed if one.agreed is not None else max(1.0, crawl_delay or 0.0)


def backoff_after(earlier: Sequence[Asked]) -> float:
    backoff, good = 0.0, 0
    for one, crawl_delay in earlier:
        base = base_of(one, crawl_delay)
        if one.status in SLOWING or one.failure == "reset":
            backoff, good = min(10.0, 2 * max(backoff, base, 1.0)), 0
        elif one.errand == Errand.PAGE and 200 <= one.status < 400 and not one.failure and backoff:
            good += 1
            if good == 10:
                backoff, good = backoff / 2, 0
                if backoff <= base or backoff < 1:
                    backoff = 0.0
    return backoff


@st.composite
def crawls(draw: st.DrawFn) -> list[Asked]:
    """Requests on a grid of a tenth of a second, mostly in order, now and then not."""
    now, asked = 0.0, []
    for _ in range(draw(st.integers(1, 40))):
        now += draw(st.sampled_from([0.5, 1.0, 1.0, 1.0, 2.0, 2.0, 4.0, 8.0, 20.0]))
        status = draw(st.sampled_from([200, 200, 200, 200, 200, 404, 503, 429, 0]))
        one = visit(
            now,
            took=draw(st.sampled_from([0.1, 0.1, 0.1, 3.0])),
            status=status,
            wish=draw(st.sampled_from([None, 0.0, 3.0, 30.0])) if status in SLOWING else None,
            agreed=draw(st.sampled_from([None, None, None, 0.5, 4.0])),
            errand=draw(st.sampled_from([Errand.PAGE.value, Errand.PAGE.value, Errand.ROBOTS.value])),
            failure=draw(st.sampled_from(["", "", "reset"])) if status == 200 else "",
        )
        asked.append((one, draw(st.sampled_from([None, None, 0.5, 2.0]))))
    return asked


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(crawls())
def test_delays_are_judged_as_the_rules_say(asked: list[Asked]) -> None:
    assert found(asked) == expected(asked)


@pytest.mark.parametrize(
    ("gap", "faults"),
    [(1.0, []), (1.0 - TOLERANCE + 1e-4, []), (1.0 - TOLERANCE - 1e-4, [(Breach.TOO_EARLY, 1)])],
    ids=["a full delay", "within the tolerance", "earlier"],
)
def test_the_tolerance_is_small_and_stated(gap: float, faults: list[tuple[Breach, int]]) -> None:
    assert TOLERANCE <= 0.005
    assert found([(visit(0), None), (visit(gap), None)]) == faults


def test_a_long_request_is_remembered_behind_short_ones() -> None:
    asked = [(visit(0, took=9), None), (visit(1), None), (visit(2), None), (visit(9), None)]
    assert found(asked) == [(Breach.AT_ONCE, 1), (Breach.AT_ONCE, 2)]


def test_the_longest_retry_after_counts() -> None:
    asked = [
        (visit(0, status=429, wish=30.0), None),
        (visit(31, status=429, wish=2.0), None),
        (visit(35.2), None),
        (visit(39.2), None),
    ]
    assert found(asked) == []
    early = [asked[0], (visit(20, status=503, wish=0.0), None), (visit(25), None)]
    assert found(early) == [(Breach.BEFORE_RETRY_AFTER, 1), (Breach.BEFORE_RETRY_AFTER, 2)]


def test_a_fault_tells_both_requests_and_both_spans() -> None:
    delays = Delays()
    first = visit(0)
    delays.answered(first, PROMISE, 3.0)
    ((kind, before, gap, required),) = delays.check(visit(2), PROMISE, 3.0)
    assert (kind, before, gap, required) == (Breach.TOO_EARLY, first, 2.0, 3.0)
    assert delays.closest == -1.0


def test_a_crawl_delay_beyond_the_limit_is_the_limit() -> None:
    asked: list[Asked] = [(visit(0), 1e6), (visit(3600), None)]
    assert found(asked) == []


@pytest.mark.parametrize(
    ("between", "faults"),
    [
        ([{}] * 10, []),
        ([{}] * 9, [(Breach.NOT_SLOWED, 10)]),
        ([{}] * 9 + [{"errand": Errand.ROBOTS.value}], [(Breach.NOT_SLOWED, 11)]),
        ([{}] * 9 + [{"failure": "bad_encoding"}], [(Breach.NOT_SLOWED, 11)]),
        ([{}] * 9 + [{"status": 404}], [(Breach.NOT_SLOWED, 11)]),
    ],
    ids=["ten", "nine", "nine and a robots.txt", "nine and one that broke off", "nine and one that is gone"],
)
def test_ten_good_answers_undo_a_slow_down(between: list[dict[str, object]], faults: list[tuple[Breach, int]]) -> None:
    asked = [visit(0, status=503), *(visit(2.0 * at, **one) for at, one in enumerate(between, 1))]  # type: ignore[arg-type]
    asked.append(visit(2.0 * len(between) + 1))
    assert found([(one, None) for one in asked]) == faults
