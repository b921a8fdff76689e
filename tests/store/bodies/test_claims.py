"""Claims: one node has each at a time, and death gives it back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skitter.store.bodies.claims import Claims

HOLDING = """
import sys, time
from pathlib import Path
from skitter.store.bodies.claims import Claims
claims = Claims(Path(sys.argv[1]))
print(claims.take(7), flush=True)
time.sleep(60)
"""


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Claims, Claims]]:
    """The claims of two nodes."""
    one, other = Claims(tmp_path / "claims"), Claims(tmp_path / "claims")
    yield one, other
    for claims in (one, other):
        claims.close()


def test_a_number_is_claimed_by_one(two: tuple[Claims, Claims]) -> None:
    one, other = two
    assert one.take(7)
    assert one.take(7), "whoever has it may ask again"
    assert not other.take(7)
    assert other.take(8)
    assert not one.take(8)
    assert (one.held, other.held) == ({7}, {8})


@pytest.mark.parametrize("give_up", [Claims.drop, Claims.close], ids=["drop", "close"])
def test_what_is_given_up_is_for_others(give_up: Callable[[Claims], None], tmp_path: Path) -> None:
    one, other = Claims(tmp_path / "claims"), Claims(tmp_path / "claims")
    assert all(one.take(number) for number in (0, 7, 2**62))
    give_up(one)
    assert one.held == set()
    assert all(other.take(number) for number in (0, 7, 2**62))
    other.close()


def test_a_process_that_dies_leaves_no_claim(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "claims")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tmp_path / "claims")], stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "True\n"
            assert not claims.take(7)
        finally:
            holder.kill()
    assert claims.take(7)
    claims.close()
