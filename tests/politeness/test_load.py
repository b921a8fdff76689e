"""A slow host is a loaded host: how long it is left alone for what its last answer took."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.politeness.load import RESTARTING, load_wait, outlasts_a_restart, rested_at
from skitter.settings import PolitenessSettings

USUAL = PolitenessSettings()


@pytest.mark.parametrize(
    ("took", "settings", "wait"),
    [
        (0.0, USUAL, 0.0),
        (0.4, USUAL, 0.8),
        (5.0, USUAL, 10.0),
        (29.9, USUAL, 59.8),
        (3600.0, USUAL, 60.0),
        (5.0, PolitenessSettings(load_factor=0), 0.0),
        (5.0, PolitenessSettings(load_factor=10), 50.0),
        (5.0, PolitenessSettings(max_load_wait=7), 7.0),
        (5.0, PolitenessSettings(max_load_wait=0), 0.0),
    ],
)
def test_the_wait_is_so_many_times_what_it_took_up_to_the_longest(
    took: float, settings: PolitenessSettings, wait: float
) -> None:
    assert load_wait(took, settings) == pytest.approx(wait)


@given(st.floats(1e9, 2e9), st.floats(0, 1e4), st.floats(0, 1e4), st.floats(0, 100), st.floats(0, 86400))
def test_both_the_delay_and_the_load_are_waited_out(
    began: float, took: float, delay: float, factor: float, longest: float
) -> None:
    settings = PolitenessSettings(load_factor=factor, max_load_wait=longest)
    at = rested_at(began, took, delay, settings)
    assert at - began >= delay
    assert at - began >= min(longest, factor * took)
    assert at - began <= max(delay, longest) + 1e-5


def test_what_a_restart_would_forget_is_told() -> None:
    assert not outlasts_a_restart(1.0, 1.0, USUAL), "every host rests a delay after a start"
    assert not outlasts_a_restart(1.0 + RESTARTING, 1.0, USUAL)
    assert outlasts_a_restart(1.2, 1.0, USUAL)
    assert not outlasts_a_restart(100.0, 1.0, USUAL), "the longest wait was over before the answer was"
    assert not outlasts_a_restart(100.0, 0.0, PolitenessSettings(load_factor=0))
