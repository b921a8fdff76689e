"""The simulator finds what it is for: bugs made on purpose, each by the seed that found it first.

`make mutations` looks for each of them among 300 seeds, and prints this table anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.mutations import MOST_SEEDS, SOURCE, mutated, mutations, simulate

FOUND_BY: dict[str, int] = {
    "arrivals-after-settlements": 11,
    "commit-past-the-committer": 8,
    "counts-not-in-the-batch": 3,
    "crawl-delay-forgotten": 1,
    "filter-kept-past-a-write": 6,
    "handover-without-drain": 111,
    "lease-not-reaped": 8,
    "load-ignored": 0,
    "no-rest-after-start": 5,
    "outbox-forgets-before-ack": 6,
    "probe-not-settled": 1,
    "probe-without-a-delay": 1,
    "redirect-past-the-owner": 1,
    "retry-after-ignored": 0,
    "robots-cached-past-its-time": 0,
    "seen-before-stored": 37,
    "serial-reused-after-restart": 0,
    "settle-before-links": 30,
    "sleeper-forgotten": 1,
    "slowed-after-storing": 52,
}


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
    source, seed = mutated(name, tmp_path), FOUND_BY[name]
    code, said = simulate(source, "--seed", str(seed))
    if code == 0:
        # A change elsewhere made another story of this seed: the bug must still be found, and soon.
        code, said = simulate(source, "--seeds", f"0-{MOST_SEEDS // 3}", "--first", "--workers", "1")
    assert code == 1, f"{said}\n\nLook for it anew: python -m tests.sim.mutations {name}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", sorted({seed for seed in FOUND_BY.values() if seed >= 100}))
def test_what_finds_them_is_no_trouble_without_them(seed: int) -> None:
    """Those below a hundred are crawled in `test_simulate`."""
    code, said = simulate(SOURCE, "--seed", str(seed))
    assert code == 0, said
