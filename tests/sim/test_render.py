"""Simulated crawls with pages that are empty without a browser keep all promises: nothing lost, nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.messages import Errand
from skitter.sim.run.sweep import named
from skitter.sim.run.trial import rendering_trial_of, trial_of
from tests.sim.mutations import HERE, SOURCE, mutated, simulate


@pytest.mark.slow
@pytest.mark.parametrize("seeds", ["0-4", "5-9"])
def test_crawls_with_browsers_keep_all_promises(seeds: str) -> None:
    code, said = simulate(SOURCE, "--render", "--seeds", seeds, "--workers", "1")
    assert code == 0, said


@pytest.mark.slow
def test_pages_are_rendered_by_requests_of_ours() -> None:
    _, said = simulate(SOURCE, "--seed", "render:0", "--trace")
    for errand in (Errand.RENDER, Errand.PART):
        assert f"{errand.value} http://" in said, errand


def test_a_trial_with_browsers_is_the_same_trial_with_more() -> None:
    plain, more = trial_of(3), rendering_trial_of(3)
    assert named("render:3") == more
    assert more.faults[: len(plain.faults)] == plain.faults
    assert more.shape.shells > 0 == plain.shape.shells
    assert {rendering_trial_of(seed).shape.is_calm for seed in range(2)} == {True, False}


FOUND_BY = {
    "failure-not-tried-again": 18,
    "list-forgotten": 0,
    "part-past-robots": 3,
    "part-past-the-owner": 5,
    "part-without-a-delay": 1,
    "parts-not-settled": 3,
}
"""Bugs made on purpose in what pages in browsers take, and the seed that found each."""


def test_each_mutation_can_be_applied(tmp_path: Path) -> None:
    assert sorted(path.stem for path in (HERE / "render").glob("*.patch")) == sorted(FOUND_BY)
    for name in FOUND_BY:
        (tmp_path / name).mkdir()
        mutated(f"render/{name}", tmp_path / name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND_BY)
def test_each_mutation_is_found(name: str, tmp_path: Path) -> None:
    source = mutated(f"render/{name}", tmp_path)
    code, said = simulate(source, "--seed", f"render:{FOUND_BY[name]}")
    if code == 0:
        # A change elsewhere made another story of this seed: the bug must still be found, and soon.
        code, said = simulate(source, "--render", "--seeds", "0-60", "--first", "--workers", "1")
    assert code == 1, said
