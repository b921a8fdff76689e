"""What is believed of a page's rate follows what its visits saw."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.schedule.belief import (
    LADDER,
    STEPS,
    after_wait,
    believed,
    certain,
    likelihood,
    mean_rate,
    normal,
    packed,
    packed_evidence,
    still_fresh,
    unpacked,
    unpacked_evidence,
)
from skitter.schedule.usual import Votes, ballot, guess, usual_rates, voted
from skitter.settings import DAY

EVEN = [1 / STEPS] * STEPS
WEIGHTS = st.lists(st.floats(1e-6, 1), min_size=STEPS, max_size=STEPS).map(normal)


def after_gap(evidence: list[float], gap: float, changed: bool) -> list[float]:
    return [each * how for each, how in zip(evidence, likelihood(gap, changed), strict=True)]


def watched(rate: float, gap: float, visits: int) -> tuple[list[float], int]:
    """Returns the belief about a steady page after some even gaps, and how many of these had a change."""
    dice, evidence, changes = random.Random(1), unpacked_evidence(b""), 0
    for _ in range(visits):
        changed = dice.expovariate(rate) < gap
        evidence = unpacked_evidence(packed_evidence(after_gap(evidence, gap, changed)))
        changes += changed
    return believed(evidence, EVEN), changes


@pytest.mark.parametrize("days", [2, 10, 50])
def test_the_rate_of_a_steady_page_is_found(days: float) -> None:
    weights, changes = watched(1 / (days * DAY), 7 * DAY, 400)
    assert mean_rate(weights) == pytest.approx(1 / (days * DAY), rel=0.3)
    estimate = -math.log((400 - changes + 0.5) / 400.5) / (7 * DAY)  # Cho and Garcia-Molina
    assert mean_rate(weights) == pytest.approx(estimate, rel=0.2)


def test_the_softest_evidence_adds_up_in_the_bytes_that_are_kept() -> None:
    evidence = unpacked_evidence(b"")
    for _ in range(300):  # a quiet week each: the two slowest rates differ by a hundredth in how likely that is
        evidence = unpacked_evidence(packed_evidence(after_gap(evidence, 7 * DAY, changed=False)))
    exact = math.exp((LADDER[0] - LADDER[1]) * 300 * 7 * DAY)
    assert evidence[1] / evidence[0] == pytest.approx(exact, rel=0.35)


def test_a_page_that_stopped_is_found_out_by_its_silence() -> None:
    evidence = certain(1 / DAY)
    for _ in range(4):
        evidence = after_gap(after_wait(evidence, EVEN, 7 * DAY), 7 * DAY, changed=False)
    assert mean_rate(believed(evidence, EVEN)) < 1 / (20 * DAY)


def test_a_page_that_woke_up_is_found_out_by_its_changes() -> None:
    evidence = certain(LADDER[0])
    for _ in range(2):
        evidence = after_gap(after_wait(evidence, EVEN, 7 * DAY), 7 * DAY, changed=True)
    assert mean_rate(believed(evidence, EVEN)) > 1 / (10 * DAY)


@given(WEIGHTS, WEIGHTS, st.floats(1, 3000 * DAY), st.booleans())
def test_what_is_believed_adds_up(evidence: list[float], usual: list[float], gap: float, changed: bool) -> None:
    after = believed(after_gap(after_wait(evidence, usual, gap), gap, changed), usual)
    assert sum(after) == pytest.approx(1)
    assert min(after) >= 0
    before = mean_rate(believed(evidence, usual))
    assert mean_rate(believed(after_gap(evidence, gap, changed=False), usual)) <= before * (1 + 1e-9)
    assert mean_rate(believed(after_gap(evidence, gap, changed=True), usual)) >= before * (1 - 1e-9)


@given(WEIGHTS, WEIGHTS)
def test_a_page_that_may_have_become_another_is_believed_to_be_one_as_usual(a: list[float], usual: list[float]) -> None:
    assert believed(after_wait(a, usual, 1e12), usual) == pytest.approx(usual)
    assert believed(after_wait(a, usual, 0.0), usual) == pytest.approx(believed(a, usual))


@given(WEIGHTS)
def test_a_byte_for_each_rate_is_enough(weights: list[float]) -> None:
    assert len(packed(weights)) == STEPS
    assert mean_rate(unpacked(packed(weights))) == pytest.approx(mean_rate(weights), rel=0.05)
    assert packed(unpacked(packed(weights))) == packed(weights)


@given(WEIGHTS, st.floats(0, 1e8), st.floats(0, 1e8))
def test_a_copy_gets_no_fresher(weights: list[float], one: float, other: float) -> None:
    assert still_fresh(weights, 0) == pytest.approx(1)
    assert still_fresh(weights, max(one, other)) <= still_fresh(weights, min(one, other)) + 1e-12


def test_each_page_has_one_vote_and_takes_it_back() -> None:
    slow, quick = packed(certain(LADDER[2])), packed(certain(LADDER[12]))
    host = voted(Votes(), ballot(b"", slow))
    for _ in range(100):
        host = voted(voted(host, ballot(slow, quick)), ballot(quick, slow))
    assert host.pages == 1
    assert host.rates == pytest.approx(tuple(unpacked(slow)), abs=1e-9)
    assert voted(host, ballot(slow, b"")).pages == 0


def test_a_new_page_is_taken_for_one_like_the_others_of_its_host() -> None:
    start = guess(LADDER[8])
    crawl, host = start, Votes()
    for _ in range(30):
        crawl = voted(crawl, ballot(b"", packed(certain(LADDER[3]))))
    assert mean_rate(usual_rates(host, crawl)) < mean_rate(usual_rates(host, start))
    for _ in range(30):
        host = voted(host, ballot(b"", packed(certain(LADDER[12]))))
    usual = usual_rates(host, crawl)
    assert sum(usual) == pytest.approx(1)
    assert usual[12] > 0.8


def test_a_page_does_not_speak_for_itself() -> None:
    others, own = packed(certain(LADDER[3])), packed(certain(LADDER[12]))
    crawl = host = Votes()
    for belief in (others, own, others):
        host, crawl = voted(host, ballot(b"", belief)), voted(crawl, ballot(b"", belief))
    assert usual_rates(host, crawl, own) == pytest.approx(unpacked(others), abs=1e-6)
