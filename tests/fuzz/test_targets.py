"""A short run of every fuzz target: its seeds, what earlier runs broke on, and some hundred changed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS

CORPUS = Path(__file__).parent / "corpus"


def test_every_target_has_seeds() -> None:
    assert set(SEEDS) == set(TARGETS)


KEPT = [(file.parent.name, file) for file in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("name", "file"), KEPT, ids=[f"{name}/{file.name}" for name, file in KEPT])
def test_what_once_broke_a_target(name: str, file: Path) -> None:
    TARGETS[name](file.read_bytes())


@st.composite
def changed(draw: st.DrawFn, name: str) -> bytes:
    """A seed with some bytes replaced, cut out, doubled or spliced with another's."""
    data = draw(st.sampled_from(SEEDS[name]))
    for _ in range(draw(st.integers(0, 4))):
        at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        middle = draw(st.one_of(st.binary(max_size=8), st.just(data[at:end] * 3), st.sampled_from(SEEDS[name])))
        data = data[:at] + middle + data[end:]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_changed_seeds_do_not_break_a_target(name: str) -> None:
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(changed(name) | st.binary(max_size=300))
    def run(data: bytes) -> None:
        TARGETS[name](data)

    run()
