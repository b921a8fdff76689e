"""The simulator finds what it is for: bugs made on purpose, each by the seed that found it first.

`make mutations` looks for each of them among 300 seeds, and prints this table anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.mutations import MOST_SEEDS, SOURCE, mutated, mutations, simulate

FOUND_BY: dict[str, int] = {}


def test_each_mutation_has_its_seed() -> None:
    assert sorted(FOUND_BY) == mutations()
    assert len(FOUND_BY) >= 12
    assert all(0 <= seed < MOST_SEEDS for seed in FOUND_BY.values())


@pytest.mark.parametrize("name", mutations())
def test_each_mutation_can_be_applied(name: str, tmp_path: Path) -> None:
    source = mutated(name, tmp_path)
    before = {path.relative_to(SOURCE): path.read_bytes() for path in SOURCE.rglob("*.py")}
    after = {path.relative_to(source): path.read_bytes() for path in source.rglob("*.py")}
    assert before.keys() == after.keys()
    assert before != after


@pytest.mark.slow
@pytest.mark.parametrize("name", mutations())
def test_each_mutation_is_found(name: str, tmp_path: Path) -> None:
    code, said = simulate(mutated(name, tmp_path), "--seed", str(FOUND_BY[name]))
    assert code == 1, f"{said}\n\nLook for it anew: python -m tests.sim.mutations {name}"
    assert "WRONG" in said


@pytest.mark.slow
@pytest.mark.parametrize("seed", sorted({seed for seed in FOUND_BY.values() if seed >= 100}))
def test_what_finds_them_is_no_trouble_without_them(seed: int) -> None:
    """Those below a hundred are crawled in `test_simulate`."""
    code, said = simulate(SOURCE, "--seed", str(seed))
    assert code == 0, said
