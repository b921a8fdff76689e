"""A plug-in that fails again and again is left out for a while, then tried with one page."""

from __future__ import annotations

from skitter.plugins.health import HEALTHY, after_fault, is_off
from skitter.settings import PluginSettings

SETTINGS = PluginSettings(patience=3, rest=60.0)


def test_it_is_off_after_so_many_faults_in_a_row_and_tried_again_after_its_rest() -> None:
    health = HEALTHY
    for now in (1.0, 2.0):
        health = after_fault(health, "raised", now, SETTINGS)
        assert not is_off(health, now)
    health = after_fault(health, "hung", 3.0, SETTINGS)
    assert is_off(health, 3.0)
    assert is_off(health, 62.9)
    assert not is_off(health, 63.0)
    assert health.last == "hung"


def test_a_trial_that_fails_switches_it_off_at_once() -> None:
    health = HEALTHY
    for _ in range(3):
        health = after_fault(health, "raised", 0.0, SETTINGS)
    health = after_fault(health, "raised", 100.0, SETTINGS)
    assert is_off(health, 159.0)
    assert not is_off(health, 160.0)
