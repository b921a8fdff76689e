"""What a visit makes of the belief about a page: the kernel says what Python says, and both say what they should."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.kernel import IS_NATIVE
from skitter.schedule.belief import STEPS, mean_rate, normal, packed, packed_evidence, unpacked, unpacked_evidence
from skitter.schedule.turn import (
    Found,
    Stakes,
    Turn,
    native_first_plan,
    native_turn,
    planned,
    python_first_plan,
    python_turn,
)
from skitter.schedule.usual import Votes, ballot, guess, voted
from skitter.settings import DAY

START = guess(1 / (20 * DAY))
WEIGHTS = st.lists(st.floats(1e-8, 1), min_size=STEPS, max_size=STEPS).map(normal)
VOTES = st.lists(WEIGHTS, max_size=3)
FOUND = st.builds(Found, st.floats(-DAY, 3000 * DAY), st.booleans(), st.integers(0, 3))
HEEDED = st.one_of(st.just((0.0, 0.0)), st.tuples(st.floats(0.15, 0.99), st.floats(0.01, 0.99)))
STAKES = st.builds(
    lambda cost, floor, longer, heeded: Stakes(cost, floor, floor + longer, *heeded),
    st.one_of(st.floats(1e-3, 1e10), st.just(math.inf)),
    st.floats(1, DAY),
    st.floats(0, 1e9),
    HEEDED,
)
STATES = st.one_of(st.just((b"", b"")), st.tuples(WEIGHTS.map(packed_evidence), WEIGHTS.map(packed)))


def votes_of(pages: list[list[float]], start: Votes) -> Votes:
    for page in pages:
        start = voted(start, ballot(b"", packed(page)))
    return start


@pytest.mark.skipif(not IS_NATIVE, reason="there is no kernel")
@given(STATES, VOTES, VOTES, FOUND, STAKES, st.floats(0, 1), st.floats(0, 1))
def test_the_kernel_says_what_python_says(
    before: tuple[bytes, bytes],
    host: list[list[float]],
    crawl: list[list[float]],
    found: Found,
    stakes: Stakes,
    hidden: float,
    trusted: float,
) -> None:
    own = [unpacked(before[1])] if before[1] else []
    there, all_ = votes_of(host + own, Votes()), votes_of(host + own + crawl, START)
    one = native_turn(before, there, all_, found, stakes, hidden, trusted)
    other = python_turn(before, there, all_, found, stakes, hidden, trusted)
    assert all(abs(a - b) <= 1 for a, b in zip(one.belief, other.belief, strict=True))
    assert unpacked_evidence(one.evidence) == pytest.approx(unpacked_evidence(other.evidence), rel=1e-3)
    assert one[3:6] == pytest.approx(other[3:6], rel=1e-6, abs=1e-9)
    assert one.plan == pytest.approx(other.plan, rel=1e-6)
    assert one.vote == pytest.approx(other.vote, abs=0.07)  # a byte that is rounded the other way
    first, second = native_first_plan(there, all_, stakes), python_first_plan(there, all_, stakes)
    assert first == pytest.approx(second, rel=1e-6)


PLAIN = Stakes(5 * DAY, 1.0, math.inf, 0.0, 0.0)
NEW = (b"", b"")


def turned(before: tuple[bytes, bytes], found: Found, crawl: Votes = START, trusted: float = 1.0) -> Turn:
    """Returns what a visit leaves to the only page of a host, in a crawl in which it has voted."""
    own = ballot(b"", before[1])
    return python_turn(before, voted(Votes(), own), voted(crawl, own), found, PLAIN, 1.0, trusted)


def visited(changed: bool, before: tuple[bytes, bytes] = NEW) -> tuple[bytes, bytes]:
    turn = turned(before, Found(7 * DAY, changed, 0))
    return turn.evidence, turn.belief


def test_a_change_speaks_for_a_quicker_page_and_the_vote_is_what_is_believed_of_it() -> None:
    quick, slow = visited(changed=True), visited(changed=False)
    assert mean_rate(unpacked(quick[1])) > mean_rate(unpacked(slow[1]))
    turn = turned(quick, Found(7 * DAY, False, 0))
    new = [was + vote for was, vote in zip(unpacked(quick[1]), turn.vote, strict=True)]
    assert new == pytest.approx(unpacked(turn.belief))


def test_what_is_learnt_to_be_usual_moves_what_was_believed_of_a_page_before() -> None:
    crawl = votes_of([unpacked(packed([float(step == 2) for step in range(STEPS)]))] * 100, START)
    before = visited(changed=True)
    alone = turned(before, Found(1.0, False, 0))
    among = turned(before, Found(1.0, False, 0), crawl)
    assert mean_rate(unpacked(among.belief)) < mean_rate(unpacked(alone.belief)) / 3


def test_pages_that_have_not_shown_to_differ_are_all_visited_alike() -> None:
    found = [Found(7 * DAY, changed, 0) for changed in (True, False)]
    alike = [turned(NEW, one, trusted=0.0).plan.wait for one in found]
    apart = [turned(NEW, one).plan.wait for one in found]
    assert alike[0] == alike[1] == python_first_plan(Votes(), START, PLAIN).wait
    assert apart[0] != apart[1]


def test_who_foretells_better_is_in_the_lead() -> None:
    quick = visited(True, visited(True, visited(True)))
    leads = [turned(quick, Found(7 * DAY, changed, 0)).lead for changed in (True, False)]
    assert leads[0] > 0 > leads[1]
    assert turned(NEW, Found(7 * DAY, True, 0)).lead == 0


def test_evidence_that_was_not_kept_is_what_the_belief_came_of() -> None:
    before = visited(True, visited(True))
    kept = turned(before, Found(DAY, False, 0))
    lost = turned((b"", before[1]), Found(DAY, False, 0))
    assert mean_rate(unpacked(lost.belief)) == pytest.approx(mean_rate(unpacked(kept.belief)), rel=0.1)


def test_a_gap_of_no_length_says_nothing() -> None:
    before = visited(changed=True)
    turn = turned(before, Found(-5.0, True, 0))
    assert mean_rate(unpacked(turn.belief)) == pytest.approx(mean_rate(unpacked(before[1])), rel=0.05)


@given(WEIGHTS, STAKES)
def test_a_plan_keeps_to_the_bounds(weights: list[float], stakes: Stakes) -> None:
    plan = planned(weights, stakes)
    assert stakes.floor <= plan.wait <= max(stakes.floor, stakes.longest)
    assert plan.demand > 0
