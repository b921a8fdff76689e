"""A hundred simulated crawls keep all promises, and a seed tells the same story each time."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.sim.run.minimise import minimised
from skitter.sim.run.trial import PLACES, Fault, trial_of
from tests.sim.mutations import SOURCE, simulate

TOGETHER = 25


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, TOGETHER))
def test_a_hundred_crawls_keep_all_promises(first: int) -> None:
    code, said = simulate(SOURCE, "--seeds", f"{first}-{first + TOGETHER - 1}", "--workers", "1")
    assert code == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 55])
def test_the_same_seed_tells_the_same_story(seed: int) -> None:
    once, again = (simulate(SOURCE, "--seed", str(seed), "--trace") for _ in range(2))
    assert once == again
    assert "kill" in once[1]


def test_another_seed_is_another_trial() -> None:
    assert trial_of(1) == trial_of(1) != trial_of(2)


def test_every_place_is_drawn() -> None:
    trials = [trial_of(seed) for seed in range(300)]
    faults = [fault for trial in trials for fault in trial.faults]
    assert {fault.place for fault in faults if fault.what == "kill"} == set(PLACES)
    assert {trial.nodes for trial in trials} == {1, 2, 3, 4}
    assert all(str(fault) for fault in faults)


def test_the_fewest_faults_are_those_that_are_needed() -> None:
    faults = tuple(Fault("kill", node=number) for number in range(13))
    needed = {faults[3], faults[4], faults[11]}
    trial = structs.replace(trial_of(0), faults=faults)
    fewest = minimised(trial, lambda fewer: needed <= set(fewer.faults))
    assert set(fewest.faults) == needed
