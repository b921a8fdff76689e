"""Discovery and refresh share by what both bring, and neither starves."""

from __future__ import annotations

import pytest

from skitter.schedule.shares import LEAST, MOST, NOTHING, REMEMBERED, Brought, after, share_of_refresh


def brought(requests: int, each: float) -> Brought:
    found = NOTHING
    for _ in range(requests):
        found = after(found, each)
    return found


@pytest.mark.parametrize("wanted", [0.1, 0.5, 0.9])
def test_without_evidence_and_with_equal_gains_it_is_what_is_wanted(wanted: float) -> None:
    assert share_of_refresh((NOTHING, NOTHING), wanted) == wanted
    assert share_of_refresh((brought(500, 0.25), brought(300, 0.25)), wanted) == pytest.approx(wanted)
    assert share_of_refresh((brought(500, 0.0), brought(300, 0.0)), wanted) == wanted


def test_who_brings_more_has_more_within_bounds() -> None:
    share = share_of_refresh((brought(1000, 0.1), brought(1000, 0.15)), 0.5)
    assert 0.55 < share < 0.6
    assert share_of_refresh((brought(5000, 0.0), brought(5000, 1.0)), 0.5) == MOST
    assert share_of_refresh((brought(5000, 1.0), brought(5000, 0.0)), 0.5) == LEAST


def test_a_share_that_is_wanted_beyond_the_bounds_is_kept() -> None:
    assert share_of_refresh((brought(5000, 0.0), brought(5000, 1.0)), 0.95) == 0.95
    assert share_of_refresh((brought(5000, 1.0), brought(5000, 0.0)), 0.05) == 0.05


def test_a_few_visits_prove_nothing() -> None:
    assert share_of_refresh((brought(5, 0.0), brought(5, 1.0)), 0.5) == pytest.approx(0.5, abs=0.05)


def test_what_was_brought_long_ago_is_forgotten() -> None:
    found = brought(3000, 1.0)
    for _ in range(int(5 * REMEMBERED)):
        found = after(found, 0.0)
    assert found.gained < 0.01 * found.requests
    assert found.requests == pytest.approx(REMEMBERED, rel=0.02)
